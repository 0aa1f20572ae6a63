/** The routes of conversations, and of what belongs to nobody. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../routing/root-route.ts';
import { conversationsPath, searchOf } from './address.ts';

const conversationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: conversationsPath,
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./conversations-page.tsx'), 'ConversationsPage'),
});

const unroutedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/unrouted',
  component: lazyRouteComponent(() => import('./unrouted-page.tsx'), 'UnroutedPage'),
});

export const conversationRoutes = [conversationsRoute, unroutedRoute] as const;
