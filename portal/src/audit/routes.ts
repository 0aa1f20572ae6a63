/** The page of the audit log. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import type { Filters } from './filters.ts';

const names = ['username', 'act', 'object', 'from', 'to'] as const;

/** The page itself judges what the filters say, since the words for that are loaded with it. */
function givenIn(search: Readonly<Record<string, unknown>>): Filters {
  const given = names.map((name) => [name, String(search[name] ?? '').slice(0, 200)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

export const auditPages = [
  page({
    path: '/admin/audit',
    component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
    validateSearch: givenIn,
    place: {
      group: 'admin',
      icon: 'archive',
      name: ['Audit log', 'Granskningslogg'],
      roles: ['companyAdmin'],
    },
  }),
] as const;
