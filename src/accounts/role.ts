/** The roles of accounts, and the one check that refuses a call when a role is missing. */
import { ServiceError } from '../foundation/errors.ts';

/**
 * `send`: messages and batches. `companyAdmin`: everything of the company, the e-mail senders among it. `emailAdmin`:
 * the list of e-mail senders and nothing more. `jobs`: saved jobs.
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

/** Any one of the roles will do. */
export function requireRole(holder: RoleHolder, ...anyOf: readonly [Role, ...Role[]]): void {
  if (anyOf.some((role) => holder.roles.has(role))) return;
  throw new ServiceError(
    'role_missing',
    `This call needs the role ${anyOf.join(' or ')}, which the account ${holder.username} does not have. The operator gives roles in the provisioning file.`,
  );
}
