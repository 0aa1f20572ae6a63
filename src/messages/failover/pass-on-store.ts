/** A message that its carrier would not have, and its way to the next one. */
import { literal, sql } from '../../storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../storage/verb.ts';
import { charge, stage } from '../message.ts';
import { keepEvents } from '../timeline-store.ts';
import { refusalsOf } from './store.ts';

export interface Refused {
  readonly recipient: string;
  readonly sender: string;
  /** Empty: the user is no more. */
  readonly username: string;
  /** No carrier has any of it, and none may have. */
  readonly isWhole: boolean;
  /** Carriers that passed it on before. */
  readonly refusedBy: readonly number[];
}

export const readRefused = readVerb(
  'messages.readRefused',
  async (
    reading,
    { companyId, id }: { readonly companyId: number; readonly id: number },
  ): Promise<Refused | null> => {
    const row = await reading.first<{ recipient: string; sender: string; username: string; whole: number }>(
      sql`SELECT messages.recipient, messages.sender, COALESCE(users.username, '') AS username,
            CASE WHEN messages.charge = ${literal(charge.reserved)} AND messages.in_doubt = 0 THEN 1 ELSE 0 END AS whole
          FROM messages LEFT JOIN users ON users.id = messages.user_id
          WHERE messages.company_id = ${companyId} AND messages.id = ${id}`,
    );
    if (row === undefined) return null;
    const refusals = await refusalsOf(reading, [[companyId, id]]);
    const { recipient, sender, username, whole } = row;
    return { recipient, sender, username, isWhole: whole === 1, refusedBy: refusals.get(id) ?? [] };
  },
);

export interface PassingOn {
  readonly companyId: number;
  readonly id: number;
  /** The claim that this is the end of: that node's, by its number. */
  readonly nodeId: number;
  readonly attempts: number;
  readonly fromCarrierId: number;
  readonly toCarrierId: number;
  readonly now: number;
  readonly reason: string;
}

/** It waits for the next carrier, and is kept from coming back. Only the node that holds the claim may do so. */
export const passMessageOn = singleWriteVerb('messages.passOn', async (transaction, passing: PassingOn) => {
  const { companyId, id, nodeId, attempts, fromCarrierId, toCarrierId, now, reason } = passing;
  const moved = await transaction.first<{ claimed_at: number }>(
    sql`UPDATE messages SET carrier_id = ${toCarrierId}, stage = ${stage.waiting}, node_id = NULL, reason = ${reason},
          claimed_at = due_at
        WHERE company_id = ${companyId} AND id = ${id} AND stage = ${literal(stage.inFlight)}
          AND carrier_id = ${fromCarrierId} AND node_id = ${nodeId} AND attempts = ${attempts}
        RETURNING claimed_at`,
  );
  if (moved === undefined) return false;
  await transaction.run(
    sql`INSERT INTO message_refusals (company_id, message_id, carrier_id, refused_at, reason)
        VALUES (${companyId}, ${id}, ${fromCarrierId}, ${now}, ${reason}) ON CONFLICT DO NOTHING`,
  );
  const claim = { nodeId, attempt: attempts, claimedAt: moved.claimed_at };
  const told = { companyId, messageId: id, carrierId: fromCarrierId, toCarrierId, at: now, reason };
  await keepEvents(transaction, [{ ...told, ...claim, kind: 'passed on' }]);
  return true;
});
