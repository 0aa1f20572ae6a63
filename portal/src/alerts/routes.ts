/** The pages of alerts: what people were woken for, and the receivers to which monitoring programs post. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import type { IncidentFilters } from './alerts-page.tsx';

const states = ['opening', 'open', 'ended', 'failed'] as const;

export const alertPages = [
  page({
    path: '/alerts',
    component: lazyRouteComponent(() => import('./alerts-page.tsx'), 'AlertsPage'),
    validateSearch: ({ receiver, state: given }): IncidentFilters => {
      const state = states.find((one) => one === given);
      return {
        ...(receiver !== undefined && receiver !== '' && { receiver: String(receiver) }),
        ...(state && { state }),
      };
    },
    place: {
      group: 'where',
      icon: 'alert',
      name: ['Alerts', 'Larm'],
      roles: ['send', 'jobs', 'companyAdmin'],
    },
  }),
  page({
    path: '/alerts/$id',
    component: lazyRouteComponent(() => import('./incident-page.tsx'), 'IncidentPage'),
  }),
] as const;

export const receiverPages = [
  page({
    path: '/admin/alert-receivers',
    component: lazyRouteComponent(() => import('./receivers-page.tsx'), 'ReceiversPage'),
    place: {
      group: 'admin',
      icon: 'alert',
      name: ['Alert receivers', 'Larmmottagare'],
      roles: ['companyAdmin'],
    },
  }),
  page({
    path: '/admin/alert-receivers/new',
    component: lazyRouteComponent(() => import('./receiver-page.tsx'), 'NewReceiverPage'),
  }),
  page({
    path: '/admin/alert-receivers/$name',
    component: lazyRouteComponent(() => import('./receiver-page.tsx'), 'ReceiverPage'),
  }),
] as const;
