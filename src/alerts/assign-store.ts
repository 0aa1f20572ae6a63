/** Gives alerts that wait to an incident of their receiver: one that takes more, or a new one. */
import { ServiceError } from '../foundation/errors.ts';
import type { Context } from '../storage/context.ts';
import { leaseBlock } from '../storage/ids.ts';
import { forUpdate, fromEach, literal, skipLocked, sql } from '../storage/sql.ts';
import { bigint, integer, json, StoredRecord, text } from '../storage/stored-record.ts';
import { singleWriteVerb, type Transaction } from '../storage/verb.ts';
import {
  hourMs,
  type Incident,
  type IncidentAction,
  maxPerHour,
  storedIncident,
  takesMore,
  tellAt,
} from './incident.ts';
import type { ReceiverSettings } from './receiver.ts';
import { maxInSet, type StoredAlert, storedAlert } from './take-store.ts';

const dueReceiver = new StoredRecord({
  id: bigint,
  companyId: bigint,
  name: text,
  userId: bigint,
  settings: json<ReceiverSettings>(),
  leftOut: integer,
});

type DueReceiver = {
  readonly id: number;
  readonly companyId: number;
  readonly name: string;
  readonly userId: number;
  readonly settings: ReceiverSettings;
  readonly leftOut: number;
};

/** What became of the alerts of one receiver. */
export type Assigned =
  | { readonly kind: 'nothing' }
  /** `hasMore`: more alerts wait. */
  | {
      readonly kind: 'assigned';
      readonly incidentId: number;
      readonly companyId: number;
      readonly hasMore: boolean;
    }
  | { readonly kind: 'resolved' }
  /** The receiver has had too many incidents within an hour. */
  | { readonly kind: 'waits'; readonly receiver: string; readonly until: number };

/** A node that stops while it assigns a storm leaves the incident to others after this time. */
const restMs = 30_000;

export interface Assigning {
  readonly now: number;
  /** How many of the receivers that are due are left out, because their alerts could not be given to an incident. */
  readonly failed: number;
}

/** For one receiver that is due, of which nodes that call at the same time get different ones. */
export const assignAlerts = singleWriteVerb(
  'alerts.assign',
  async (transaction, { now, failed }: Assigning): Promise<Assigned> => {
    const receiver = await dueReceiver.first(transaction)`
      FROM alert_receivers WHERE due_at <= ${now} ORDER BY due_at LIMIT 1 OFFSET ${failed} ${skipLocked}`;
    if (receiver === undefined) return { kind: 'nothing' };
    const waiting = await storedAlert.all(transaction)`
      FROM alerts WHERE receiver_id = ${receiver.id} AND is_waiting = 1
      ORDER BY fired_at, place LIMIT ${literal(maxInSet + 1)}`;
    const set = waiting.slice(0, maxInSet);
    if (set.length === 0) {
      await setDue(transaction, receiver, null);
      return { kind: 'resolved' };
    }
    const latest = await storedIncident.all(transaction)`
      FROM incidents WHERE receiver_id = ${receiver.id} ORDER BY id DESC LIMIT ${literal(maxPerHour)}`;
    const joined = await lockIfTaking(transaction, receiver, latest[0], now);
    const oldest = latest[maxPerHour - 1];
    if (joined === undefined && oldest !== undefined && now - oldest.openedAt < hourMs) {
      // A clock that was set back must not make alerts wait for longer.
      const until = Math.min(oldest.openedAt, now) + hourMs;
      await setDue(transaction, receiver, until);
      return { kind: 'waits', receiver: receiver.name, until };
    }
    const hasMore = waiting.length > maxInSet;
    const incidentId =
      joined === undefined
        ? await open(transaction, receiver, { set, hasMore, now })
        : await join(transaction, receiver, joined, { set, hasMore, now });
    await leaveOthers(transaction, set, now);
    await give(transaction, set, incidentId, now);
    await setDue(transaction, receiver, hasMore ? now : null);
    return { kind: 'assigned', incidentId, companyId: receiver.companyId, hasMore };
  },
  () => 3 * maxInSet,
);

/** So many receivers whose alerts can't be given to an incident hold up no other. */
const maxFailed = 20;

/** For all receivers that are due. Those that fail are tried again the next time. */
export async function assignWaiting(
  { store, clock }: Context,
  signal: AbortSignal,
  went: (assigned: Assigned) => void,
  failing: (error: unknown) => void,
): Promise<void> {
  let failed = 0;
  while (!signal.aborted) {
    try {
      const assigned = await store.write(assignAlerts, { now: clock.now(), failed });
      if (assigned.kind === 'nothing') return;
      went(assigned);
    } catch (error) {
      failing(error);
      const isStoreAway = error instanceof ServiceError && error.code === 'store_unavailable';
      failed += 1;
      if (isStoreAway || failed > maxFailed) return;
    }
  }
}

/**
 * The newest incident if it takes more. It is locked, since nodes that work on incidents don't lock the receiver: alerts that join
 * while people are being woken would be told to nobody.
 */
async function lockIfTaking(
  transaction: Transaction,
  { settings: { groupMinutes } }: DueReceiver,
  newest: Incident | undefined,
  now: number,
): Promise<Incident | undefined> {
  if (newest === undefined || !takesMore(newest, groupMinutes, now)) return undefined;
  const locked = await storedIncident.first(transaction)`
    FROM incidents WHERE id = ${newest.id} ${forUpdate}`;
  return locked !== undefined && takesMore(locked, groupMinutes, now) ? locked : undefined;
}

async function setDue(transaction: Transaction, { id }: DueReceiver, dueAt: number | null): Promise<void> {
  await transaction.run(sql`UPDATE alert_receivers SET due_at = ${dueAt} WHERE id = ${id}`);
}

async function give(
  transaction: Transaction,
  set: readonly StoredAlert[],
  incidentId: number,
  now: number,
): Promise<void> {
  await transaction.each(
    {
      company_id: 'bigint',
      receiver_id: 'bigint',
      fingerprint: 'text',
      incident_id: 'bigint',
      now: 'bigint',
    },
    set.map(({ companyId, receiverId, fingerprint }) => [
      companyId,
      receiverId,
      fingerprint,
      incidentId,
      now,
    ]),
    sql`UPDATE alerts SET is_waiting = 0, incident_id = each.incident_id, joined_at = each.now ${fromEach}
        WHERE alerts.company_id = each.company_id AND alerts.receiver_id = each.receiver_id
          AND alerts.fingerprint = each.fingerprint`,
  );
}

interface TakenAlerts {
  readonly set: readonly StoredAlert[];
  readonly hasMore: boolean;
  readonly now: number;
}

/** People are woken when all that waits has joined. */
async function open(
  transaction: Transaction,
  { id: receiverId, companyId, name, userId, settings, leftOut }: DueReceiver,
  { set, hasMore, now }: TakenAlerts,
): Promise<number> {
  const id = await leaseBlock(transaction, { kind: { name: 'incident', first: 1_001 }, size: 1 });
  const { start, send } = settings;
  const action: IncidentAction =
    start === undefined ? { send: send ?? { numbers: [], groups: [] } } : { start };
  const { alert: first } = set[0] as StoredAlert;
  const incident: Incident = {
    id,
    companyId,
    receiverId,
    receiver: name,
    userId,
    state: 'opening',
    version: 1,
    dueAt: hasMore ? now + restMs : now,
    title: first.title,
    first,
    action,
    message: '',
    openedAt: now,
    grownAt: now,
    endedAt: null,
    endedBy: null,
    alerts: set.length,
    firing: set.length,
    leftOut,
    untold: 0,
    untoldAt: null,
    toldAt: null,
    runId: null,
    runVersion: 0,
    runEnded: false,
    messageId: null,
    messages: 0,
    acknowledgedAt: null,
    acknowledgedBy: null,
    silencedAt: null,
    attempts: 0,
    reason: null,
  };
  await transaction.insert('incidents', storedIncident.columns, [storedIncident.row(incident)]);
  await transaction.run(sql`UPDATE alert_receivers SET left_out = 0 WHERE id = ${receiverId}`);
  return id;
}

/** Alerts that join before people are woken are told with the others. The incident is locked. */
async function join(
  transaction: Transaction,
  { settings }: DueReceiver,
  incident: Incident,
  { set, hasMore, now }: TakenAlerts,
): Promise<number> {
  const { id, toldAt, attempts } = incident;
  const isOpening = incident.state === 'opening' && attempts === 0;
  const untold = isOpening ? 0 : incident.untold + set.length;
  const untoldAt = untold === 0 ? null : (incident.untoldAt ?? now);
  const openAt = hasMore ? now + restMs : now;
  const moreAt = tellAt({ untold, untoldAt, toldAt }, settings.groupMinutes) ?? Infinity;
  const dueBefore = incident.dueAt ?? Infinity;
  // Nobody else may take an incident from a node that works on it, which sees the change when it is done.
  const isClaimed = attempts > 0 && incident.dueAt !== null;
  const dueAt = isOpening ? openAt : isClaimed ? dueBefore : Math.min(dueBefore, moreAt);
  await transaction.run(
    sql`UPDATE incidents SET alerts = alerts + ${set.length}, firing = firing + ${set.length}, untold = ${untold},
          untold_at = ${untoldAt}, grown_at = ${now}, version = version + 1, due_at = ${dueAt}
        WHERE id = ${id}`,
  );
  return id;
}

/** Alerts that people are woken for again leave the incident that nobody heard. */
async function leaveOthers(
  transaction: Transaction,
  set: readonly StoredAlert[],
  now: number,
): Promise<void> {
  const left = new Map<number, number>();
  for (const { incidentId: from } of set) if (from !== null) left.set(from, 1 + (left.get(from) ?? 0));
  await leaveIncidents(transaction, left, now);
}

/**
 * Takes alerts out of incidents. One of which nothing fires any more is over, and nobody is told; a run that goes on for it is
 * called off at the next look at it.
 */
export async function leaveIncidents(
  transaction: Transaction,
  left: ReadonlyMap<number, number>,
  now: number,
): Promise<void> {
  await transaction.each(
    { id: 'bigint', fewer: 'bigint', now: 'bigint' },
    [...left].map(([id, fewer]) => [id, fewer, now]),
    sql`UPDATE incidents SET firing = firing - each.fewer, version = version + 1,
          state = CASE WHEN firing > each.fewer OR state > 1 THEN state ELSE 2 END,
          ended_at = CASE WHEN firing > each.fewer OR state > 1 THEN ended_at ELSE each.now END,
          due_at = CASE WHEN firing > each.fewer OR state > 1 THEN due_at
            WHEN state = 0 OR (run_id IS NOT NULL AND run_ended = 0) THEN each.now END
        ${fromEach} WHERE incidents.id = each.id`,
  );
}
