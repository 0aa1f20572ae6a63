/** Where the people stand in the navigation. */
import type { NavigationItem } from '../routing/navigation.ts';

export const peopleNavigation: readonly NavigationItem[] = [
  { to: '/people', group: 'people', icon: 'people', name: { en: 'People', sv: 'Personer' } },
];
