/**
 * Passes a message that its carrier refused to the next carrier of its routes, as long as a carrier is left that has
 * not refused it.
 */
import { timeIn } from '../../foundation/clock.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Context } from '../../storage/context.ts';
import { literal, sql } from '../../storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../storage/verb.ts';
import { charge, stage, status } from '../message.ts';
import type { Advance } from '../outcome.ts';
import { keepEvents } from '../timeline-store.ts';
import { refusalsOf, type WaitingMessage } from './reassignment.ts';

interface PassOnOptions extends Context {
  readonly routes: () => RoutingTable;
  /** Called when messages wait for a carrier. */
  readonly wake: (carrierId: number) => void;
}

interface RefusedClaim {
  readonly nodeId: number;
  readonly carrierId: number;
}

/**
 * Undefined when the message now waits for another carrier; otherwise its advance, such as the final status of the
 * refusal.
 */
export type PassOn = (end: Advance, at: RefusedClaim) => Promise<Advance | undefined>;

/** The pause after the store was unreachable; then this carrier gets the message again and refuses it again. */
const askAgainMs = 1_000;

export function passingOn({ store, clock, routes, wake }: PassOnOptions): PassOn {
  const pass: PassOn = async (end, { nodeId, carrierId }) => {
    const { companyId, id, attempts } = end;
    const refused = await store.read(readRefused, { companyId, id });
    if (refused === null || !refused.isWhole) return end;
    const refusedBy = new Set([...refused.refusedBy, carrierId]);
    const toCarrierId = routes().carrierAfter(refusedBy, refused.recipient, refused);
    if (toCarrierId === undefined) return end;
    const reason = end.reason ?? '';
    await store.write(passMessageOn, {
      companyId,
      id,
      nodeId,
      attempts,
      reason,
      toCarrierId,
      fromCarrierId: carrierId,
      now: clock.now(),
    });
    wake(toCarrierId);
    return undefined;
  };
  // If the message was passed on after all, the retry finds its claim ended and changes nothing.
  return (end, at) =>
    pass(end, at).catch(() => ({
      ...end,
      status: status.QUEUED,
      stage: stage.retrying,
      dueAt: timeIn(clock, askAgainMs),
    }));
}

type RefusedMessage = Pick<WaitingMessage, 'recipient' | 'sender' | 'username' | 'isWhole' | 'refusedBy'>;

export const readRefused = readVerb(
  'messages.readRefused',
  async (
    reading,
    { companyId, id }: { readonly companyId: number; readonly id: number },
  ): Promise<RefusedMessage | null> => {
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

interface PassOnInput {
  readonly companyId: number;
  readonly id: number;
  /** The claim that ends here: by this node and with this number of attempts. */
  readonly nodeId: number;
  readonly attempts: number;
  readonly fromCarrierId: number;
  readonly toCarrierId: number;
  readonly now: number;
  readonly reason: string;
}

/**
 * Makes the message wait for the next carrier, and keeps it from returning to this one. Only the node that holds the
 * claim may do so.
 */
export const passMessageOn = singleWriteVerb('messages.passOn', async (transaction, passing: PassOnInput) => {
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
  const event = { companyId, messageId: id, carrierId: fromCarrierId, toCarrierId, at: now, reason };
  await keepEvents(transaction, [{ ...event, ...claim, kind: 'passed on' }]);
  return true;
});
