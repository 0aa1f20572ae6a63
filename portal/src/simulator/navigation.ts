/** Where the phone simulator stands in the navigation. */
import type { NavigationItem } from '../routing/navigation.ts';

export const simulatorNavigation: readonly NavigationItem[] = [
  {
    to: '/simulator',
    group: 'send',
    icon: 'phone',
    name: { en: 'Phone simulator', sv: 'Telefonsimulator' },
    roles: ['send', 'jobs', 'companyAdmin'],
  },
];
