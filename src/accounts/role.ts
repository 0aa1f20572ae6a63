/** The roles of accounts, and the one check that refuses a call when a role is missing. */
import { ServiceError } from '../foundation/errors.ts';

/**
 * `send`: messages and batches. `companyAdmin`: everything that belongs to the company, including its e-mail senders.
 * `emailAdmin`: only the list of e-mail senders. `jobs`: saved jobs.
 */
export const roles = ['send', 'companyAdmin', 'emailAdmin', 'jobs'] as const;

export type Role = (typeof roles)[number];

export function isRole(text: unknown): text is Role {
  return (roles as readonly unknown[]).includes(text);
}

interface RoleHolder {
  readonly username: string;
  readonly roles: ReadonlySet<Role>;
}

/** Passes if the holder has any one of the roles. */
export function requireRole(holder: RoleHolder, ...anyOf: readonly [Role, ...Role[]]): void {
  if (anyOf.some((role) => holder.roles.has(role))) return;
  throw new ServiceError('role_missing', {
    sentence: 'role_missing',
    roles: anyOf.join(', '),
    user: holder.username,
  });
}
