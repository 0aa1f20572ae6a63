/** The posting node's store operations: the endpoints, the events waiting for them, and the outcome of each try. */
import { isHeld } from '../../changes/held-reader.ts';
import { forUpdate, fromEach, oneOf, rowSet, sql } from '../../storage/sql.ts';
import {
  bigint,
  integer,
  json,
  type Kept,
  nullable,
  StoredRecord,
  smallint,
  text,
} from '../../storage/stored-record.ts';
import { type Reading, readVerb, type Transaction, writeVerb } from '../../storage/verb.ts';
import { countAttempts } from '../attempt-counts.ts';
import { webhookReader } from '../endpoint-records.ts';
import type { QueuedEvent, Retry, Settled } from './post-queue.ts';

export interface EndpointRow {
  readonly id: number;
  readonly company_id: number;
  readonly company: string;
  readonly name: string;
  readonly system_user_id: number | null;
  /** The user whose calls name the URL as `callbackurl`. Null for all other endpoints. */
  readonly caller_id: number | null;
  readonly url: string;
  /** A JSON list of sealed secrets. */
  readonly secrets: string;
  readonly batch: number;
  readonly last_seq: number;
  readonly done_seq: number;
  readonly last_attempt: number;
  /** The start of the last attempt. Null if it was purged or there was none. */
  readonly last_tried_at: number | null;
  readonly failures: number;
  readonly failing_since: number | null;
  readonly next_at: number;
  readonly replay_next: number | null;
  readonly replay_to: number | null;
  readonly replay_only: string | null;
  readonly begun: number;
  /** Null if the endpoint is enabled. */
  readonly disabled_at: number | null;
  readonly times_enabled: number;
}

/** Endpoints that are posted to, or would be if they were not disabled. */
export const listActiveEndpoints = readVerb('webhooks.listActive', async (reading, _: null) =>
  reading.all<EndpointRow>(
    sql`SELECT webhook_endpoints.id, company_id, companies.name AS company, webhook_endpoints.name, system_user_id, url,
          CASE WHEN calls_until IS NOT NULL THEN user_id END AS caller_id,
          secrets, batch, last_seq, done_seq, last_attempt, failures, failing_since, next_at, replay_next, replay_to,
          replay_only, begun, disabled_at, times_enabled,
          (SELECT at FROM webhook_attempts
            WHERE webhook_attempts.endpoint_id = webhook_endpoints.id AND number = last_attempt) AS last_tried_at
        FROM webhook_endpoints JOIN companies ON companies.id = company_id
        JOIN webhook_queues ON webhook_queues.endpoint_id = webhook_endpoints.id
        WHERE webhook_endpoints.active = 1 ORDER BY webhook_endpoints.id`,
  ),
);

export interface QueueEnd {
  readonly endpoint_id: number;
  readonly last_seq: number;
  readonly replay_next: number | null;
  readonly replay_to: number | null;
  /** A JSON list. Null means the whole range. */
  readonly replay_only: string | null;
}

/** The ends of the queues, to which other nodes add events as well. */
export const listQueueEnds = readVerb('webhooks.listQueueEnds', async (reading, _: null) =>
  reading.all<QueueEnd>(
    sql`SELECT endpoint_id, last_seq, replay_next, replay_to, replay_only FROM webhook_queues`,
  ),
);

interface EventRow {
  readonly seq: number;
  readonly subject_id: number;
  readonly type: number;
  readonly at: number;
  readonly queued_at: number;
  readonly data: string;
}

function toEvent({ seq, subject_id, type, at, queued_at, data }: EventRow): QueuedEvent {
  return { seq, subjectId: subject_id, type, at, queuedAt: queued_at, data };
}

interface EventRange {
  readonly endpointId: number;
  readonly after: number;
  readonly limit: number;
}

/**
 * A page of events from the reading thread, by column, with the data (JSON, which has no line breaks) joined into one text.
 * Half the cost of copying a page between threads is per object and per text.
 */
interface EventPage {
  readonly seqs: readonly number[];
  readonly subjectIds: readonly number[];
  readonly types: readonly number[];
  readonly ats: readonly number[];
  readonly queuedAts: readonly number[];
  readonly data: string;
}

export const readEvents = readVerb('webhooks.readEvents', async (reading, range: EventRange) => {
  const { endpointId, after, limit } = range;
  const rows = await reading.all<EventRow>(
    sql`SELECT seq, subject_id, type, at, queued_at, data FROM webhook_events
        WHERE endpoint_id = ${endpointId} AND seq > ${after} ORDER BY seq LIMIT ${limit}`,
  );
  return {
    seqs: rows.map(({ seq }) => seq),
    subjectIds: rows.map(({ subject_id }) => subject_id),
    types: rows.map(({ type }) => type),
    ats: rows.map(({ at }) => at),
    queuedAts: rows.map(({ queued_at }) => queued_at),
    data: rows.map(({ data }) => data).join('\n'),
  } satisfies EventPage;
});

export function eventsOf({ seqs, subjectIds, types, ats, queuedAts, data }: EventPage): QueuedEvent[] {
  const texts = data.split('\n');
  return seqs.map((seq, place) => ({
    seq,
    subjectId: subjectIds[place] as number,
    type: types[place] as number,
    at: ats[place] as number,
    queuedAt: queuedAts[place] as number,
    data: texts[place] as string,
  }));
}

export const readEventsOf = readVerb(
  'webhooks.readEventsOf',
  (reading, { endpointId, seqs }: { readonly endpointId: number; readonly seqs: readonly number[] }) =>
    readEventsBySeq(reading, endpointId, seqs),
);

export async function readEventsBySeq(
  reading: Reading,
  endpointId: number,
  seqs: readonly number[],
): Promise<readonly QueuedEvent[]> {
  const rows = await reading.all<EventRow>(
    sql`SELECT seq, subject_id, type, at, queued_at, data FROM webhook_events
        WHERE endpoint_id = ${endpointId} AND seq ${oneOf('bigint', seqs)} ORDER BY seq`,
  );
  return rows.map(toEvent);
}

const maxEventsPerStep = 1_000;

const retryFields = {
  firstSeq: bigint,
  seqs: json<readonly number[]>(),
  tries: integer,
};

const storedRetry = new StoredRecord({ ...retryFields, dueAt: bigint });

/**
 * Reads all retries of an endpoint, of which there are few unless its receiver was away. Purged events leave no subjects.
 */
export const readRetries = readVerb('webhooks.readRetries', async (reading, endpointId: number) => {
  const retries = await storedRetry.all(reading)`
    FROM webhook_retries
    WHERE endpoint_id = ${endpointId} AND due_at IS NOT NULL ORDER BY first_seq`;
  const events = await eventsBySeq(
    reading,
    endpointId,
    retries.flatMap(({ seqs }) => seqs),
  );
  return retries.map((retry): Retry => {
    const own = retry.seqs.flatMap((seq) => events.get(seq) ?? []);
    return {
      ...retry,
      subjects: [...new Set(own.map(({ subject_id }) => subject_id))],
      oldestAt: own.reduce((oldest, { queued_at }) => Math.min(oldest, queued_at), Infinity),
      isKept: true,
    };
  });
});

type Subject = Pick<EventRow, 'seq' | 'subject_id' | 'queued_at'>;

async function eventsBySeq(
  reading: Reading,
  endpointId: number,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, Subject>> {
  const events = new Map<number, Subject>();
  for (let start = 0; start < seqs.length; start += maxEventsPerStep) {
    const found = await reading.all<Subject>(
      sql`SELECT seq, subject_id, queued_at FROM webhook_events
          WHERE endpoint_id = ${endpointId} AND seq ${oneOf('bigint', seqs.slice(start, start + maxEventsPerStep))}`,
    );
    for (const event of found) events.set(event.seq, event);
  }
  return events;
}

export const attemptFields = {
  number: bigint,
  at: bigint,
  firstSeq: bigint,
  events: integer,
  tries: integer,
  address: nullable(text),
  status: nullable(smallint),
  durationMs: integer,
  error: nullable(text),
  answer: text,
};

export const attemptWithSeqs = new StoredRecord({
  ...attemptFields,
  /** Null if the numbers are consecutive. */
  seqs: nullable(json<readonly number[]>()),
});

export type Attempt = Omit<Kept<typeof attemptWithSeqs>, 'seqs'>;

export interface Progress extends Settled {
  readonly endpointId: number;
  readonly nodeId: number;
  /** The count known to the sender. Failures from before the receiver was reported to work again do not count. */
  readonly timesEnabled: number;
  readonly doneSeq: number;
  readonly failures: number;
  readonly failingSince: number | null;
  readonly nextAt: number;
  /** The position of the replay. Null if it has ended, undefined if there is none. */
  readonly replayNext: number | null | undefined;
  /** Undefined if nothing was posted. */
  readonly attempt: (Attempt & { readonly seqs: readonly number[] }) | undefined;
  readonly now: number;
}

/**
 * Returns, for each input, how often its endpoint has been enabled so far. Null means that nothing was stored, because
 * another node now does the posting or the endpoint is gone. There is at most one input per endpoint.
 */
export const recordProgress = writeVerb(
  'webhooks.recordProgress',
  async (transaction, inputs: readonly Progress[]) => {
    const [{ nodeId } = { nodeId: 0 }] = inputs;
    const held = await isHeld(transaction, { name: webhookReader, nodeId });
    if (typeof held === 'string') return inputs.map(() => null);
    const timesEnabled = await lockQueues(transaction, inputs);
    const own = inputs.filter((input) => input.nodeId === nodeId && timesEnabled.has(input.endpointId));
    const kept = own.map((input) =>
      input.timesEnabled === timesEnabled.get(input.endpointId) ? input : sinceEnabled(input),
    );
    await keepQueues(transaction, kept);
    await keepRetries(transaction, kept);
    await keepAttempts(transaction, kept);
    return inputs.map((input) => (own.includes(input) ? (timesEnabled.get(input.endpointId) ?? null) : null));
  },
  ({ put, removed }) => 3 + put.length + removed.length,
);

/** The endpoint's record is reset as if nothing had failed yet, and what is waiting is tried at once. */
function sinceEnabled(input: Progress): Progress {
  return {
    ...input,
    failures: 0,
    failingSince: null,
    nextAt: 0,
    disabled: undefined,
    put: input.put.map((retry) => ({ ...retry, dueAt: retry.dueAt === null ? null : 0 })),
  };
}

/**
 * Returns how often each endpoint was enabled. Queues are locked in the order of their ids as everywhere, so no two
 * transactions deadlock.
 */
async function lockQueues(
  transaction: Transaction,
  inputs: readonly Progress[],
): Promise<ReadonlyMap<number, number>> {
  const ids = inputs.map(({ endpointId }) => endpointId);
  const rows = await transaction.all<{ endpoint_id: number; times_enabled: number }>(
    sql`SELECT endpoint_id, times_enabled FROM webhook_queues WHERE endpoint_id ${oneOf('bigint', ids)}
        ORDER BY endpoint_id ${forUpdate}`,
  );
  return new Map(rows.map(({ endpoint_id, times_enabled }) => [endpoint_id, times_enabled]));
}

const queueColumns = {
  endpoint_id: 'bigint',
  done_seq: 'bigint',
  last_attempt: 'bigint',
  failures: 'integer',
  failing_since: 'bigint',
  next_at: 'bigint',
  replays: 'smallint',
  replay_next: 'bigint',
  disabled_at: 'bigint',
  disabled_reason: 'text',
} as const;

/**
 * The queue of an endpoint that was disabled meanwhile may have advanced further, because the events it missed were counted.
 */
async function keepQueues(transaction: Transaction, inputs: readonly Progress[]): Promise<void> {
  const rows = inputs.map((input) => [
    ...[input.endpointId, input.doneSeq, input.attempt?.number ?? 0, input.failures, input.failingSince],
    ...[input.nextAt, input.replayNext === undefined ? 0 : 1, input.replayNext ?? null],
    ...[input.disabled === undefined ? null : input.now, input.disabled ?? null],
  ]);
  await transaction.each(
    queueColumns,
    rows,
    sql`UPDATE webhook_queues SET failures = each.failures,
          done_seq = CASE WHEN each.done_seq > webhook_queues.done_seq THEN each.done_seq
            ELSE webhook_queues.done_seq END,
          last_attempt = CASE WHEN each.last_attempt > webhook_queues.last_attempt THEN each.last_attempt
            ELSE webhook_queues.last_attempt END,
          failing_since = each.failing_since, next_at = each.next_at,
          replay_next = CASE WHEN each.replays = 1 AND webhook_queues.replay_next IS NOT NULL THEN each.replay_next
            ELSE webhook_queues.replay_next END,
          disabled_at = COALESCE(webhook_queues.disabled_at, each.disabled_at),
          disabled_reason = COALESCE(webhook_queues.disabled_reason, each.disabled_reason)
        ${fromEach} WHERE webhook_queues.endpoint_id = each.endpoint_id`,
  );
}

const keptRetry = new StoredRecord({ endpointId: bigint, ...retryFields, dueAt: nullable(bigint) });
const retryKey = { endpoint_id: 'bigint', first_seq: 'bigint' } as const;

async function keepRetries(transaction: Transaction, inputs: readonly Progress[]): Promise<void> {
  const removed = inputs.flatMap(({ endpointId, removed }) => removed.map((seq) => [endpointId, seq]));
  if (removed.length > 0) {
    await transaction.run(
      sql`DELETE FROM webhook_retries WHERE (endpoint_id, first_seq) IN
            (SELECT endpoint_id, first_seq FROM ${rowSet('gone', retryKey, removed)})`,
    );
  }
  await transaction.insert(
    'webhook_retries',
    keptRetry.columns,
    inputs.flatMap(({ endpointId, put }) => put.map((retry) => keptRetry.row({ ...retry, endpointId }))),
    `ON CONFLICT (endpoint_id, first_seq)
      DO UPDATE SET ${keptRetry.assignments('excluded', Object.keys(retryKey))}`,
  );
}

async function keepAttempts(transaction: Transaction, inputs: readonly Progress[]): Promise<void> {
  const rows = inputs.flatMap(({ endpointId, attempt }) => {
    if (attempt === undefined) return [];
    const { firstSeq, seqs } = attempt;
    const followEachOther = seqs.every((seq, place) => seq === firstSeq + place);
    return [[endpointId, ...attemptWithSeqs.row({ ...attempt, seqs: followEachOther ? null : seqs })]];
  });
  // A node that has been replaced may have stored an attempt under the same number.
  const columns = { endpoint_id: 'bigint', ...attemptWithSeqs.columns } as const;
  await transaction.insert('webhook_attempts', columns, rows, 'ON CONFLICT DO NOTHING');
  await countAttempts(
    transaction,
    inputs.flatMap(({ endpointId, attempt }) => (attempt === undefined ? [] : [{ ...attempt, endpointId }])),
  );
}
