/** The routes of the pages of batches. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../routing/root-route.ts';

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/batches',
  component: lazyRouteComponent(() => import('./batches-page.tsx'), 'BatchesPage'),
});

const newRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/batches/new',
  component: lazyRouteComponent(() => import('./new-batch-page.tsx'), 'NewBatchPage'),
});

const oneRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/batches/$id',
  component: lazyRouteComponent(() => import('./batch-page.tsx'), 'BatchPage'),
});

export const batchRoutes = [listRoute, newRoute, oneRoute] as const;
