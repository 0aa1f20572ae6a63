/** The template pages. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

export const templatePages = [
  page({
    path: '/templates',
    component: lazyRouteComponent(() => import('./templates-page.tsx'), 'TemplatesPage'),
    place: {
      group: 'send',
      icon: 'templates',
      name: ['Templates', 'Mallar'],
      roles: ['send', 'jobs', 'companyAdmin'],
    },
  }),
  page({
    path: '/templates/new',
    component: lazyRouteComponent(() => import('./template-page.tsx'), 'NewTemplatePage'),
  }),
  page({
    path: '/templates/$id',
    component: lazyRouteComponent(() => import('./template-page.tsx'), 'TemplatePage'),
  }),
] as const;
