/** The frame of the e-mail pages: their tabs, for those who may see them. */
import type { ReactNode } from 'react';
import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';
import { PartLinks } from '../design/part-links.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { useEmailWords } from './texts.ts';

export function EmailPage({
  actions,
  children,
}: {
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const words = useEmailWords();
  const isAllowed = hasOneOf(useSession(), ['companyAdmin', 'emailAdmin']);
  return (
    <Page title={words.title} lead={words.lead} actions={isAllowed && actions}>
      {isAllowed ? (
        <>
          <PartLinks
            label={words.title}
            tabs={[
              ['/admin/email', words.senders],
              ['/admin/email/defaults', words.defaults],
              ['/admin/email/domains', words.domains],
              ['/admin/email/latest', words.latest],
            ]}
          />
          {children}
        </>
      ) : (
        <EmptyState icon="mail">{words.noRight}</EmptyState>
      )}
    </Page>
  );
}
