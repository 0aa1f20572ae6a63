/** The compose page. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

export const composePages = [
  page({
    path: '/send',
    component: lazyRouteComponent(() => import('./compose-page.tsx'), 'ComposePage'),
    place: {
      group: 'send',
      icon: 'compose',
      name: ['Send', 'Skicka'],
      roles: ['send'],
      inBar: { rank: 3 },
    },
  }),
] as const;
