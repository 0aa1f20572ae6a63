/** The page of the company's settings. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

export const companyPages = [
  page({
    path: '/admin/company',
    component: lazyRouteComponent(() => import('./company-page.tsx'), 'CompanyPage'),
    place: { group: 'admin', icon: 'settings', name: ['Company', 'Företag'], roles: ['companyAdmin'] },
  }),
] as const;
