/**
 * The erasure of everything about one phone number (GDPR, article 17): a walk through all that rooms keep about the number,
 * one set of rows per transaction, repeated until a walk finds nothing.
 *
 *   (asked for) ──▶ UNDER WAY ──a walk that finds nothing──▶ DONE: only the number's digest is kept
 *                     │   ▲
 *                     ▼   │ after a while
 *                    WAITING: something still needs the number, or still contains it
 *
 * A walk that has found nothing ends with a search through all that the company keeps (`search-left.ts`), whose findings are
 * reported and never removed: a text that somebody wrote about the person is not ours to change.
 *
 * The reasons are in docs/decisions/0050-a-person-is-erased-in-walks.md.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { type ActingUser, byUser, recordAct } from '../audit/audit-log.ts';
import { filesNaming } from '../contacts/of-number-records.ts';
import { ServiceError } from '../foundation/errors.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { type PersonSecret, personDigest } from '../opt-outs/person-digest.ts';
import type { Context } from '../storage/context.ts';
import { announceHint } from '../storage/hints.ts';
import type { AgedRows } from '../storage/retention.ts';
import { byDialect, skipLocked, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { bigint, json, type Kept, nullable, StoredRecord, text } from '../storage/stored-record.ts';
import { type Reading, readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { type PartStep, type Place, searchPart, stepOfPart } from './erasure-parts.ts';
import type { Keeper } from './search-left.ts';

const storedErasure = new StoredRecord({
  id: bigint,
  companyId: bigint,
  digest: text,
  requestedAt: bigint,
  username: nullable(text),
  /** Rows erased so far. */
  erased: bigint,
  /** How many rows the latest complete walk left in place, by what still needs them. */
  kept: json<Readonly<Partial<Record<Keeper, number>>>>(),
  /** Null while the erasure is in progress. */
  doneAt: nullable(bigint),
});

export type Erasure = Kept<typeof storedErasure>;

export interface PeopleServices extends Context {
  readonly secret: PersonSecret;
}

/** Requests an erasure, which a node then performs in steps. */
export async function erase(
  { store, clock, secret }: PeopleServices,
  caller: Caller,
  number: string,
): Promise<Erasure> {
  requireRole(caller, 'companyAdmin');
  const { companyId, username, session } = caller;
  const digest = personDigest(secret, companyId, number);
  const requested = await store.write(requestErasure, {
    companyId,
    username,
    session,
    digest,
    number,
    now: clock.now(),
  });
  if (requested.kind === 'requested') return requested.erasure;
  throw new ServiceError('managed', { sentence: 'erasure_managed', files: requested.files.join(', ') });
}

interface DigestQuery {
  readonly companyId: number;
  readonly digest: string;
}

interface ErasureRequest extends DigestQuery, ActingUser {
  readonly number: string;
  readonly now: number;
}

type Requested =
  | { readonly kind: 'requested'; readonly erasure: Erasure }
  /** A provisioning file would bring the person back. */
  | { readonly kind: 'managed'; readonly files: readonly string[] };

// Concurrent PostgreSQL transactions draw ids from a sequence; SQLite has a single writer.
const nextId = byDialect({
  sqlite: '(SELECT COALESCE(MAX(id), 0) + 1 FROM erasures)',
  postgres: 'DEFAULT',
});

/** An erasure in progress is not requested twice; a repeated request starts its next walk at once. */
export const requestErasure = refusable(
  singleWriteVerb(
    'people.requestErasure',
    async (transaction, request: ErasureRequest): Promise<Requested> => {
      const { companyId, digest, number, now } = request;
      const files = await filesNaming(transaction, { companyId, number });
      if (files.length > 0) return { kind: 'managed', files };
      const made = await transaction.run(
        sql`INSERT INTO erasures (id, company_id, digest, number, requested_at, username, part, place, walks, walk_kept,
            walk_erased, kept, erased, due_at)
          VALUES (${nextId}, ${companyId}, ${digest}, ${number}, ${now}, ${request.username}, 0, '[]', 0, '{}', 0, '{}', 0, ${now})
          ON CONFLICT (company_id, number) WHERE number IS NOT NULL DO NOTHING`,
      );
      if (made > 0)
        await recordAct(transaction, {
          companyId,
          at: now,
          by: byUser(request),
          act: 'person.erase',
          object: digest,
        });
      else
        await transaction.run(
          sql`UPDATE erasures SET due_at = ${now} WHERE company_id = ${companyId} AND number = ${number} AND due_at > ${now}`,
        );
      return { kind: 'requested', erasure: (await latestOf(transaction, { companyId, digest })) as Erasure };
    },
  ),
);

async function latestOf(reading: Reading, { companyId, digest }: DigestQuery): Promise<Erasure | null> {
  const latest = await storedErasure.first(reading)`
    FROM erasures WHERE company_id = ${companyId} AND digest = ${digest} ORDER BY id DESC LIMIT 1`;
  return latest ?? null;
}

interface DigestsQuery {
  readonly companyId: number;
  readonly digests: readonly string[];
}

/** The latest erasure of a number, by the digests of its forms; null when there was none. */
export const findErasure = readVerb(
  'people.findErasure',
  async (reading, { companyId, digests }: DigestsQuery): Promise<Erasure | null> => {
    let latest: Erasure | null = null;
    for (const digest of digests) {
      const found = await latestOf(reading, { companyId, digest });
      if (found !== null && found.id > (latest?.id ?? 0)) latest = found;
    }
    return latest;
  },
);

interface ErasureWorkOptions extends Context {
  readonly log: { warn(details: object, message: string): void };
}

const pauseMs = 1_000;
const maxErasuresPerPass = 20;
const leastRestMs = 5;
/** Changes made by a walk may show on any page. */
const lists = ['messages', 'conversations', 'contacts', 'people'];

/** Advances erasures one step at a time, so that everyone else waiting for the store gets a turn in between. */
export function erasureWork({ store, clock, log }: ErasureWorkOptions): WokenLoop {
  const failed = (error: unknown) => log.warn({ error }, 'a step of an erasure failed; trying again');
  return new WokenLoop({ pauseMs, failed }, async (signal) => {
    // Performs steps until none is due; several erasures take turns.
    for (;;) {
      const due = await store.read(listDueErasures, { now: clock.now(), limit: maxErasuresPerPass });
      if (due.length === 0) return;
      for (const id of due) {
        if (signal.aborted) return;
        await makeStep(store, id, clock.now());
      }
    }
  });
}

async function makeStep(store: Store, id: number, now: number): Promise<void> {
  const begun = performance.now();
  const step = await store.write(eraseStep, { id, now });
  if (step.kind === 'waits' || step.kind === 'done') {
    store.forgetDeleted();
    for (const list of lists) announceHint(store, step.companyId, list);
  }
  await delay(Math.max(leastRestMs, performance.now() - begun));
}

/** The ids of erasures that have a next step, longest waiting first. */
export const listDueErasures = readVerb(
  'people.listDueErasures',
  async (reading, { now, limit }: { readonly now: number; readonly limit: number }) => {
    const rows = await reading.all<{ id: number }>(
      sql`SELECT id FROM erasures WHERE due_at <= ${now} ORDER BY due_at, id LIMIT ${limit}`,
    );
    return rows.map(({ id }) => id);
  },
);

const dueErasure = new StoredRecord({
  id: bigint,
  companyId: bigint,
  digest: text,
  number: text,
  requestedAt: bigint,
  part: bigint,
  place: json<Place>(),
  walks: bigint,
  walkKept: json<Counts>(),
  walkErased: bigint,
});

/** The result of a step; `companyId` is the company of the erasure. */
type ErasureStep =
  | { readonly kind: 'nothingDue' }
  | { readonly kind: 'goesOn' | 'waits' | 'done'; readonly companyId: number };

/** Performs one step, on one node at a time. */
export const eraseStep = singleWriteVerb(
  'people.eraseStep',
  async (transaction, { id, now }: { readonly id: number; readonly now: number }): Promise<ErasureStep> => {
    const due = await dueErasure.first(transaction)`
      FROM erasures WHERE id = ${id} AND due_at <= ${now} ${skipLocked}`;
    if (due === undefined) return { kind: 'nothingDue' };
    const { companyId, number, digest, requestedAt: until, part, place } = due;
    const step = await stepOfPart(transaction, { companyId, number, digest, until, now }, part, place);
    return { kind: await keepStep(transaction, due, step, now), companyId };
  },
  () => 1_000,
);

type Counts = Record<string, number>;

function sumOf(before: Counts, more: PartStep['kept'] = {}): Counts {
  const sum = { ...before };
  for (const [name, count] of Object.entries(more)) if (count > 0) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

async function keepStep(
  transaction: Transaction,
  { id, companyId, digest, part, walks, walkKept, walkErased }: Kept<typeof dueErasure>,
  { erased, kept, next }: PartStep,
  now: number,
): Promise<'goesOn' | 'waits' | 'done'> {
  const sum = sumOf(walkKept, kept);
  const toPart = next === null ? part + 1 : part;
  const keepsNothing = Object.keys(sum).length === 0;
  const hasFoundNothing = keepsNothing && walkErased + erased === 0;
  // Only a walk that has found nothing goes on to the search.
  const lastPart = hasFoundNothing || part === searchPart ? searchPart : searchPart - 1;
  if (toPart <= lastPart) {
    await transaction.run(
      sql`UPDATE erasures SET part = ${toPart}, place = ${JSON.stringify(next ?? [])}, walk_kept = ${JSON.stringify(sum)},
            walk_erased = walk_erased + ${erased}, erased = erased + ${erased}, due_at = ${now} WHERE id = ${id}`,
    );
    return 'goesOn';
  }
  // A row that another transaction had locked is found by the next walk.
  const isDone = hasFoundNothing;
  const pauseMs = part === searchPart ? pauseAfterSearchMs : keepsNothing ? 0 : pauseAfter(walks);
  await transaction.run(
    sql`UPDATE erasures SET part = 0, place = '[]', walks = walks + 1, walk_kept = '{}', walk_erased = 0, kept = ${JSON.stringify(sum)},
          erased = erased + ${erased}, due_at = ${isDone ? null : now + pauseMs},
          number = CASE WHEN ${isDone ? 1 : 0} = 1 THEN NULL ELSE number END, done_at = ${isDone ? now : null}
        WHERE id = ${id}`,
  );
  if (!isDone) return 'waits';
  await recordAct(transaction, {
    companyId,
    at: now,
    by: { channel: 'command', username: null },
    act: 'person.erased',
    object: digest,
  });
  return 'done';
}

const firstPauseMs = 5_000;
const longestPauseMs = 10 * 60_000;
/** Findings of the search stay until someone changes them or they are purged. */
const pauseAfterSearchMs = 6 * 3_600_000;

/** The pause after this many walks. */
function pauseAfter(walks: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(walks, 10));
}

/** Erasures that are done. */
export const agedErasures: AgedRows = { table: 'erasures', key: 'id', time: 'done_at' };
