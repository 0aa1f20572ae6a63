/** The pages of conversations, and of SMS that belong to nobody. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import { conversationsPath, searchOf } from './address.ts';

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
    },
  }),
  page({
    path: '/unrouted',
    component: lazyRouteComponent(() => import('./unrouted-page.tsx'), 'UnroutedPage'),
    place: {
      group: 'who',
      icon: 'alert',
      name: ['Unclaimed SMS', 'Utan mottagare'],
      roles: ['companyAdmin'],
    },
  }),
] as const;
