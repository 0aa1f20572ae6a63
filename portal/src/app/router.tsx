/** The one list of all pages: each room makes its routes, and adds a line here. */
import { createRouter } from '@tanstack/react-router';
import { portalPath } from '../api/client.ts';
import { batchRoutes } from '../batches/routes.ts';
import { composeRoutes } from '../compose/routes.ts';
import { conversationRoutes } from '../conversations/routes.ts';
import { homeRoutes } from '../home/routes.ts';
import { keyRoutes } from '../keys/routes.ts';
import { messagesRoutes } from '../messages/routes.ts';
import { peopleRoutes } from '../people/routes.ts';
import { rootRoute } from '../routing/root-route.ts';
import { scheduledRoutes } from '../scheduled/routes.ts';
import { simulatorRoutes } from '../simulator/routes.ts';
import { templateRoutes } from '../templates/routes.ts';
import { usageRoutes } from '../usage/routes.ts';
import { ErrorPage, NotFoundPage } from './error-page.tsx';
import { Shell } from './shell.tsx';

const routeTree = rootRoute.addChildren([
  ...homeRoutes,
  ...batchRoutes,
  ...composeRoutes,
  ...templateRoutes,
  ...messagesRoutes,
  ...scheduledRoutes,
  ...usageRoutes,
  ...keyRoutes,
  ...peopleRoutes,
  ...conversationRoutes,
  ...simulatorRoutes,
]);

export const router = createRouter({
  routeTree,
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
