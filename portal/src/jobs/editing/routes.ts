/** The pages on which administrators make and change saved jobs, their types and their owners. */
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
    path: '/admin/saved-jobs/types',
    component: lazyRouteComponent(() => import('./types-page.tsx'), 'JobTypesPage'),
  }),
  page({
    path: '/admin/saved-jobs/types/new',
    component: lazyRouteComponent(() => import('./types-page.tsx'), 'NewJobTypePage'),
    validateSearch: (search): { readonly like?: string } =>
      typeof search.like === 'string' && search.like !== '' ? { like: search.like } : {},
  }),
  page({
    path: '/admin/saved-jobs/types/$name',
    component: lazyRouteComponent(() => import('./types-page.tsx'), 'JobTypePage'),
  }),
  page({
    path: '/admin/saved-jobs/owners',
    component: lazyRouteComponent(() => import('./owners-page.tsx'), 'OwnersPage'),
  }),
  page({
    path: '/admin/saved-jobs/owners/new',
    component: lazyRouteComponent(() => import('./owners-page.tsx'), 'NewOwnerPage'),
  }),
  page({
    path: '/admin/saved-jobs/owners/$name',
    component: lazyRouteComponent(() => import('./owners-page.tsx'), 'OwnerPage'),
  }),
  page({
    path: '/admin/saved-jobs/$id',
    component: lazyRouteComponent(() => import('./saved-job-page.tsx'), 'SavedJobPage'),
  }),
] as const;
