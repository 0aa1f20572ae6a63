/** The page of the phone simulator. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { page } from '../routing/page.ts';

interface SimulatorSearch {
  /** The number of the selected phone. */
  readonly phone?: string;
}

export const simulatorPages = [
  page({
    path: '/simulator',
    component: lazyRouteComponent(() => import('./simulator-page.tsx'), 'SimulatorPage'),
    validateSearch: ({ phone }): SimulatorSearch => {
      const number = typeof phone === 'string' || typeof phone === 'number' ? String(phone) : '';
      return number === '' ? {} : { phone: number.slice(0, 100) };
    },
    place: {
      group: 'send',
      icon: 'phone',
      name: ['Phone simulator', 'Telefonsimulator'],
      roles: ['send', 'jobs', 'companyAdmin'],
      isOffered: ({ company }) => company.hasSimulator,
    },
  }),
] as const;
