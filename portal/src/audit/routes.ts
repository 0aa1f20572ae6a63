/** The page of the audit log. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import { readFilters } from './filters.ts';

export const auditPages = [
  page({
    path: '/admin/audit',
    component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
    validateSearch: readFilters,
    place: {
      group: 'admin',
      icon: 'archive',
      name: ['Audit log', 'Granskningslogg'],
      roles: ['companyAdmin'],
    },
  }),
] as const;
