/** The route of the page that sends. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../routing/root-route.ts';

const composeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/send',
  component: lazyRouteComponent(() => import('./compose-page.tsx'), 'ComposePage'),
});

export const composeRoutes = [composeRoute] as const;
