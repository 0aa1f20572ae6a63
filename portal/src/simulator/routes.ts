/** The route of the phone simulator. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../routing/root-route.ts';
import { searchOf, simulatorPath } from './address.ts';

const simulatorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: simulatorPath,
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./simulator-page.tsx'), 'SimulatorPage'),
});

export const simulatorRoutes = [simulatorRoute] as const;
