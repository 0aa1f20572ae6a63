/** Where the page of what waits for its time stands in the navigation. */
import type { NavigationItem } from '../routing/navigation.ts';

export const scheduledNavigation: readonly NavigationItem[] = [
  {
    to: '/scheduled',
    group: 'send',
    icon: 'scheduled',
    name: { en: 'Scheduled', sv: 'Schemalagt' },
    roles: ['send', 'jobs', 'companyAdmin'],
  },
];
