/** The pages of API keys and sessions. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

export const keyPages = [
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
