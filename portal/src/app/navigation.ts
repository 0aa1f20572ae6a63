/** What stands in the navigation, room by room; a room adds a line. */

import { batchNavigation } from '../batches/navigation.ts';
import { composeNavigation } from '../compose/navigation.ts';
import { conversationNavigation } from '../conversations/navigation.ts';
import { homeNavigation } from '../home/navigation.ts';
import { keyNavigation } from '../keys/navigation.ts';
import { messagesNavigation } from '../messages/navigation.ts';
import { peopleNavigation } from '../people/navigation.ts';
import { groups, type NavigationItem } from '../routing/navigation.ts';
import { scheduledNavigation } from '../scheduled/navigation.ts';
import { hasOneOf, type Session } from '../session/session.ts';
import { simulatorNavigation } from '../simulator/navigation.ts';
import { templateNavigation } from '../templates/navigation.ts';
import { usageNavigation } from '../usage/navigation.ts';

/** In the order in which lists without headings have them. */
const all: readonly NavigationItem[] = [
  ...homeNavigation,
  ...composeNavigation,
  ...batchNavigation,
  ...templateNavigation,
  ...scheduledNavigation,
  ...simulatorNavigation,
  ...messagesNavigation,
  ...usageNavigation,
  ...conversationNavigation,
  ...peopleNavigation,
  ...keyNavigation,
];

export function navigationFor(session: Session): readonly NavigationItem[] {
  return all.filter(({ roles }) => hasOneOf(session, roles));
}

/** In the order of the questions; a group with nothing in it is left out. */
export function inGroups(items: readonly NavigationItem[]) {
  return groups
    .map((group) => ({ group, items: items.filter((item) => item.group === group) }))
    .filter(({ items }) => items.length > 0);
}
