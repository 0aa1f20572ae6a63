/** Lists the pages of all rooms and their navigation entries. Each room adds a line. */
import { batchPages } from '../batches/routes.ts';
import { bookPages } from '../books/routes.ts';
import { companyPages } from '../company/routes.ts';
import { composePages } from '../compose/routes.ts';
import { conversationPages } from '../conversations/routes.ts';
import { homePages } from '../home/routes.ts';
import { keyPages } from '../keys/routes.ts';
import { messagePages } from '../messages/routes.ts';
import { numberPages } from '../numbers/routes.ts';
import { peoplePages } from '../people/routes.ts';
import { groups, type NavigationItem } from '../routing/page.ts';
import { scheduledPages } from '../scheduled/routes.ts';
import { hasOneOf, type Session } from '../session/session.ts';
import { simulatorPages } from '../simulator/routes.ts';
import { templatePages } from '../templates/routes.ts';
import { usagePages } from '../usage/routes.ts';

/** The pages in navigation order. */
export const pages = [
  ...homePages,
  ...composePages,
  ...batchPages,
  ...templatePages,
  ...scheduledPages,
  ...simulatorPages,
  ...messagePages,
  ...usagePages,
  ...conversationPages,
  ...peoplePages,
  ...companyPages,
  ...numberPages,
  ...bookPages,
  ...keyPages,
] as const;

const all: readonly NavigationItem[] = pages.flatMap(({ options }) => options.staticData?.item ?? []);

export function navigationFor(session: Session): readonly NavigationItem[] {
  return all.filter(({ roles }) => hasOneOf(session, roles));
}

/** Groups the items in the order of the questions; empty groups are left out. */
export function inGroups(items: readonly NavigationItem[]) {
  return groups
    .map((group) => ({ group, items: items.filter((item) => item.group === group) }))
    .filter(({ items }) => items.length > 0);
}
