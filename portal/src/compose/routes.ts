/** The compose page. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import type { Addressed } from './compose-page.tsx';
import type { ComposeSearch } from './silent-people.tsx';

function textIn<Name extends keyof Addressed>(
  search: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [_ in Name]?: string } {
  const value = search[name];
  const isText = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return isText ? ({ [name]: String(value).slice(0, 100) } as { readonly [_ in Name]: string }) : {};
}

export const composePages = [
  page({
    path: '/send',
    component: lazyRouteComponent(() => import('./compose-page.tsx'), 'ComposePage'),
    validateSearch: (search): Addressed & ComposeSearch => ({
      ...textIn(search, 'to'),
      ...textIn(search, 'name'),
      ...textIn(search, 'group'),
      ...(/^\d{1,16}$/.test(String(search.silentOf)) && { silentOf: String(search.silentOf) }),
    }),
    place: {
      group: 'send',
      icon: 'compose',
      name: ['Send', 'Skicka'],
      roles: ['send'],
      inBar: { rank: 3 },
    },
  }),
] as const;
