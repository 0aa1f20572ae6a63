/** The pages on which administrators make and change saved jobs. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../../routing/page.ts';

export const savedJobPages = [
  page({
    path: '/admin/saved-jobs',
    component: lazyRouteComponent(() => import('./saved-jobs-page.tsx'), 'SavedJobsPage'),
    validateSearch: (search): { readonly owner?: string } =>
      typeof search.owner === 'string' && search.owner !== '' ? { owner: search.owner } : {},
    place: {
      group: 'admin',
      icon: 'alarm',
      name: ['Saved jobs', 'Sparade jobb'],
      roles: ['companyAdmin'],
    },
  }),
  page({
    path: '/admin/saved-jobs/new',
    component: lazyRouteComponent(() => import('./saved-job-page.tsx'), 'NewSavedJobPage'),
  }),
  page({
    path: '/admin/saved-jobs/$id',
    component: lazyRouteComponent(() => import('./saved-job-page.tsx'), 'SavedJobPage'),
  }),
] as const;
