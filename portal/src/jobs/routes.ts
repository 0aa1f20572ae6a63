/** The pages of saved jobs, and of their runs. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';
import { useOpenRuns } from '../session/open-runs.ts';
import { plural } from '../words/words.ts';
import { groupOf, type RunSearch } from './run.ts';

const open = plural(['# open run', '# open runs'], ['# pågående larm', '# pågående larm']);

function useOpenBadge() {
  const { data } = useOpenRuns();
  return (
    data && {
      count: data.runs.length,
      isMore: data.next !== undefined,
      said: open,
      isUrgent: data.runs.some(({ short }) => short),
    }
  );
}

export const jobPages = [
  page({
    path: '/jobs',
    component: lazyRouteComponent(() => import('./jobs-page.tsx'), 'JobsPage'),
    place: {
      group: 'send',
      icon: 'alarm',
      name: ['Jobs', 'Jobb'],
      roles: ['jobs', 'companyAdmin'],
      inBar: { rank: 2, roles: ['jobs'] },
      useBadge: useOpenBadge,
    },
  }),
  page({
    path: '/jobs/$id',
    component: lazyRouteComponent(() => import('./job-page.tsx'), 'JobPage'),
  }),
  page({
    path: '/runs/$id',
    component: lazyRouteComponent(() => import('./run-page.tsx'), 'RunPage'),
    validateSearch: ({ wall, show }): RunSearch => {
      const group = groupOf(show);
      return { ...(wall !== undefined && { wall: true }), ...(group !== undefined && { show: group }) };
    },
  }),
] as const;
