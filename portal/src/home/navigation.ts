/** Where the front page stands in the navigation. */
import type { NavigationItem } from '../routing/navigation.ts';

export const homeNavigation: readonly NavigationItem[] = [
  { to: '/', group: 'start', icon: 'home', name: { en: 'Start', sv: 'Start' }, inBar: true },
];
