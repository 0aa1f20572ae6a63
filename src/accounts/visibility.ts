/**
 * Who sees what of a company, said once for all calls of the management API: an administrator whatever is the company's,
 * any other user what is its own. What is not visible is not found, be it another user's or another company's.
 */
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
