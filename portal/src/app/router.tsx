/** The router of the portal's pages, and the frame that they all stand in. */
import { createRouter } from '@tanstack/react-router';
import { portalPath } from '../api/client.ts';
import { rootRoute } from '../routing/page.ts';
import { ErrorPage, NotFoundPage } from './error-page.tsx';
import { pages } from './pages.ts';
import { Shell } from './shell.tsx';

export const router = createRouter({
  routeTree: rootRoute.addChildren(pages),
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
