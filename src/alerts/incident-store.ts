/** What happens to incidents: who works on one, what became of it, and what their runs have come to. */
import { type AuditEntry, recordAct } from '../audit/audit-log.ts';
import { type RunProgress, readProgress } from '../jobs/followed-run.ts';
import { leaseBlock } from '../storage/ids.ts';
import { amongUnlocked, forUpdate, literal, type Sql, sql } from '../storage/sql.ts';
import { readVerb, refusable, singleWriteVerb, snapshotVerb, type Transaction } from '../storage/verb.ts';
import { leaveIncidents } from './assign-store.ts';
import { hourMs, type Incident, type IncidentState, storedIncident } from './incident.ts';
import { type FoundReceiver, receiversById } from './receiver.ts';
import { maxInSet, type StoredAlert, storedAlert } from './take-store.ts';

/** For so long, no other node works on an incident. */
const leaseMs = 60_000;
const maxClaimed = 20;

export interface ClaimedIncident {
  readonly incident: Incident;
  /** Undefined if it has been removed. */
  readonly receiver: FoundReceiver | undefined;
}

/** Incidents that are due, for one node alone. */
export const claimIncidents = singleWriteVerb(
  'alerts.claimIncidents',
  async (transaction, now: number): Promise<readonly ClaimedIncident[]> => {
    const due = sql`incidents WHERE due_at <= ${now} ORDER BY due_at LIMIT ${literal(maxClaimed)}`;
    const rows = await transaction.all<object>(
      sql`UPDATE incidents SET due_at = ${now + leaseMs}, attempts = attempts + 1
          WHERE ${amongUnlocked('id', due)} RETURNING *`,
    );
    const incidents = rows.map((row) => storedIncident.read(row));
    const receivers = await receiversById(
      transaction,
      incidents.map(({ receiverId }) => receiverId),
    );
    return incidents.map((incident) => ({ incident, receiver: receivers.get(incident.receiverId) }));
  },
  () => maxClaimed,
);

/** What a step of an incident has come to. Fields that are absent stay. */
export interface IncidentChange {
  readonly incident: Pick<Incident, 'id' | 'receiverId' | 'version' | 'grownAt'>;
  readonly now: number;
  /** When there is something to do again, unless the incident has changed meanwhile: then at once. */
  readonly dueAt: number | null;
  readonly state?: IncidentState;
  readonly reason?: string | null;
  readonly message?: string;
  readonly runId?: number;
  readonly messageId?: number;
  readonly messages?: number;
  /** How many more alerts people have been told of. */
  readonly told?: number;
  /** Whether the step did what it was for; otherwise it counts as another try. */
  readonly isDone: boolean;
}

/** Keeps what a step has done, whatever has happened meanwhile. Returns whether there is more to do at once. */
export const keepIncident = singleWriteVerb(
  'alerts.keepIncident',
  async (transaction, change: IncidentChange): Promise<boolean> => {
    const { incident, now, state, told = 0 } = change;
    const hasReceiver = await lockReceiver(transaction, incident.receiverId);
    const before = await storedIncident.first(transaction)`
      FROM incidents WHERE id = ${incident.id} ${forUpdate}`;
    if (before === undefined) return false;
    const isOver = state === 'ended' || state === 'failed';
    // Somebody may end an incident while it fails: it then ends at the next look at it.
    const isDone = state === 'ended' || (state === 'failed' && before.endedBy === null);
    const untold = Math.max(0, before.untold - told);
    const after: Incident = {
      ...before,
      version: before.version + 1,
      state: state ?? before.state,
      endedAt: isOver ? now : before.endedAt,
      reason: change.reason === undefined ? before.reason : change.reason,
      message: change.message ?? before.message,
      runId: change.runId ?? before.runId,
      messageId: change.messageId ?? before.messageId,
      messages: change.messages ?? before.messages,
      untold,
      // The others joined after those that the step knew of.
      untoldAt: untold === 0 ? null : told > 0 ? incident.grownAt + 1 : before.untoldAt,
      toldAt: told > 0 || change.message !== undefined ? now : before.toldAt,
      attempts: change.isDone ? 0 : before.attempts,
      dueAt: isDone ? null : before.version === incident.version ? change.dueAt : now,
    };
    await putIncident(transaction, after);
    const wakes =
      hasReceiver &&
      after.state === 'ended' &&
      before.firing > 0 &&
      (await wakeAgain(transaction, after, now));
    return wakes || (after.dueAt !== null && after.dueAt <= now);
  },
);

/** What is locked first of everything that belongs to a receiver. False if it has been removed. */
async function lockReceiver(transaction: Transaction, receiverId: number): Promise<boolean> {
  const found = await transaction.first(
    sql`SELECT id FROM alert_receivers WHERE id = ${receiverId} ${forUpdate}`,
  );
  return found !== undefined;
}

async function putIncident(transaction: Transaction, incident: Incident): Promise<void> {
  await transaction.insert(
    'incidents',
    storedIncident.columns,
    [storedIncident.row(incident)],
    `ON CONFLICT (id) DO UPDATE SET ${storedIncident.assignments('excluded', ['id'])}`,
  );
}

/** Alerts that fired again while people were told that all is over are a new matter. More than a set takes several looks. */
async function wakeAgain(
  transaction: Transaction,
  { id, receiverId }: Incident,
  now: number,
): Promise<boolean> {
  const woken = await transaction.run(
    sql`UPDATE alerts SET is_waiting = 1, incident_id = NULL, joined_at = NULL
        WHERE ${amongUnlocked('company_id, receiver_id, fingerprint', firingOf(id))}`,
  );
  if (woken === 0) return false;
  const next = woken === maxInSet ? now : null;
  await transaction.run(
    sql`UPDATE incidents SET firing = firing - ${woken}, due_at = ${next} WHERE id = ${id}`,
  );
  await transaction.run(
    sql`UPDATE alert_receivers SET due_at = ${now} WHERE id = ${receiverId} AND (due_at IS NULL OR due_at > ${now})`,
  );
  return true;
}

/** Written otherwise, PostgreSQL without statistics takes the index of all alerts that fire (`state = 0`). */
function firingOf(incidentId: number): Sql {
  return sql`alerts WHERE incident_id = ${incidentId} AND state < 1 ORDER BY joined_at, place LIMIT ${literal(maxInSet)}`;
}

/** The first alerts that have joined an incident at a time or later, in the order in which they came. */
export const readAlertsOf = readVerb(
  'alerts.readAlertsOf',
  async (
    reading,
    {
      incidentId,
      since,
      limit,
    }: { readonly incidentId: number; readonly since: number; readonly limit: number },
  ): Promise<readonly StoredAlert[]> =>
    storedAlert.all(reading)`
      FROM alerts WHERE incident_id = ${incidentId} AND joined_at >= ${since}
      ORDER BY joined_at, place LIMIT ${limit}`,
);

/** Where an alert stands among those of its incident, in the order in which they came. */
export interface PlaceInIncident {
  readonly joinedAt: number;
  readonly place: number;
  readonly fingerprint: string;
}

/** The next alerts of an incident that fire. */
export const readFiringOf = readVerb(
  'alerts.readFiringOf',
  async (
    reading,
    {
      incidentId,
      after: { joinedAt, place, fingerprint },
      limit,
    }: { readonly incidentId: number; readonly after: PlaceInIncident; readonly limit: number },
  ): Promise<readonly StoredAlert[]> =>
    storedAlert.all(reading)`
      FROM alerts WHERE incident_id = ${incidentId} AND state < 1
        AND (joined_at, place, fingerprint) > (${joinedAt}, ${place}, ${fingerprint})
      ORDER BY joined_at, place, fingerprint LIMIT ${limit}`,
);

/**
 * Counts the alerts of an incident as resolved, since somebody has ended it. Returns how many: fewer than a set if none is left.
 */
export const resolveAlertsOf = singleWriteVerb(
  'alerts.resolveOf',
  async (
    transaction,
    {
      incident: { id, receiverId },
      now,
    }: { readonly incident: Pick<Incident, 'id' | 'receiverId'>; readonly now: number },
  ): Promise<number> => {
    await lockReceiver(transaction, receiverId);
    const resolved = await transaction.run(
      sql`UPDATE alerts SET state = 1, is_waiting = 0, resolved_at = ${now}
          WHERE ${amongUnlocked('company_id, receiver_id, fingerprint', firingOf(id))}`,
    );
    await transaction.run(sql`UPDATE incidents SET firing = firing - ${resolved} WHERE id = ${id}`);
    await transaction.run(
      sql`UPDATE alert_receivers SET firing = firing - ${resolved} WHERE id = ${receiverId}`,
    );
    return resolved;
  },
  () => maxInSet,
);

export interface IncidentEnd {
  readonly id: number;
  readonly now: number;
  readonly audited: AuditEntry;
}

/** Has an incident end. Returns false if it has ended before. */
export const endIncident = refusable(
  singleWriteVerb(
    'alerts.endIncident',
    async (transaction, { id, now, audited }: IncidentEnd): Promise<boolean> => {
      const ended = await transaction.run(
        sql`UPDATE incidents SET ended_by = ${audited.by.username}, due_at = ${now}, version = version + 1
          WHERE id = ${id} AND state <> 2 AND ended_by IS NULL`,
      );
      if (ended > 0) await recordAct(transaction, audited);
      return ended > 0;
    },
  ),
);

/** A run that has gone on since its incident was last looked at. */
export interface ChangedRun {
  readonly incident: Incident;
  readonly receiver: FoundReceiver | undefined;
  /** Null if it is no longer there. */
  readonly run: RunProgress | null;
}

const maxWatched = 500;

/** Looks through some of the incidents whose runs go on. `next`: after which incident to look next time. */
export const listChangedRuns = snapshotVerb(
  'alerts.listChangedRuns',
  async (
    reading,
    after: number,
  ): Promise<{ readonly changed: readonly ChangedRun[]; readonly next: number }> => {
    const watched = await storedIncident.all(reading)`
      FROM incidents WHERE state = 1 AND run_id IS NOT NULL AND run_ended = 0 AND id > ${after}
      ORDER BY id LIMIT ${literal(maxWatched)}`;
    const runs = await readProgress(
      reading,
      watched.map(({ runId }) => runId as number),
    );
    const moved = watched.filter(
      ({ runId, runVersion }) => runs.get(runId as number)?.version !== runVersion,
    );
    const receivers = await receiversById(
      reading,
      moved.map(({ receiverId }) => receiverId),
    );
    const changed = moved.map((incident) => ({
      incident,
      receiver: receivers.get(incident.receiverId),
      run: runs.get(incident.runId as number) ?? null,
    }));
    return { changed, next: watched.length < maxWatched ? 0 : (watched.at(-1) as Incident).id };
  },
);

/** What a source is told, as `acknowledgement` makes it: JSON without secrets. */
export interface QueuedAcknowledgements {
  readonly requests: readonly object[];
  /** When the last of the alerts that are acknowledged joined. */
  readonly silencedAt: number;
}

export interface RunNews {
  readonly incident: Pick<Incident, 'id' | 'companyId' | 'receiverId'>;
  readonly now: number;
  readonly runVersion: number;
  readonly isEnded: boolean;
  /** Who has taken care, if anybody has. */
  readonly acknowledged: (QueuedAcknowledgements & { readonly by: string }) | null;
}

/** Keeps what has become of an incident's run. Only the first who takes care is told to the source. */
export const noteRun = singleWriteVerb(
  'alerts.noteRun',
  async (transaction, { incident, now, runVersion, isEnded, acknowledged }: RunNews): Promise<void> => {
    await lockReceiver(transaction, incident.receiverId);
    await transaction.run(
      sql`UPDATE incidents SET run_version = ${runVersion}, run_ended = ${isEnded ? 1 : 0}, version = version + 1
          WHERE id = ${incident.id}`,
    );
    if (acknowledged === null) return;
    const { by, silencedAt } = acknowledged;
    const first = await transaction.run(
      sql`UPDATE incidents SET acknowledged_at = ${now}, acknowledged_by = ${by}, silenced_at = ${silencedAt},
            due_at = ${now} WHERE id = ${incident.id} AND acknowledged_at IS NULL AND state < 2`,
    );
    if (first > 0) await queue(transaction, incident, acknowledged, now);
  },
  () => 60,
);

/** Acknowledges alerts that have joined an acknowledged incident, unless another node has. */
export const acknowledgeMore = singleWriteVerb(
  'alerts.acknowledgeMore',
  async (
    transaction,
    {
      incident,
      now,
      ...queued
    }: QueuedAcknowledgements & { readonly incident: Incident; readonly now: number },
  ): Promise<void> => {
    const isFirst = await transaction.run(
      sql`UPDATE incidents SET silenced_at = ${queued.silencedAt}
          WHERE id = ${incident.id} AND silenced_at = ${incident.silencedAt}`,
    );
    if (isFirst > 0) await queue(transaction, incident, queued, now);
  },
  () => 60,
);

const acknowledgementColumns = {
  id: 'bigint',
  company_id: 'bigint',
  receiver_id: 'bigint',
  incident_id: 'bigint',
  request: 'text',
  state: 'smallint',
  attempts: 'integer',
  due_at: 'bigint',
  created_at: 'bigint',
} as const;

async function queue(
  transaction: Transaction,
  { id, companyId, receiverId }: Pick<Incident, 'id' | 'companyId' | 'receiverId'>,
  { requests }: QueuedAcknowledgements,
  now: number,
): Promise<void> {
  if (requests.length === 0) return;
  const kind = { name: 'alertAcknowledgement', first: 1 };
  const first = await leaseBlock(transaction, { kind, size: requests.length });
  await transaction.insert(
    'alert_acknowledgements',
    acknowledgementColumns,
    requests.map((request, index) => [
      ...[first + index, companyId, receiverId, id, JSON.stringify(request), 0, 0, now, now],
    ]),
  );
}

const silentForMs = 7 * 24 * hourMs;

/**
 * Counts alerts as resolved of which nothing has been heard for a week, without a word to anybody. Returns how many, or 0 when
 * none is left.
 */
export const dropSilentAlerts = singleWriteVerb(
  'alerts.dropSilent',
  async (transaction, now: number): Promise<number> => {
    const [oldest] = await transaction.all<{ receiver_id: number }>(
      sql`SELECT receiver_id FROM alerts WHERE state = 0 AND heard_at < ${now - silentForMs}
          ORDER BY heard_at LIMIT 1`,
    );
    if (oldest === undefined) return 0;
    const { receiver_id: receiverId } = oldest;
    await lockReceiver(transaction, receiverId);
    const silent = sql`alerts WHERE state = 0 AND heard_at < ${now - silentForMs}
      ORDER BY heard_at LIMIT ${literal(maxInSet)}`;
    // Those of other receivers are left to the next calls.
    const dropped = await transaction.all<{ incident_id: number | null }>(
      sql`UPDATE alerts SET state = 1, is_waiting = 0, resolved_at = ${now}
          WHERE ${amongUnlocked('company_id, receiver_id, fingerprint', silent)} AND receiver_id = ${receiverId}
          RETURNING incident_id`,
    );
    await transaction.run(
      sql`UPDATE alert_receivers SET firing = firing - ${dropped.length} WHERE id = ${receiverId}`,
    );
    await endSilently(transaction, dropped, now);
    return dropped.length;
  },
  () => maxInSet,
);

/** Nobody is told that an incident is over of which nothing was heard for a week. */
async function endSilently(
  transaction: Transaction,
  dropped: readonly { readonly incident_id: number | null }[],
  now: number,
): Promise<void> {
  const fewer = new Map<number, number>();
  for (const { incident_id: id } of dropped) if (id !== null) fewer.set(id, 1 + (fewer.get(id) ?? 0));
  await leaveIncidents(transaction, fewer, now);
}
