/** Defines what an erasure walks through, room by room, in the order in which one part leads to another. */
import { eraseFromAudit } from '../audit/audit-log.ts';
import { acceptedUntil, findInBatches } from '../batches/steps/erase-records.ts';
import { removeContactsOfNumber } from '../contacts/of-number-records.ts';
import { erasePeople, liveRuns, runsBehind, startsOf } from '../jobs/erase-records.ts';
import { eraseReplies } from '../messages/incoming/opt-out-replies.ts';
import {
  blankAnswers,
  eraseReceived,
  eraseSent,
  eraseUnmatched,
  findSentTo,
  findUnloggedTo,
  type NumberInMessages,
  type UnloggedOfNumber,
} from '../messages/upkeep/erase-records.ts';
import { eraseNearMisses } from '../opt-outs/near-miss.ts';
import { eraseFromOptOuts } from '../opt-outs/opt-out.ts';
import type { Transaction } from '../storage/verb.ts';
import { eraseFromEvents } from '../webhooks/outbox/erase-records.ts';
import { type Keeper, type SearchPlace, searchLeft } from './search-left.ts';

interface NumberToErase extends NumberInMessages {
  readonly digest: string;
}

/** How far a part has come; empty at its beginning. */
export type Place = SearchPlace;
type PartPlace = readonly number[];

export interface PartStep {
  readonly erased: number;
  readonly kept?: Readonly<Partial<Record<Keeper, number>>>;
  /** Null when the part is done. */
  readonly next: Place | null;
}

/** A piece of a part that fits in one transaction. */
type Part = (transaction: Transaction, about: NumberToErase, place: PartPlace) => Promise<PartStep>;

const setSize = 500;
const walkSize = 1_000;
/** Each answer may belong to a different run, which is looked up. */
const answersInStep = 20;
/** A single event may be hundreds of kilobytes long. */
const eventsInStep = 100;

/**
 * The next place for a part that searches for each set of rows from the beginning: if a set is full, there may be more
 * rows.
 */
const again = (erased: number): Place | null => (erased >= setSize ? [] : null);

type SentMessage = UnloggedOfNumber['messages'][number];

async function eraseOfSent(
  transaction: Transaction,
  about: NumberToErase,
  messages: readonly SentMessage[],
): Promise<Omit<PartStep, 'next'>> {
  const { companyId, until } = about;
  const late = messages.filter(({ createdAt }) => createdAt > until);
  const batches = new Set(late.flatMap(({ batchId }) => batchId ?? []));
  const earlier = await acceptedUntil(transaction, companyId, [...batches], until);
  const ids = messages.map(({ id }) => id);
  const runs = await runsBehind(transaction, companyId, ids);
  const runOf = (id: number) => runs.get(id)?.id ?? 0;
  const starts = await startsOf(transaction, [...new Set(late.map(({ id }) => runOf(id)))]);
  // Messages sent after `until` are erased too if their batch or run is from before `until`.
  const meant = messages.filter(
    ({ id, createdAt, batchId }) =>
      createdAt <= until ||
      earlier.has(batchId ?? 0) ||
      (starts.get(runOf(id)) ?? Number.POSITIVE_INFINITY) <= until,
  );
  const free = meant.filter(({ id }) => runs.get(id)?.isLive !== true).map(({ id }) => id);
  const erased = await eraseSent(transaction, about, free);
  return { erased, kept: { messages: free.length - erased, runs: meant.length - free.length } };
}

const parts: readonly Part[] = [
  async (transaction, about, [afterId = Number.MAX_SAFE_INTEGER]) => {
    const { messages, next } = await findSentTo(transaction, about, afterId, setSize);
    const step = await eraseOfSent(transaction, about, messages);
    return { ...step, next: next === null ? null : [next.id] };
  },
  async (transaction, about) => {
    const erased = await eraseReceived(transaction, about, setSize);
    return { erased, next: again(erased) };
  },
  async (transaction, about) => {
    const { erased, kept } = await blankAnswers(
      transaction,
      about,
      (ids) => liveRuns(transaction, ids),
      answersInStep,
    );
    return { erased, kept: { runs: kept }, next: erased >= answersInStep ? [] : null };
  },
  async (transaction, about, [run = 0, person = -1]) => {
    const { erased, kept, next } = await erasePeople(transaction, about, [run, person], walkSize);
    return { erased, kept: { runs: kept }, next };
  },
  async (transaction, about, [batch = 0, chunk = -1]) => {
    const { kept, next } = await findInBatches(transaction, about, [batch, chunk]);
    return { erased: 0, kept: { batches: kept }, next };
  },
  async (transaction, about, [endpoint = 0, seq = 0]) =>
    eraseFromEvents(transaction, about, [endpoint, seq], eventsInStep),
  async (transaction, about, [afterBook = 0]) => {
    const { erased, kept, next } = await removeContactsOfNumber(transaction, about, afterBook);
    return { erased, kept: { contacts: kept }, next: next === null ? null : [next] };
  },
  async (transaction, about, [afterId = 0]) => {
    const { erased, next } = await eraseFromAudit(transaction, about, afterId, walkSize);
    return { erased, next: next === null ? null : [next] };
  },
  // This part comes after all others, so that an erasure begun by an earlier version finds its part in the same place.
  async (transaction, about, [afterId = 0]) => {
    const { messages, nextAfterId } = await findUnloggedTo(transaction, about, afterId, walkSize);
    const step = await eraseOfSent(transaction, about, messages);
    return { ...step, next: nextAfterId === null ? null : [nextAfterId] };
  },
  async (transaction, about, [afterTime = 0]) => {
    const { erased, nextAfterTime } = await eraseUnmatched(transaction, about, afterTime, walkSize);
    return { erased, next: nextAfterTime === null ? null : [nextAfterTime] };
  },
  async (transaction, about) => ({ erased: await eraseFromOptOuts(transaction, about), next: null }),
  async (transaction, about) => {
    const erased = await eraseNearMisses(transaction, about, setSize);
    return { erased, next: again(erased) };
  },
  async (transaction, about) => ({ erased: await eraseReplies(transaction, about), next: null }),
];

/** The search comes last, and ends a walk that has found nothing. */
export const searchPart = parts.length;

export async function stepOfPart(
  transaction: Transaction,
  about: NumberToErase,
  part: number,
  place: Place,
): Promise<PartStep> {
  if (part === searchPart) return { erased: 0, ...(await searchLeft(transaction, about, place)) };
  const step = parts[part];
  if (step === undefined) throw new Error(`an erasure has no part ${part}`);
  return step(transaction, about, place as PartPlace);
}
