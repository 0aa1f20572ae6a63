/** The routes of people: the list, one person, groups, and imports. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../routing/root-route.ts';
import type { PeopleSearch } from './people-search.ts';

function textIn(search: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = search[name];
  // Digits alone come as a number.
  return value === undefined || value === '' ? undefined : String(value);
}

const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people',
  validateSearch: (search: Readonly<Record<string, unknown>>): PeopleSearch => {
    const [book, q, filter] = ['book', 'q', 'filter'].map((name) => textIn(search, name));
    return {
      ...(book !== undefined && { book }),
      ...(q !== undefined && { q }),
      ...(filter !== undefined && { filter }),
    };
  },
  component: lazyRouteComponent(() => import('./people-page.tsx'), 'PeoplePage'),
});

const newPersonRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people/$book/new',
  component: lazyRouteComponent(() => import('./person-page.tsx'), 'NewPersonPage'),
});

const personRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people/$book/person/$id',
  component: lazyRouteComponent(() => import('./person-page.tsx'), 'PersonPage'),
});

const numberRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people/by-number/$number',
  component: lazyRouteComponent(() => import('./number-page.tsx'), 'NumberPage'),
});

const importRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people/$book/import',
  component: lazyRouteComponent(() => import('./import-page.tsx'), 'ImportPage'),
});

const groupsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people/$book/groups',
  component: lazyRouteComponent(() => import('./groups-page.tsx'), 'GroupsPage'),
});

const groupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people/$book/groups/$name',
  component: lazyRouteComponent(() => import('./group-page.tsx'), 'GroupPage'),
});

export const peopleRoutes = [
  peopleRoute,
  newPersonRoute,
  personRoute,
  numberRoute,
  importRoute,
  groupsRoute,
  groupRoute,
] as const;
