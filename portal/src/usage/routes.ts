/** The route of the page of what was sent. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../routing/root-route.ts';
import { groups, periods, type UsageView } from './view.ts';

const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/usage',
  validateSearch: (search: Readonly<Record<string, unknown>>): UsageView => {
    const months = periods.find((one) => one === search.months);
    const by = groups.find((one) => one === search.by);
    return { ...(months && { months }), ...(by && { by }) };
  },
  component: lazyRouteComponent(() => import('./usage-page.tsx'), 'UsagePage'),
});

export const usageRoutes = [usageRoute] as const;
