/** What is shown in place of a page that failed, or that there is none of. */
import { Button, ButtonLink } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';
import { useFrameWords } from './texts.ts';

export function ErrorPage() {
  const words = useFrameWords();
  return (
    <Page title={words.failed} width="narrow">
      <EmptyState icon="alert" action={<Button onClick={() => location.reload()}>{words.reload}</Button>}>
        {words.failedText}
      </EmptyState>
    </Page>
  );
}

export function NotFoundPage() {
  const words = useFrameWords();
  return (
    <Page title={words.notFound} width="narrow">
      <EmptyState icon="search" action={<ButtonLink to="/">{words.toStart}</ButtonLink>}>
        {words.notFoundText}
      </EmptyState>
    </Page>
  );
}
