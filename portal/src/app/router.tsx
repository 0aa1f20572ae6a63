/** The router of the portal's pages, and the frame around them. */
import { createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { portalPath } from '../api/client.ts';
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

export const router = createRouter({
  routeTree: rootRoute.addChildren([...pages, ...frontPages]),
  basepath: portalPath,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  InnerWrap: Shell,
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
