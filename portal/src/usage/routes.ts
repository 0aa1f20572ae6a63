/** The usage page. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import { groups, periods, type UsageView } from './view.ts';

export const usagePages = [
  page({
    path: '/usage',
    component: lazyRouteComponent(() => import('./usage-page.tsx'), 'UsagePage'),
    validateSearch: (search): UsageView => {
      const months = periods.find((one) => one === search.months);
      const by = groups.find((one) => one === search.by);
      return { ...(months && { months }), ...(by && { by }) };
    },
    place: {
      group: ({ roles }) => (roles.includes('companyAdmin') ? 'admin' : 'settings'),
      icon: 'usage',
      name: ['Usage', 'Förbrukning'],
      roles: ['send', 'jobs', 'companyAdmin'],
    },
  }),
] as const;
