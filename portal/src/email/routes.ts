/** The pages of e-mail senders, which have tabs of their own. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

export const emailPages = [
  page({
    path: '/admin/email',
    component: lazyRouteComponent(() => import('./senders-page.tsx'), 'SendersPage'),
    validateSearch: (search): { readonly q?: string } =>
      typeof search.q === 'string' && search.q !== '' ? { q: search.q } : {},
    place: {
      group: 'admin',
      icon: 'mail',
      name: ['E-mail senders', 'E-postavsändare'],
      roles: ['companyAdmin', 'emailAdmin'],
      inBar: { rank: 6, name: ['E-mail', 'E-post'], givesWay: true, roles: ['emailAdmin'] },
    },
  }),
  page({
    path: '/admin/email/defaults',
    component: lazyRouteComponent(() => import('./defaults-page.tsx'), 'DefaultsPage'),
  }),
  page({
    path: '/admin/email/domains',
    component: lazyRouteComponent(() => import('./read-pages.tsx'), 'DomainsPage'),
  }),
  page({
    path: '/admin/email/latest',
    component: lazyRouteComponent(() => import('./read-pages.tsx'), 'LatestPage'),
  }),
  page({
    path: '/admin/email/new',
    component: lazyRouteComponent(() => import('./sender-page.tsx'), 'NewSenderPage'),
  }),
  page({
    path: '/admin/email/$email',
    component: lazyRouteComponent(() => import('./sender-page.tsx'), 'SenderPage'),
  }),
] as const;
