/** Lists the pages of all rooms and their navigation entries. Each room adds a line. */
import { alertPages, receiverPages } from '../alerts/routes.ts';
import { auditPages } from '../audit/routes.ts';
import { batchPages } from '../batches/routes.ts';
import { bookPages } from '../books/routes.ts';
import { companyPages } from '../company/routes.ts';
import { composePages } from '../compose/routes.ts';
import { conversationPages } from '../conversations/routes.ts';
import { emailPages } from '../email/routes.ts';
import { homePages } from '../home/routes.ts';
import { savedJobPages } from '../jobs/editing/routes.ts';
import { jobPages } from '../jobs/routes.ts';
import { keyPages } from '../keys/routes.ts';
import { messagePages } from '../messages/routes.ts';
import { networkPages } from '../network/routes.ts';
import { numberPages } from '../numbers/routes.ts';
import { operatorPages } from '../operator/routes.ts';
import { optOutPages } from '../opt-outs/routes.ts';
import { peoplePages } from '../people/routes.ts';
import { type GroupName, groups, type NavigationItem } from '../routing/page.ts';
import { scheduledPages } from '../scheduled/routes.ts';
import { sendingPages } from '../sendings/routes.ts';
import { hasOneOf, type Session } from '../session/session.ts';
import { simulatorPages } from '../simulator/routes.ts';
import { templatePages } from '../templates/routes.ts';
import { usagePages } from '../usage/routes.ts';
import { userPages } from '../users/routes.ts';
import { webhookPages } from '../webhooks/routes.ts';

/** The pages in navigation order. */
export const pages = [
  ...homePages,
  ...composePages,
  ...batchPages,
  ...templatePages,
  ...scheduledPages,
  ...jobPages,
  ...simulatorPages,
  ...sendingPages,
  ...alertPages,
  ...messagePages,
  ...usagePages,
  ...conversationPages,
  ...peoplePages,
  ...userPages,
  ...emailPages,
  ...companyPages,
  ...numberPages,
  ...bookPages,
  ...optOutPages,
  ...savedJobPages,
  ...receiverPages,
  ...webhookPages,
  ...auditPages,
  ...keyPages,
  ...operatorPages,
  ...networkPages,
] as const;

const all: readonly NavigationItem[] = pages.flatMap(({ options }) => options.staticData?.item ?? []);

/** A page in the navigation of one user, in the group that it has for that user. */
export type ShownItem = Omit<NavigationItem, 'group'> & { readonly group: GroupName };

export function navigationFor(session: Session): readonly ShownItem[] {
  return all
    .filter(({ roles, isOffered }) => hasOneOf(session, roles) && (isOffered?.(session) ?? true))
    .map((item) => shownTo(session, item));
}

function shownTo(session: Session, item: NavigationItem): ShownItem {
  const { group } = item;
  return { ...item, group: typeof group === 'function' ? group(session) : group };
}

/** The page of the navigation that a path belongs to: `/batches/new` is below `/batches`. */
export function itemAt(session: Session, path: string): ShownItem | undefined {
  const found = all
    .filter(({ to }) => path === to || path.startsWith(`${to}/`))
    .toSorted((a, b) => b.to.length - a.to.length)[0];
  return found && shownTo(session, found);
}

/** The groups whose pages are tabs of one page of their own. */
export const tabbed = { admin: '/admin', settings: '/account' } as const;

export function isTabbed(group: GroupName): group is keyof typeof tabbed {
  return group in tabbed;
}

/** Groups the items in the order of the questions; empty groups are left out. */
export function inGroups(items: readonly ShownItem[]) {
  return groups
    .map((group) => ({ group, items: items.filter((item) => item.group === group) }))
    .filter(({ items }) => items.length > 0);
}

/** The four pages in the bar of a phone. */
export function inBarFor(session: Session): readonly ShownItem[] {
  const rankOf = (item: ShownItem) => item.inBar?.rank ?? 0;
  const items = navigationFor(session)
    .filter(({ inBar }) => inBar !== undefined && hasOneOf(session, inBar.roles))
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  const staying = items.length > 4 ? items.filter(({ inBar }) => inBar?.givesWay !== true) : items;
  return staying.slice(0, 4);
}
