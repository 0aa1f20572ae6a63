/** What waits for the user to read it: counted beside the navigation, and listed on the front page, by the same calls. */
import { useRead } from '../api/queries.ts';
import { hasOneOf, useSession } from './session.ts';

/** Above this number, the exact number is not known. */
const mostCounted = 20;
const live = ['conversations', 'incoming'];

export function useUnread() {
  const enabled = hasOneOf(useSession(), ['send', 'jobs', 'companyAdmin']);
  return useRead(
    '/api/v1/conversations',
    { unread: true, mine: true, limit: mostCounted },
    { live, enabled },
  );
}

export function useUnclaimed() {
  const enabled = hasOneOf(useSession(), ['companyAdmin']);
  return useRead('/api/v1/unrouted', { limit: mostCounted }, { live, enabled });
}

/** The number of items of the first page of a list, with `next` if there are more. */
export function counted(items: readonly unknown[], next: string | undefined) {
  return { count: items.length, isMore: next !== undefined };
}
