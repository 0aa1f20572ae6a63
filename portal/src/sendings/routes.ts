/** The pages of sendings. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import type { PeopleFilter } from './sending-page.tsx';

const states = ['scheduled', 'underWay', 'delivered', 'failed', 'canceled'] as const;
const meanings = ['yes', 'no', 'other', 'silent'] as const;

export const sendingPages = [
  page({
    path: '/sendings',
    component: lazyRouteComponent(() => import('./sendings-page.tsx'), 'SendingsPage'),
    place: {
      group: 'where',
      icon: 'reply',
      name: ['Sent', 'Skickat'],
      roles: ['send', 'jobs', 'companyAdmin'],
    },
  }),
  page({
    path: '/sendings/$id',
    component: lazyRouteComponent(() => import('./sending-page.tsx'), 'SendingPage'),
    validateSearch: (search): PeopleFilter => {
      const state = states.find((one) => one === search.state);
      const meaning = meanings.find((one) => one === search.meaning);
      return { ...(state && { state }), ...(meaning && { meaning }) };
    },
  }),
] as const;
