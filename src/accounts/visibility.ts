/**
 * Rules for who may see which data of a company, defined once for all calls of the management API: an administrator sees
 * everything of the company, any other user only its own data. Anything else is reported as not found, whether it belongs to
 * another user or to another company.
 */
import { ServiceError } from '../foundation/errors.ts';
import { quoted } from '../foundation/result.ts';
import type { Store } from '../storage/store.ts';
import { type Account, findAccountByUsername, isActive } from './account.ts';
import type { Caller } from './caller.ts';
import { requireRole } from './role.ts';

export interface Visibility {
  readonly companyId: number;
  /** Null means all users of the company. */
  readonly userId: number | null;
}

/** The caller's visibility of messages, batches and usage. */
export function visibilityOf(caller: Caller): Visibility {
  requireRole(caller, 'send', 'jobs', 'companyAdmin');
  const { companyId, userId, roles } = caller;
  return { companyId, userId: roles.has('companyAdmin') ? null : userId };
}

/** Narrows the visibility to one user. */
export async function ofUser(store: Store, visible: Visibility, username: string): Promise<Visibility> {
  const { companyId, userId } = visible;
  const account = await store.read(findAccountByUsername, username);
  const isVisible = account?.company.id === companyId && (userId === null || userId === account.user.id);
  if (account === undefined || !isVisible)
    throw new ServiceError('not_found', { sentence: 'hidden_user', user: quoted(username) });
  return { companyId, userId: account.user.id };
}

/** Whether the account sees the user's data, as that user or as an administrator of the company. */
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
