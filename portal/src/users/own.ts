/** The administrator's own account, which bounds what can be given to others. */
import { useRead } from '../api/queries.ts';
import { useSession } from '../session/session.ts';

export function useOwn() {
  return useRead('/api/v1/users', { name: useSession().username, limit: 1 }, { live: ['users'] });
}
