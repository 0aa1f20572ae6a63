/** The front page: what waits for somebody, how today's messages stand, and what was sent last. */
import { Page } from '../design/page.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { LatestMessages } from './latest-messages.tsx';
import { NeedsMe } from './needs-me.tsx';
import { useHomeWords } from './texts.ts';
import { Today } from './today.tsx';

export function HomePage() {
  const words = useHomeWords();
  const session = useSession();
  const seesMessages = hasOneOf(session, ['send', 'jobs', 'companyAdmin']);
  return (
    <Page title={words.title} lead={words.lead(session.company.name)}>
      {seesMessages && (
        <>
          <NeedsMe />
          <Today />
          <LatestMessages />
        </>
      )}
    </Page>
  );
}
