/** The pages of conversations, and of SMS that belong to nobody. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import { useUnread } from '../session/unread.ts';
import { plural } from '../words/words.ts';
import { conversationsPath, searchOf } from './address.ts';

const unread = plural(['# unread', '# unread'], ['# oläst', '# olästa']);

function useUnreadBadge() {
  const { data } = useUnread();
  return data && { count: data.conversations.length, isMore: data.next !== undefined, said: unread };
}

export const conversationPages = [
  page({
    path: conversationsPath,
    component: lazyRouteComponent(() => import('./conversations-page.tsx'), 'ConversationsPage'),
    validateSearch: searchOf,
    place: {
      group: 'who',
      icon: 'conversations',
      name: ['Conversations', 'Konversationer'],
      roles: ['send', 'jobs', 'companyAdmin'],
      inBar: { rank: 5, name: ['Answers', 'Svar'] },
      useBadge: useUnreadBadge,
    },
  }),
  page({
    path: '/unrouted',
    component: lazyRouteComponent(() => import('./unrouted-page.tsx'), 'UnroutedPage'),
    place: {
      group: 'admin',
      icon: 'alert',
      name: ['Unclaimed SMS', 'Utan mottagare'],
      roles: ['companyAdmin'],
    },
  }),
] as const;
