/** The pages with which administrators manage the users of their company. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import type { UserSearch } from './users-page.tsx';

const states = ['active', 'noPassword', 'inactive'] as const;

export const userPages = [
  page({
    path: '/admin/users',
    component: lazyRouteComponent(() => import('./users-page.tsx'), 'UsersPage'),
    validateSearch: (search): UserSearch => {
      const state = states.find((one) => one === search.state);
      // A value that consists of digits only arrives as a number.
      const q = String(search.q ?? '').slice(0, 200);
      return { ...(q !== '' && { q }), ...(state && { state }) };
    },
    place: { group: 'admin', icon: 'people', name: ['Users', 'Användare'], roles: ['companyAdmin'] },
  }),
  page({
    path: '/admin/users/new',
    component: lazyRouteComponent(() => import('./new-user-page.tsx'), 'NewUserPage'),
    validateSearch: (search): { readonly like?: string } =>
      search.like === undefined ? {} : { like: String(search.like) },
  }),
  page({
    path: '/admin/users/$id',
    component: lazyRouteComponent(() => import('./user-page.tsx'), 'UserPage'),
  }),
] as const;
