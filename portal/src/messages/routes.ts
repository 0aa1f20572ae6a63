/** The message pages. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import { readFilters } from './filters.ts';

export const messagePages = [
  page({
    path: '/messages',
    component: lazyRouteComponent(() => import('./log-page.tsx'), 'LogPage'),
    validateSearch: readFilters,
    place: {
      group: 'where',
      icon: 'messages',
      name: ['Messages', 'Meddelanden'],
      roles: ['send', 'jobs', 'companyAdmin'],
      inBar: { rank: 4, name: ['Messages', 'Sms'], givesWay: true },
    },
  }),
  page({
    path: '/messages/$id',
    component: lazyRouteComponent(() => import('./message-page.tsx'), 'MessagePage'),
  }),
] as const;
