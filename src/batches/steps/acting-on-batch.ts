/** What those who act on a batch share: it is found if they may see it, locked, and what they did is in the audit log. */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { type Visibility, visibilityOf } from '../../accounts/visibility.ts';
import { type Act, type ActingUser, byUser, operator, recordAct } from '../../audit/audit-log.ts';
import { ofAnyCompany } from '../../messages/every-company.ts';
import { byDialect, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import type { BatchCode } from '../batch.ts';

/** Who acts, and which batches there are for them. */
export interface BatchUser extends Visibility, ActingUser {}

/** Users act on their own, administrators on those of their company. */
export function actingUser(caller: Caller): BatchUser {
  requireRole(caller, 'send', 'companyAdmin');
  return { ...visibilityOf(caller), username: caller.username, session: caller.session };
}

export interface LockedBatch {
  readonly company_id: number;
  readonly id: number;
  readonly user_id: number;
  readonly code: BatchCode;
  readonly paused: number;
  readonly clearing: number;
  readonly expanded: number;
}

// Waits for a step of another node, which is short.
const forUpdate = byDialect({ sqlite: '', postgres: 'FOR UPDATE' });

/** Undefined: there is none that the user sees. Without a user, it is the operator who acts, on any. */
export async function lockBatch(
  transaction: Transaction,
  id: number,
  user: Visibility | undefined,
): Promise<LockedBatch | undefined> {
  // Via the companies, since the key of a batch begins with its company.
  const found =
    user ??
    (await transaction.first<{ companyId: number }>(
      sql`SELECT company_id AS "companyId" FROM batches
          WHERE company_id ${await ofAnyCompany(transaction)} AND id = ${id}`,
    ));
  if (found === undefined) return undefined;
  const batch = await transaction.first<LockedBatch>(
    sql`SELECT company_id, id, user_id, code, paused, clearing, expanded FROM batches
        WHERE company_id = ${found.companyId} AND id = ${id} AND code IS NOT NULL ${forUpdate}`,
  );
  const userId = user?.userId ?? null;
  return userId === null || userId === batch?.user_id ? batch : undefined;
}

interface BatchAct {
  readonly now: number;
  readonly user: BatchUser | undefined;
  readonly act: Act;
}

export async function recordBatchAct(
  transaction: Transaction,
  { company_id: companyId, id }: Pick<LockedBatch, 'company_id' | 'id'>,
  { now: at, user, act }: BatchAct,
): Promise<void> {
  const by = user === undefined ? operator : byUser(user);
  await recordAct(transaction, { companyId, at, by, act, object: String(id) });
}
