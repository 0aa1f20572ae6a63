/** The front page. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

export const homePages = [
  page({
    path: '/',
    component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
    place: { group: 'start', icon: 'home', name: ['Start', 'Start'], inBar: { rank: 1 } },
  }),
] as const;
