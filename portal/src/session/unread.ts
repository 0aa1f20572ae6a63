/** The unread conversations of the user: counted beside the navigation, and listed on the front page, by the same call. */
import { useRead } from '../api/queries.ts';
import { hasOneOf, useSession } from './session.ts';

/** Above this number, the exact number is not known. */
const mostCounted = 20;

export function useUnread() {
  const enabled = hasOneOf(useSession(), ['send', 'jobs', 'companyAdmin']);
  const live = ['conversations', 'incoming'];
  return useRead(
    '/api/v1/conversations',
    { unread: true, mine: true, limit: mostCounted },
    { live, enabled },
  );
}
