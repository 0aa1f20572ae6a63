/** The page of the company's address books. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

export const bookPages = [
  page({
    path: '/admin/books',
    component: lazyRouteComponent(() => import('./books-page.tsx'), 'BooksPage'),
    place: {
      group: 'admin',
      icon: 'people',
      name: ['Address books', 'Adressböcker'],
      roles: ['companyAdmin'],
    },
  }),
] as const;
