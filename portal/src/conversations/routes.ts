/** The pages of conversations, and of SMS that belong to nobody. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import { counted, useUnclaimed, useUnread } from '../session/waiting.ts';
import { conversationsPath, searchOf } from './address.ts';

function useUnreadBadge() {
  const { data } = useUnread();
  return data && { ...counted(data.conversations, data.next), of: ['unread', 'olästa'] as const };
}

function useUnclaimedBadge() {
  const { data } = useUnclaimed();
  return data && { ...counted(data.unrouted, data.next), of: ['unclaimed', 'utan mottagare'] as const };
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
      useBadge: useUnclaimedBadge,
    },
  }),
] as const;
