/** The operators' pages of carriers, routes, numbers, and of what belongs to nobody. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import { numberFilters, receiptFilters, routeFilters } from './filters.ts';

export const networkPages = [
  page({
    path: '/operator/carriers',
    component: lazyRouteComponent(() => import('./carriers-page.tsx'), 'CarriersPage'),
  }),
  page({
    path: '/operator/carriers/$name',
    component: lazyRouteComponent(() => import('./carrier-page.tsx'), 'CarrierPage'),
  }),
  page({
    path: '/operator/routes',
    component: lazyRouteComponent(() => import('./routes-page.tsx'), 'RoutesPage'),
    validateSearch: routeFilters,
  }),
  page({
    path: '/operator/numbers',
    component: lazyRouteComponent(() => import('./numbers-page.tsx'), 'NumbersPage'),
    validateSearch: numberFilters,
  }),
  page({
    path: '/operator/unrouted',
    component: lazyRouteComponent(() => import('./unrouted-page.tsx'), 'UnroutedPage'),
  }),
  page({
    path: '/operator/receipts',
    component: lazyRouteComponent(() => import('./receipts-page.tsx'), 'ReceiptsPage'),
    validateSearch: receiptFilters,
  }),
] as const;
