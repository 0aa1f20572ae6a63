/** The pages of API keys, and of a user's own sessions. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import type { KeySearch } from './all-keys-page.tsx';

const states = ['enabled', 'expired', 'revoked'] as const;

export const keyPages = [
  page({
    path: '/admin/keys',
    component: lazyRouteComponent(() => import('./all-keys-page.tsx'), 'AllKeysPage'),
    validateSearch: (search): KeySearch => {
      const state = states.find((one) => one === search.state);
      return {
        ...(state && { state }),
        ...(search.unused === true && { unused: true }),
        ...(search.withoutEnd === true && { withoutEnd: true }),
      };
    },
    place: {
      group: 'admin',
      icon: 'key',
      name: ['All API keys', 'Alla API-nycklar'],
      roles: ['companyAdmin'],
    },
  }),
  page({
    path: '/keys',
    component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
    place: { group: 'settings', icon: 'key', name: ['API keys', 'API-nycklar'] },
  }),
  page({
    path: '/sessions',
    component: lazyRouteComponent(() => import('./sessions-page.tsx'), 'SessionsPage'),
    place: { group: 'settings', icon: 'lock', name: ['Security', 'Säkerhet'] },
  }),
] as const;
