/** The acknowledgements that wait for their sources: which are due, and what became of each try. */
import { amongUnlocked, oneOf, raw, sql } from '../storage/sql.ts';
import { bigint, integer, json, type Kept, StoredRecord } from '../storage/stored-record.ts';
import { readVerb, singleWriteVerb } from '../storage/verb.ts';
import type { AcknowledgementRequest } from './acknowledgement.ts';
import { type AcknowledgeSettings, receiversById } from './receiver.ts';

/** As stored. */
const stateCodes = { waiting: 0, done: 1, failed: 2 } as const;

const storedAcknowledgement = new StoredRecord({
  id: bigint,
  companyId: bigint,
  receiverId: bigint,
  incidentId: bigint,
  request: json<AcknowledgementRequest>(),
  /** With the one that the claim is for. */
  attempts: integer,
  createdAt: bigint,
});

export interface ClaimedAcknowledgement extends Kept<typeof storedAcknowledgement> {
  /** The name of the receiver. */
  readonly receiver: string;
  /** Where it goes, as the receiver says now. Null if the receiver is gone, or no longer tells its source. */
  readonly target: AcknowledgeSettings | null;
}

/** When the next acknowledgement is due; null if none waits. */
export const nextAcknowledgementAt = readVerb(
  'alerts.nextAcknowledgementAt',
  async (reading, _: null): Promise<number | null> => {
    const [first] = await reading.all<{ due_at: number }>(
      sql`SELECT due_at FROM alert_acknowledgements WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1`,
    );
    return first?.due_at ?? null;
  },
);

interface Claim {
  readonly now: number;
  /** Another node, or this one after a crash, tries again what has no outcome by then. */
  readonly until: number;
  /** Receivers whose acknowledgements are being sent. */
  readonly busy: readonly number[];
  readonly limit: number;
}

/**
 * Claims the acknowledgements that have been due for longest. A claim counts as an attempt, so that a try after a crash knows that
 * there may have been one before.
 */
export const claimAcknowledgements = singleWriteVerb(
  'alerts.claimAcknowledgements',
  async (transaction, { now, until, busy, limit }: Claim): Promise<readonly ClaimedAcknowledgement[]> => {
    const isFree = busy.length === 0 ? sql`` : sql`AND NOT (receiver_id ${oneOf('bigint', busy)})`;
    const due = sql`alert_acknowledgements WHERE due_at <= ${now} ${isFree} ORDER BY due_at LIMIT ${limit}`;
    const rows = await transaction.all<object>(
      sql`UPDATE alert_acknowledgements SET due_at = ${until}, attempts = attempts + 1
          WHERE ${amongUnlocked('id', due)} RETURNING ${raw(storedAcknowledgement.names())}`,
    );
    const claimed = rows.map((row) => storedAcknowledgement.read(row));
    const ids = new Set(claimed.map(({ receiverId }) => receiverId));
    const receivers = await receiversById(transaction, [...ids]);
    return claimed
      .toSorted((one, other) => one.id - other.id)
      .map((row) => {
        const { name = '', acknowledge = null } = receivers.get(row.receiverId) ?? {};
        return { ...row, receiver: name, target: acknowledge };
      });
  },
  ({ limit }) => limit,
);

export interface AcknowledgementOutcome {
  readonly id: number;
  readonly state: keyof typeof stateCodes;
  /** The next try of one that waits. */
  readonly dueAt: number;
  /** What the source answered, such as the id of a silence. */
  readonly result: string | null;
  readonly reason: string | null;
  readonly now: number;
  /** Claimed for the same source, and not tried since the source can't be reached: they wait as long. */
  readonly putOff: readonly number[];
}

export const recordAcknowledgement = singleWriteVerb(
  'alerts.recordAcknowledgement',
  async (
    transaction,
    { id, state, dueAt, result, reason, now, putOff }: AcknowledgementOutcome,
  ): Promise<null> => {
    const isOver = state !== 'waiting';
    await transaction.run(
      sql`UPDATE alert_acknowledgements SET state = ${stateCodes[state]},
            due_at = ${isOver ? null : dueAt}, ended_at = ${isOver ? now : null}, result = ${result}, reason = ${reason}
          WHERE id = ${id} AND due_at IS NOT NULL`,
    );
    if (putOff.length > 0)
      await transaction.run(
        sql`UPDATE alert_acknowledgements SET due_at = ${dueAt}, attempts = attempts - 1
            WHERE id ${oneOf('bigint', putOff)} AND due_at IS NOT NULL`,
      );
    return null;
  },
  ({ putOff }) => 1 + putOff.length,
);
