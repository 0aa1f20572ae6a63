/** The routes of the pages of templates. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../routing/root-route.ts';

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/templates',
  component: lazyRouteComponent(() => import('./templates-page.tsx'), 'TemplatesPage'),
});

const newRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/templates/new',
  component: lazyRouteComponent(() => import('./template-page.tsx'), 'NewTemplatePage'),
});

const oneRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/templates/$id',
  component: lazyRouteComponent(() => import('./template-page.tsx'), 'TemplatePage'),
});

export const templateRoutes = [listRoute, newRoute, oneRoute] as const;
