/** The pages of people: the list, one person, groups and imports. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import type { PeopleSearch } from './people-page.tsx';

function textIn(search: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = search[name];
  // A value that consists of digits only arrives as a number.
  return value === undefined || value === '' ? undefined : String(value);
}

export const peoplePages = [
  page({
    path: '/people',
    component: lazyRouteComponent(() => import('./people-page.tsx'), 'PeoplePage'),
    validateSearch: (search): PeopleSearch => {
      const [book, q, filter] = ['book', 'q', 'filter'].map((name) => textIn(search, name));
      return {
        ...(book !== undefined && { book }),
        ...(q !== undefined && { q }),
        ...(filter !== undefined && { filter }),
      };
    },
    place: { group: 'people', icon: 'people', name: ['People', 'Personer'] },
  }),
  page({
    path: '/people/$book/new',
    component: lazyRouteComponent(() => import('./person-page.tsx'), 'NewPersonPage'),
  }),
  page({
    path: '/people/$book/person/$id',
    component: lazyRouteComponent(() => import('./person-page.tsx'), 'PersonPage'),
  }),
  page({
    path: '/people/by-number/$number',
    component: lazyRouteComponent(() => import('./number-page.tsx'), 'NumberPage'),
  }),
  page({
    path: '/people/$book/import',
    component: lazyRouteComponent(() => import('./import-page.tsx'), 'ImportPage'),
  }),
  page({
    path: '/people/$book/groups',
    component: lazyRouteComponent(() => import('./groups-page.tsx'), 'GroupsPage'),
  }),
  page({
    path: '/people/$book/groups/$name',
    component: lazyRouteComponent(() => import('./group-page.tsx'), 'GroupPage'),
  }),
] as const;
