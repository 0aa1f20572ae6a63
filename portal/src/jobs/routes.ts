/** The pages of saved jobs, and of their runs. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import { groupOf, type RunSearch } from './run.ts';

export const jobPages = [
  page({
    path: '/jobs',
    component: lazyRouteComponent(() => import('./jobs-page.tsx'), 'JobsPage'),
    place: {
      group: 'send',
      icon: 'alarm',
      name: ['Jobs', 'Jobb'],
      roles: ['jobs', 'companyAdmin'],
      inBar: { rank: 2, roles: ['jobs'] },
    },
  }),
  page({
    path: '/jobs/$id',
    component: lazyRouteComponent(() => import('./job-page.tsx'), 'JobPage'),
  }),
  page({
    path: '/runs/$id',
    component: lazyRouteComponent(() => import('./run-page.tsx'), 'RunPage'),
    validateSearch: ({ wall, show }): RunSearch => {
      const group = groupOf(show);
      return { ...(wall !== undefined && { wall: true }), ...(group !== undefined && { show: group }) };
    },
  }),
] as const;
