/** The routes of the pages of API keys and sessions. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../routing/root-route.ts';

const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});

const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./sessions-page.tsx'), 'SessionsPage'),
});

export const keyRoutes = [keysRoute, sessionsRoute] as const;
