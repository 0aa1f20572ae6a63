/** The batch pages. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

export const batchPages = [
  page({
    path: '/batches',
    component: lazyRouteComponent(() => import('./batches-page.tsx'), 'BatchesPage'),
    place: {
      group: 'send',
      icon: 'batches',
      name: ['Batches', 'Utskick'],
      roles: ['send', 'jobs', 'companyAdmin'],
    },
  }),
  page({
    path: '/batches/new',
    component: lazyRouteComponent(() => import('./new-batch-page.tsx'), 'NewBatchPage'),
  }),
  page({
    path: '/batches/$id',
    component: lazyRouteComponent(() => import('./batch-page.tsx'), 'BatchPage'),
  }),
] as const;
