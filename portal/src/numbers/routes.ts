/** The page of the numbers that phones can write to. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

export const numberPages = [
  page({
    path: '/admin/numbers',
    component: lazyRouteComponent(() => import('./numbers-page.tsx'), 'NumbersPage'),
    place: { group: 'admin', icon: 'phone', name: ['Numbers', 'Nummer'], roles: ['companyAdmin'] },
  }),
] as const;
