/** The page of scheduled messages. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import type { ScheduledView } from './scheduled-page.tsx';

export const scheduledPages = [
  page({
    path: '/scheduled',
    component: lazyRouteComponent(() => import('./scheduled-page.tsx'), 'ScheduledPage'),
    validateSearch: ({ month }): ScheduledView =>
      typeof month === 'string' && /^20\d\d-(0[1-9]|1[0-2])$/.test(month) ? { month } : {},
    place: {
      group: 'send',
      icon: 'scheduled',
      name: ['Scheduled', 'Schemalagt'],
      roles: ['send', 'jobs', 'companyAdmin'],
    },
  }),
] as const;
