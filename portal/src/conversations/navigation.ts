/** Where conversations, and what belongs to nobody, stand in the navigation. */
import type { NavigationItem } from '../routing/navigation.ts';

export const conversationNavigation: readonly NavigationItem[] = [
  {
    to: '/conversations',
    group: 'who',
    icon: 'conversations',
    name: { en: 'Conversations', sv: 'Konversationer' },
    inBar: { en: 'Answers', sv: 'Svar' },
    roles: ['send', 'jobs', 'companyAdmin'],
  },
  {
    to: '/unrouted',
    group: 'who',
    icon: 'alert',
    name: { en: 'Without a recipient', sv: 'Utan mottagare' },
    roles: ['companyAdmin'],
  },
];
