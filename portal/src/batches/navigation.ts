/** Where batches stand in the navigation. */
import type { NavigationItem } from '../routing/navigation.ts';

export const batchNavigation: readonly NavigationItem[] = [
  {
    to: '/batches',
    group: 'send',
    icon: 'batches',
    name: { en: 'Batches', sv: 'Utskick' },
    roles: ['send', 'jobs', 'companyAdmin'],
  },
];
