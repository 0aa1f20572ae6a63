/**
 * Who sees what of a company, said once for all calls of the management API: an administrator whatever is the company's,
 * any other user what is its own. What is not visible is not found, be it another user's or another company's.
 */
import { ServiceError } from '../foundation/errors.ts';
import { quoted } from '../foundation/result.ts';
import type { Store } from '../storage/store.ts';
import { type Account, findAccountByUsername, isActive } from './account.ts';
import type { Caller } from './caller.ts';
import { requireRole } from './role.ts';

export interface Visibility {
  readonly companyId: number;
  /** Null: all users of the company. */
  readonly userId: number | null;
}

/** Of messages, batches and usage. */
export function visibilityOf(caller: Caller): Visibility {
  requireRole(caller, 'send', 'jobs', 'companyAdmin');
  const { companyId, userId, roles } = caller;
  return { companyId, userId: roles.has('companyAdmin') ? null : userId };
}

/** What of it is one user's. */
export async function ofUser(store: Store, visible: Visibility, username: string): Promise<Visibility> {
  const { companyId, userId } = visible;
  const account = await store.read(findAccountByUsername, username);
  const isVisible = account?.company.id === companyId && (userId === null || userId === account.user.id);
  if (account === undefined || !isVisible)
    throw new ServiceError('not_found', { sentence: 'hidden_user', user: quoted(username) });
  return { companyId, userId: account.user.id };
}

/** Whether it sees what is the user's: as that user, or as an administrator of the company. */
export function sees(
  account: Account,
  { companyId, userId }: { readonly companyId: number; readonly userId: number },
): boolean {
  const { user, company } = account;
  return (
    isActive(account) &&
    company.id === companyId &&
    (user.id === userId || user.roles.includes('companyAdmin'))
  );
}
