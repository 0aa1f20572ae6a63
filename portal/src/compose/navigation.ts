/** Where the page that sends stands in the navigation. */
import type { NavigationItem } from '../routing/navigation.ts';

export const composeNavigation: readonly NavigationItem[] = [
  {
    to: '/send',
    group: 'send',
    icon: 'compose',
    name: { en: 'Send', sv: 'Skicka' },
    roles: ['send'],
    inBar: true,
  },
];
