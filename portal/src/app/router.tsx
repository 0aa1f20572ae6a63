/** The router of the portal's pages, and the frame around them. */
import { createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { isOfOperators, portalPath } from '../api/client.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';
import { page, rootRoute } from '../routing/page.ts';
import { pages } from './pages.ts';
import { Shell } from './shell.tsx';
import { useFrameWords } from './texts.ts';

/** Administration, and the user's own account: each leads to the first of its tabs. */
const frontPages = [
  page({
    path: '/admin',
    component: lazyRouteComponent(() => import('./tabbed-pages.tsx'), 'AdministrationPage'),
  }),
  page({
    path: '/account',
    component: lazyRouteComponent(() => import('./tabbed-pages.tsx'), 'AccountPage'),
  }),
] as const;

const OperatorShell = lazy(async () => ({
  default: (await import('../operator/operator-shell.tsx')).OperatorShell,
}));

function Frame({ children }: { readonly children: ReactNode }) {
  if (!isOfOperators) return <Shell>{children}</Shell>;
  return (
    <Suspense>
      <OperatorShell>{children}</OperatorShell>
    </Suspense>
  );
}

export const router = createRouter({
  routeTree: rootRoute.addChildren([...pages, ...frontPages]),
  basepath: portalPath,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  InnerWrap: Frame,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** Shown in place of a page that failed. */
function ErrorPage() {
  const words = useFrameWords();
  return (
    <Page title={words.failed} width="narrow">
      <EmptyState icon="alert" action={<Button onClick={() => location.reload()}>{words.reload}</Button>}>
        {words.failedText}
      </EmptyState>
    </Page>
  );
}

/** Shown in place of a page that does not exist. */
function NotFoundPage() {
  const words = useFrameWords();
  return (
    <Page title={words.notFound} width="narrow">
      <EmptyState icon="search" action={<ButtonLink to="/">{words.toStart}</ButtonLink>}>
        {words.notFoundText}
      </EmptyState>
    </Page>
  );
}
