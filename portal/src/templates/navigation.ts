/** Where the templates stand in the navigation. */
import type { NavigationItem } from '../routing/navigation.ts';

export const templateNavigation: readonly NavigationItem[] = [
  {
    to: '/templates',
    group: 'send',
    icon: 'templates',
    name: { en: 'Templates', sv: 'Mallar' },
    roles: ['send', 'jobs', 'companyAdmin'],
  },
];
