/** Where the pages of messages stand in the navigation. */
import type { NavigationItem } from '../routing/navigation.ts';

export const messagesNavigation: readonly NavigationItem[] = [
  {
    to: '/messages',
    group: 'where',
    icon: 'messages',
    name: { en: 'Messages', sv: 'Meddelanden' },
    roles: ['send', 'jobs', 'companyAdmin'],
    inBar: { en: 'Messages', sv: 'Sms' },
  },
];
