/** Queries and changes of the webhook queues for operators and for receivers that pull events. */
import type { AuditDetails } from '../../audit/audit-details.ts';
import { type Act, type Actor, recordAct } from '../../audit/audit-log.ts';
import { raiseNews } from '../../storage/news.ts';
import { sql } from '../../storage/sql.ts';
import {
  bigint,
  expression,
  type Kept,
  nullable,
  StoredRecord,
  smallint,
  text,
} from '../../storage/stored-record.ts';
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { codeOf, disabledReasons } from '../endpoint.ts';
import { testData } from '../event-data.ts';
import type { QueuedEvent } from '../sending/post-queue.ts';
import { type Attempt, attemptFields, attemptWithSeqs, readEventsBySeq } from '../sending/sending-store.ts';

const listedEndpoint = new StoredRecord({
  id: expression('webhook_endpoints.id', bigint),
  company: expression('companies.name', text),
  name: expression('webhook_endpoints.name', text),
  username: expression('users.username', nullable(text)),
  systemUserId: nullable(bigint),
  url: text,
  events: bigint,
  active: expression('webhook_endpoints.active', bigint),
  lastSeq: bigint,
  doneSeq: bigint,
  failures: bigint,
  failingSince: nullable(bigint),
  disabledAt: nullable(bigint),
  disabledReason: nullable(text),
  lost: bigint,
  /** Posts waiting for a retry, and those that were given up. */
  waiting: retries('due_at IS NOT NULL'),
  givenUp: retries('due_at IS NULL'),
  replayNext: nullable(bigint),
  replayTo: nullable(bigint),
});

function retries(which: string) {
  return expression(
    `(SELECT COUNT(*) FROM webhook_retries WHERE endpoint_id = webhook_endpoints.id AND ${which})`,
    bigint,
  );
}

export type ListedEndpoint = Kept<typeof listedEndpoint>;

/** Lists the endpoints of all companies or of one, with any name or a given one. */
export const listEndpoints = readVerb(
  'webhooks.listAll',
  async (reading, { company, name }: { readonly company: string | null; readonly name: string | null }) =>
    listedEndpoint.all(reading)`
      FROM webhook_endpoints JOIN companies ON companies.id = webhook_endpoints.company_id
      JOIN webhook_queues ON webhook_queues.endpoint_id = webhook_endpoints.id
      LEFT JOIN users ON users.id = webhook_endpoints.user_id
      WHERE (CAST(${company} AS TEXT) IS NULL OR companies.name = ${company})
        AND (CAST(${name} AS TEXT) IS NULL OR webhook_endpoints.name = ${name})
      ORDER BY company, webhook_endpoints.name, webhook_endpoints.id`,
);

/** Counts posts waiting for a retry and those given up, among the latest thousand. */
export const countRetries = readVerb('webhooks.countRetries', async (reading, endpointId: number) => {
  const row = await reading.first<{ all: number; waiting: number }>(
    sql`SELECT COUNT(*) AS "all", COUNT(due_at) AS waiting FROM
          (SELECT due_at FROM webhook_retries WHERE endpoint_id = ${endpointId} ORDER BY first_seq DESC LIMIT 1000) AS latest`,
  );
  const { all = 0, waiting = 0 } = row ?? {};
  return { waiting, givenUp: all - waiting };
});

export interface AttemptsQuery {
  readonly endpointId: number;
  /** The number of the last attempt on the previous page. */
  readonly before?: number;
  readonly limit: number;
}

const listedAttempt = new StoredRecord({
  ...attemptFields,
  /** The code of the first event's type. Null if that event is no longer kept. */
  type: expression(
    `(SELECT type FROM webhook_events WHERE webhook_events.endpoint_id = webhook_attempts.endpoint_id
        AND webhook_events.seq = webhook_attempts.first_seq)`,
    nullable(smallint),
  ),
});

/** Returns the latest first. */
export const listAttempts = readVerb(
  'webhooks.listAttempts',
  async (reading, { endpointId, before = Number.MAX_SAFE_INTEGER, limit }: AttemptsQuery) =>
    listedAttempt.all(reading)`
      FROM webhook_attempts
      WHERE endpoint_id = ${endpointId} AND number < ${before} ORDER BY number DESC LIMIT ${limit}`,
);

export interface AttemptKey {
  readonly endpointId: number;
  readonly number: number;
}

export interface AttemptWithEvents {
  readonly attempt: Attempt;
  /** The posted events, as far as they are still kept. */
  readonly events: readonly QueuedEvent[];
}

export const findAttempt = readVerb(
  'webhooks.findAttempt',
  async (reading, key: AttemptKey): Promise<AttemptWithEvents | null> => {
    const found = await attemptOf(reading, key);
    if (found === undefined) return null;
    const { seqs, ...attempt } = found;
    return { attempt, events: await readEventsBySeq(reading, key.endpointId, seqsOf(found)) };
  },
);

type FoundAttempt = Kept<typeof attemptWithSeqs>;

function attemptOf(reading: Reading, { endpointId, number }: AttemptKey): Promise<FoundAttempt | undefined> {
  return attemptWithSeqs.first(reading)`
    FROM webhook_attempts WHERE endpoint_id = ${endpointId} AND number = ${number}`;
}

function seqsOf({ seqs, firstSeq, events }: FoundAttempt): readonly number[] {
  return seqs ?? Array.from({ length: events }, (_, place) => firstSeq + place);
}

export interface EndpointAct {
  readonly endpointId: number;
  readonly now: number;
  readonly by: Actor;
}

async function record(
  transaction: Transaction,
  input: EndpointAct,
  act: Act,
  details?: AuditDetails,
): Promise<void> {
  const { now, by } = input;
  const endpoint = await transaction.first<{ company_id: number; name: string }>(
    sql`SELECT company_id, name FROM webhook_endpoints WHERE id = ${input.endpointId}`,
  );
  if (endpoint === undefined) return;
  const { company_id: companyId, name: object } = endpoint;
  await recordAct(transaction, { companyId, at: now, by, act, object, details });
}

/** Queues an event that is marked as a test. Returns its number, or null if nothing is posted to the endpoint. */
export const queueTest = singleWriteVerb('webhooks.queueTest', async (transaction, input: EndpointAct) => {
  const { endpointId, now } = input;
  const queue = await transaction.first<{ last_seq: number }>(
    sql`UPDATE webhook_queues SET last_seq = last_seq + 1 WHERE endpoint_id = ${endpointId} AND disabled_at IS NULL
          AND EXISTS (SELECT id FROM webhook_endpoints WHERE id = ${endpointId} AND active = 1)
        RETURNING last_seq`,
  );
  if (queue === undefined) return null;
  await transaction.run(
    sql`INSERT INTO webhook_events (endpoint_id, seq, subject_id, type, at, queued_at, data)
        VALUES (${endpointId}, ${queue.last_seq}, 0, ${codeOf('webhook.test')}, ${now}, ${now}, ${JSON.stringify(testData)})`,
  );
  await record(transaction, input, 'webhook.test');
  return queue.last_seq;
});

export interface ReplayRange extends EndpointAct {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/**
 * Returns how many events are sent again, or null if a replay is already under way. Events are queued roughly in order of
 * time.
 */
export const beginReplay = singleWriteVerb(
  'webhooks.beginReplay',
  async (transaction, input: ReplayRange): Promise<number | null> => {
    const { endpointId, from, to } = input;
    const first = await firstSince(transaction, endpointId, from);
    const beyond = await firstSince(transaction, endpointId, to + 1);
    if (first >= beyond) return 0;
    const begun = await replay(transaction, endpointId, { next: first, to: beyond - 1, only: null });
    if (!begun) return null;
    await record(transaction, input, 'webhook.replay', {
      sentence: 'events_posted',
      first,
      last: beyond - 1,
    });
    return beyond - first;
  },
);

/**
 * Like `beginReplay`, for the events of one attempt. Undefined if there was no such attempt or none of its events are kept.
 */
export const replayAttempt = singleWriteVerb(
  'webhooks.replayAttempt',
  async (transaction, input: EndpointAct & AttemptKey): Promise<number | null | undefined> => {
    const { endpointId, number } = input;
    const found = await attemptOf(transaction, input);
    const events = found === undefined ? [] : await readEventsBySeq(transaction, endpointId, seqsOf(found));
    const seqs = events.map(({ seq }) => seq);
    const [next, to] = [seqs[0], seqs.at(-1)];
    if (next === undefined || to === undefined) return undefined;
    if (!(await replay(transaction, endpointId, { next, to, only: JSON.stringify(seqs) }))) return null;
    await record(transaction, input, 'webhook.replay', { sentence: 'events_of_attempt', attempt: number });
    return seqs.length;
  },
);

/** Returns false if a replay is already under way. */
async function replay(
  transaction: Transaction,
  endpointId: number,
  { next, to, only }: { readonly next: number; readonly to: number; readonly only: string | null },
): Promise<boolean> {
  const begun = await transaction.run(
    sql`UPDATE webhook_queues SET replay_next = ${next}, replay_to = ${to}, replay_only = ${only}
        WHERE endpoint_id = ${endpointId} AND replay_next IS NULL`,
  );
  return begun === 1;
}

/**
 * Finds the number of the first event at or after a time by binary search. If there is no such event, the result is
 * past the last event.
 */
async function firstSince(reading: Reading, endpointId: number, time: number): Promise<number> {
  const ends = await reading.first<{ low: number | null; high: number | null }>(
    sql`SELECT MIN(seq) AS low, MAX(seq) AS high FROM webhook_events WHERE endpoint_id = ${endpointId}`,
  );
  let low = ends?.low ?? 1;
  let high = (ends?.high ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await reading.first<{ at: number }>(
      sql`SELECT at FROM webhook_events WHERE endpoint_id = ${endpointId} AND seq >= ${middle} ORDER BY seq LIMIT 1`,
    );
    if (row === undefined || row.at >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Resumes posting to the endpoint, starting with what is waiting, even if its retry is not yet due. */
export const enableEndpoint = singleWriteVerb('webhooks.enable', async (transaction, input: EndpointAct) => {
  const changed = await transaction.run(
    sql`UPDATE webhook_queues SET disabled_at = NULL, disabled_reason = NULL, failures = 0, failing_since = NULL, next_at = 0,
          times_enabled = times_enabled + 1
        WHERE endpoint_id = ${input.endpointId} AND (disabled_at IS NOT NULL OR failing_since IS NOT NULL)`,
  );
  if (changed === 0) return null;
  await transaction.run(
    sql`UPDATE webhook_retries SET due_at = 0 WHERE endpoint_id = ${input.endpointId} AND due_at IS NOT NULL`,
  );
  await record(transaction, input, 'webhook.enable');
  await raiseNews(transaction, 'webhooks');
  return null;
});

/** Disabling also stops anything that is being sent again. */
export const disableEndpoint = singleWriteVerb(
  'webhooks.disable',
  async (transaction, input: EndpointAct) => {
    const { endpointId, now, by } = input;
    const reason = by.username === null ? disabledReasons.operator : disabledReasons.company;
    const changed = await transaction.run(
      sql`UPDATE webhook_queues SET disabled_at = ${now}, disabled_reason = ${reason}, replay_next = NULL
        WHERE endpoint_id = ${endpointId} AND disabled_at IS NULL`,
    );
    if (changed === 0) return null;
    await record(transaction, input, 'webhook.disable');
    await raiseNews(transaction, 'webhooks');
    return null;
  },
);
