/** The pages of operators on companies, on the service itself, and on their own sign-in. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

export const operatorPages = [
  page({
    path: '/operator',
    component: lazyRouteComponent(() => import('./companies-page.tsx'), 'CompaniesPage'),
  }),
  page({
    path: '/operator/companies/$id',
    component: lazyRouteComponent(() => import('./company-page.tsx'), 'CompanyPage'),
  }),
  page({
    path: '/operator/companies/$id/messages/$message',
    component: lazyRouteComponent(() => import('./message-page.tsx'), 'OperatorsMessagePage'),
  }),
  page({
    path: '/operator/service',
    component: lazyRouteComponent(() => import('./service-page.tsx'), 'ServicePage'),
  }),
  page({
    path: '/operator/security',
    component: lazyRouteComponent(() => import('./security-page.tsx'), 'OperatorsSecurityPage'),
  }),
] as const;
