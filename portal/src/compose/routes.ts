/** The compose page. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import type { ComposeSearch } from './silent-people.tsx';

export const composePages = [
  page({
    path: '/send',
    component: lazyRouteComponent(() => import('./compose-page.tsx'), 'ComposePage'),
    validateSearch: ({ silentOf }): ComposeSearch =>
      /^\d{1,16}$/.test(String(silentOf)) ? { silentOf: String(silentOf) } : {},
    place: { group: 'send', icon: 'compose', name: ['Send', 'Skicka'], roles: ['send'], inBar: true },
  }),
] as const;
