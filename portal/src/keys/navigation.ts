/** Where API keys and sessions stand in the navigation. */
import type { NavigationItem } from '../routing/navigation.ts';

export const keyNavigation: readonly NavigationItem[] = [
  { to: '/keys', group: 'settings', icon: 'key', name: { en: 'API keys', sv: 'API-nycklar' } },
  {
    to: '/sessions',
    group: 'settings',
    icon: 'settings',
    name: { en: 'Sign-in', sv: 'Inloggning' },
  },
];
