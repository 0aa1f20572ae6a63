/** Where the page of what was sent stands in the navigation. */
import type { NavigationItem } from '../routing/navigation.ts';

export const usageNavigation: readonly NavigationItem[] = [
  {
    to: '/usage',
    group: 'where',
    icon: 'usage',
    name: { en: 'Usage', sv: 'Förbrukning' },
    roles: ['send', 'jobs', 'companyAdmin'],
  },
];
