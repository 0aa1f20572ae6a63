/**
 * Stores what a source reports: which alerts fire, which go on, which are resolved. What begins to fire waits for an incident.
 *
 *   ──firing──▶ FIRING, waits ──an incident takes it──▶ FIRING ──resolved──▶ RESOLVED ──firing──▶ FIRING, waits
 *                   └──resolved──▶ RESOLVED, and nobody is woken              │
 *                                             FIRING ◀──firing soon after, while its incident is open
 */
import { forUpdate, fromEach, oneOf, sql } from '../storage/sql.ts';
import {
  bigint,
  enumerated,
  flag,
  integer,
  json,
  type Kept,
  nullable,
  optional,
  StoredRecord,
  text,
} from '../storage/stored-record.ts';
import { inOrderOf, refusable, type Transaction, writeVerb } from '../storage/verb.ts';
import { isSilenced } from './acknowledgement.ts';
import { type AlertSource, alertSources, type ReceivedAlert } from './alert.ts';
import { type Incident, isUnheard, minuteMs, storedIncident } from './incident.ts';
import { type AcknowledgeSettings, maxFiring, type ReceiverSettings } from './receiver.ts';

export const alertStates = ['firing', 'resolved'] as const;

/** See `storage/alert-tables.ts`. */
export const storedAlert = new StoredRecord({
  companyId: bigint,
  receiverId: bigint,
  fingerprint: text,
  state: enumerated(alertStates),
  isWaiting: flag,
  incidentId: nullable(bigint),
  joinedAt: nullable(bigint),
  firedAt: bigint,
  place: integer,
  heardAt: bigint,
  times: integer,
  resolvedAt: nullable(bigint),
  alert: json<ReceivedAlert>(),
});

export type StoredAlert = Kept<typeof storedAlert>;

/** The most that one transaction stores. */
export const maxInSet = 1_000;
/** Alerts that are posted close together become one incident. */
const gatherMs = 1_000;
/** If the rest of a post doesn't come, its beginning becomes an incident after this time. */
const restMs = 30_000;
/** Where so many have been left out since the last incident, more are not counted. */
const maxLeftOut = 1_000_000;

export interface TakenSet {
  readonly companyId: number;
  readonly receiverId: number;
  readonly now: number;
  /** Each fingerprint once. */
  readonly alerts: readonly ReceivedAlert[];
  /** The place of the first of them in the post. */
  readonly place: number;
  /** Whether more of the post follows. */
  readonly hasMore: boolean;
  /** How many alerts were left out of the post. */
  readonly leftOut: number;
}

export interface Taken {
  /** Alerts that are stored: new, repeated, or resolved. */
  readonly accepted: number;
  /** What was resolved without having fired. */
  readonly ignored: number;
  /** How many began to fire beyond the most that are kept. */
  readonly leftOut: number;
  /** Whether there is something to do for incidents. */
  readonly hasNews: boolean;
}

interface TakingReceiver {
  readonly source: AlertSource;
  readonly acknowledge: AcknowledgeSettings | undefined;
  readonly settings: ReceiverSettings;
  readonly firing: number;
  readonly dueAt: number | null;
}

const takingReceiver = new StoredRecord({
  source: enumerated(alertSources),
  acknowledge: optional(json<AcknowledgeSettings>()),
  settings: json<ReceiverSettings>(),
  firing: integer,
  dueAt: nullable(bigint),
});

/** Null if the receiver is no longer there. */
export const takeAlerts = refusable(
  writeVerb<TakenSet, Taken | null>(
    'alerts.take',
    // The row of the receiver is locked before anything else of it, and receivers in the same order on all nodes.
    (transaction, inputs) =>
      inOrderOf(
        inputs,
        ({ receiverId }) => receiverId,
        (input) => take(transaction, input),
      ),
    ({ alerts }) => 5 + 2 * alerts.length,
  ),
);

async function take(transaction: Transaction, set: TakenSet): Promise<Taken | null> {
  const { companyId, receiverId, now, hasMore } = set;
  const receiver = await takingReceiver.first(transaction)`
    FROM alert_receivers WHERE id = ${receiverId} AND company_id = ${companyId} ${forUpdate}`;
  if (receiver === undefined) return null;
  const known = await knownAmong(transaction, set);
  const incidents = await incidentsOf(transaction, [...known.values()]);
  const change = new SetChange(set, receiver, known, incidents);
  for (const [index, alert] of set.alerts.entries()) change.add(alert, set.place + index);
  await putAlerts(transaction, change.rows);
  const hasEnded = await countFiring(transaction, change.firingOf, now);
  const waits = change.waiting > 0 || (receiver.dueAt !== null && !hasMore);
  // Never later than before: posts that follow each other without a pause would put off the waking without end.
  const dueAt = waits
    ? Math.min(receiver.dueAt ?? Infinity, now + (hasMore ? restMs : gatherMs))
    : receiver.dueAt;
  await transaction.run(
    sql`UPDATE alert_receivers SET firing = firing + ${change.firing}, due_at = ${dueAt},
          left_out = CASE WHEN left_out >= ${maxLeftOut} THEN left_out ELSE left_out + ${set.leftOut + change.leftOut} END
        WHERE id = ${receiverId}`,
  );
  const { accepted, ignored, leftOut } = change;
  return { accepted, ignored, leftOut, hasNews: waits || hasEnded };
}

async function knownAmong(
  transaction: Transaction,
  { companyId, receiverId, alerts }: TakenSet,
): Promise<ReadonlyMap<string, StoredAlert>> {
  const fingerprints = alerts.map(({ fingerprint }) => fingerprint);
  const found = await storedAlert.all(transaction)`
    FROM alerts WHERE company_id = ${companyId} AND receiver_id = ${receiverId}
      AND fingerprint ${oneOf('text', fingerprints)}`;
  return new Map(found.map((alert) => [alert.fingerprint, alert]));
}

async function incidentsOf(
  transaction: Transaction,
  alerts: readonly StoredAlert[],
): Promise<ReadonlyMap<number, Incident>> {
  const ids = [...new Set(alerts.flatMap(({ incidentId }) => incidentId ?? []))];
  const found = await storedIncident.all(transaction)`
    FROM incidents WHERE id ${oneOf('bigint', ids)}`;
  return new Map(found.map((incident) => [incident.id, incident]));
}

/** What a set of reports changes. */
class SetChange {
  readonly rows: StoredAlert[] = [];
  /** How many more alerts of an incident fire now than before. */
  readonly firingOf = new Map<number, number>();
  accepted = 0;
  ignored = 0;
  leftOut = 0;
  waiting = 0;
  /** How many more alerts of the receiver fire now than before. */
  firing = 0;
  readonly #set: TakenSet;
  readonly #receiver: TakingReceiver;
  readonly #known: ReadonlyMap<string, StoredAlert>;
  readonly #incidents: ReadonlyMap<number, Incident>;

  constructor(
    set: TakenSet,
    receiver: TakingReceiver,
    known: ReadonlyMap<string, StoredAlert>,
    incidents: ReadonlyMap<number, Incident>,
  ) {
    this.#set = set;
    this.#receiver = receiver;
    this.#known = known;
    this.#incidents = incidents;
  }

  add(alert: ReceivedAlert, place: number): void {
    const known = this.#known.get(alert.fingerprint);
    if (alert.state === 'resolved') this.#resolve(alert, known);
    else if (known?.state === 'firing') this.#repeat(alert, known);
    else this.#fire(alert, known, place);
  }

  #resolve(alert: ReceivedAlert, known: StoredAlert | undefined): void {
    if (known?.state !== 'firing') {
      this.ignored += 1;
      return;
    }
    const { now } = this.#set;
    this.#put({ ...known, state: 'resolved', resolvedAt: now, isWaiting: false, heardAt: now, alert });
    this.firing -= 1;
    this.#count(known.incidentId, -1);
  }

  #repeat(alert: ReceivedAlert, known: StoredAlert): void {
    const incident = this.#incidents.get(known.incidentId ?? 0);
    const isWaiting = known.isWaiting || incident === undefined || this.#isUnheard(incident);
    this.#put({ ...known, isWaiting, heardAt: this.#set.now, times: known.times + 1, alert });
    if (isWaiting) this.waiting += 1;
  }

  #fire(alert: ReceivedAlert, known: StoredAlert | undefined, place: number): void {
    const { companyId, receiverId, now } = this.#set;
    if (this.#receiver.firing + this.firing >= maxFiring) {
      this.leftOut += 1;
      return;
    }
    this.firing += 1;
    const fired = { state: 'firing', firedAt: now, place, heardAt: now, resolvedAt: null, alert } as const;
    const incident = this.#incidents.get(known?.incidentId ?? 0);
    if (known !== undefined && incident !== undefined && this.#isFlapping(known, incident)) {
      // Those who were woken know of it.
      this.#count(incident.id, 1);
      this.#put({ ...known, ...fired, times: known.times + 1, isWaiting: false });
      return;
    }
    this.waiting += 1;
    const { fingerprint } = alert;
    const times = 1 + (known?.times ?? 0);
    const waits = { isWaiting: true, incidentId: null, joinedAt: null };
    this.#put({ companyId, receiverId, fingerprint, times, ...fired, ...waits });
  }

  /** Whether an alert that fires again is still the matter that people were woken for. */
  #isFlapping({ resolvedAt }: StoredAlert, incident: Incident): boolean {
    if (incident.state !== 'opening' && incident.state !== 'open') return false;
    const quietMs = this.#set.now - (resolvedAt ?? 0);
    const flapsMs = Math.max(this.#receiver.settings.groupMinutes, 1) * minuteMs;
    return quietMs < flapsMs && !this.#isUnheard(incident);
  }

  #isUnheard(incident: Incident): boolean {
    const { source, acknowledge, settings } = this.#receiver;
    const silenceHours = isSilenced[source] ? acknowledge?.hours : undefined;
    return isUnheard(incident, { ...settings, silenceHours }, this.#set.now);
  }

  #put(alert: StoredAlert): void {
    this.accepted += 1;
    this.rows.push(alert);
  }

  #count(incidentId: number | null, more: number): void {
    if (incidentId !== null) this.firingOf.set(incidentId, (this.firingOf.get(incidentId) ?? 0) + more);
  }
}

const alertKey = ['company_id', 'receiver_id', 'fingerprint'];

async function putAlerts(transaction: Transaction, alerts: readonly StoredAlert[]): Promise<void> {
  await transaction.insert(
    'alerts',
    storedAlert.columns,
    alerts.map((alert) => storedAlert.row(alert)),
    `ON CONFLICT (${alertKey.join(', ')}) DO UPDATE SET ${storedAlert.assignments('excluded', alertKey)}`,
  );
}

/**
 * An incident of which nothing fires any more is due, unless a node works on it: that node sees the change when it is done. Returns
 * whether there is one.
 */
export async function countFiring(
  transaction: Transaction,
  firingOf: ReadonlyMap<number, number>,
  now: number,
): Promise<boolean> {
  const changed = [...firingOf].filter(([, more]) => more !== 0).sort(([one], [other]) => one - other);
  if (changed.length === 0) return false;
  const rows = changed.map(([id, more]) => [id, more, now]);
  const ended = await transaction.whichOfEach(
    { id: 'bigint', more: 'bigint', now: 'bigint' },
    rows,
    sql`UPDATE incidents SET firing = firing + each.more, version = version + 1,
          due_at = CASE WHEN state > 1 OR firing + each.more > 0 OR (attempts > 0 AND due_at IS NOT NULL)
            THEN due_at ELSE each.now END
        ${fromEach} WHERE incidents.id = each.id`,
  );
  return ended.length > 0;
}
