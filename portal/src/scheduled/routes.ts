/** The route of the page of what waits for its time. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../routing/root-route.ts';
import type { ScheduledView } from './view.ts';

const scheduledRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/scheduled',
  validateSearch: ({ month }: Readonly<Record<string, unknown>>): ScheduledView =>
    typeof month === 'string' && /^20\d\d-(0[1-9]|1[0-2])$/.test(month) ? { month } : {},
  component: lazyRouteComponent(() => import('./scheduled-page.tsx'), 'ScheduledPage'),
});

export const scheduledRoutes = [scheduledRoute] as const;
