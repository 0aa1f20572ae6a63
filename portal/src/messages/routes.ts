/** The routes of the pages of messages. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../routing/root-route.ts';
import { readFilters } from './filters.ts';

const logRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/messages',
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import('./log-page.tsx'), 'LogPage'),
});

const messageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/messages/$id',
  component: lazyRouteComponent(() => import('./message-page.tsx'), 'MessagePage'),
});

export const messagesRoutes = [logRoute, messageRoute] as const;
