/** Why an administrator's act on a user is refused. */
import type { ErrorCode } from '../../foundation/errors.ts';
import { quoted } from '../../foundation/result.ts';
import type { Account } from '../account.ts';
import { managedError } from '../set-keys.ts';
import type { UserRecord } from '../user-records.ts';
import { type CompanyUser, keysOfChange, type UserChange, versionOf } from './company-user.ts';

export interface Refusal {
  readonly code: ErrorCode;
  readonly error: string;
  readonly field?: string;
}

/** By calls; an operator's file may have more. */
export const maxUsersOfCompany = 10_000;

export function faultOfVersion(before: CompanyUser, version: string | undefined): Refusal | undefined {
  if (version === undefined || version === versionOf(before)) return undefined;
  const { username } = before.user;
  const error = `Somebody else has changed the user ${username} meanwhile. Read it again, and decide anew. Nothing was changed.`;
  return { code: 'changed_meanwhile', error };
}

export function faultOfManaged(before: CompanyUser, change: UserChange): Refusal | undefined {
  const [key] = keysOfChange(change).filter((one) => before.managedKeys.includes(one));
  return key === undefined ? undefined : managedBy(before.user.username, key);
}

export function managedBy(username: string, key?: string): Refusal {
  const { code, message } = managedError(
    key === undefined ? `The user ${username}` : `${key} of the user ${username}`,
  );
  return { code, error: message };
}

/** A stolen session must not silence the mail that tells its user of it. */
export function faultOfOwnEmail(
  { userId, session }: { readonly userId: number; readonly session: object | undefined },
  before: Account['user'],
  after: UserRecord,
): Refusal | undefined {
  if (session === undefined || before.id !== userId || before.email === after.email) return undefined;
  const error =
    'Your own address is changed by a call with your password, or by another administrator. Nothing was changed.';
  return { code: 'own_email', error, field: 'email' };
}

/** What contradicts itself. */
export function faultOfSettings({ defaultSender, senders, limits }: UserRecord): Refusal | undefined {
  if (limits?.countries?.length === 0)
    return { code: 'invalid_value', error: 'Name at least one country, or clear them.', field: 'countries' };
  if (defaultSender === undefined || senders === undefined || senders.includes(defaultSender))
    return undefined;
  const error = `${quoted(defaultSender)} is not among the senders that the user may send from.`;
  return { code: 'sender_not_allowed', error, field: 'defaultsender' };
}

export const noAdministrator: Refusal = {
  code: 'role_missing',
  error: 'The account is no longer an administrator of the company.',
};
export const tooMany: Refusal = {
  code: 'too_many_users',
  error: `The company has ${maxUsersOfCompany} users, the most that calls can make. Remove some.`,
};
export const taken = (name: string) =>
  `There is a user ${quoted(name)} already, in this company or another. Choose another name.`;

export function unknownUser(id: number): Refusal {
  return { code: 'not_found', error: `The company has no user with the id ${id}.` };
}

export function inactive({ user }: Account): Refusal {
  return { code: 'too_late', error: `${user.username} is not active: nobody signs in as an inactive user.` };
}
