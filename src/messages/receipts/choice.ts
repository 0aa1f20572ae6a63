/**
 * Decides which of the parts with a receipt's id the receipt is about, since carriers reuse ids, write them in several forms,
 * and report twice.
 */
import { isFinal, mayBecome, status } from '../message.ts';
import {
  agrees,
  clocksDifferMs,
  idOf,
  longAgoMs,
  parkedWorthMs,
  type ReceiptOutcome,
  type StoredReceipt,
} from './receipt.ts';

export interface FoundPart {
  readonly n: number;
  readonly company_id: number;
  readonly message_id: number;
  readonly part: number;
  readonly parts: number;
  readonly carrier_message_id: string;
  readonly submitted_at: number | null;
  readonly taken_at: number;
  /** 1 when an earlier receipt is parked that may be about the same part. */
  readonly overtakes: number;
}

/** A part that has one of the forms of a receipt's id, with its message. */
export interface Candidate extends FoundPart {
  readonly part_status: number;
  readonly part_changed_at: number;
  readonly status: number;
  readonly changed_at: number;
  readonly expired_by_timer: number;
  readonly recipient: string;
  readonly sender: string;
}

/** False when it has another form of the id. */
export function hasExactId(receipt: StoredReceipt, { carrier_message_id: id }: FoundPart): boolean {
  return id === idOf(receipt);
}

function isLate({ receivedAt, status: code }: StoredReceipt, { taken_at }: FoundPart): boolean {
  return receivedAt - taken_at > longAgoMs && code !== status.SENT;
}

/** A part submitted after the receipt arrived is not meant, unless clocks were wrong. */
function cameTooEarlyFor({ receivedAt }: StoredReceipt, { submitted_at }: FoundPart): boolean {
  return submitted_at !== null && submitted_at > receivedAt + clocksDifferMs;
}

export function isMeantBefore(receipt: StoredReceipt, one: FoundPart, other: FoundPart): boolean {
  const isTooLate = cameTooEarlyFor(receipt, one);
  if (isTooLate !== cameTooEarlyFor(receipt, other)) return !isTooLate;
  return byTaking(one, other) < 0;
}

/** Latest first, because a message may have waited for a long time while newer ones were sent. */
function byTaking(a: FoundPart, b: FoundPart): number {
  return b.taken_at - a.taken_at || b.message_id - a.message_id;
}

export function keyOf({ company_id, message_id, part }: FoundPart): string {
  return `${company_id}/${message_id}/${part}`;
}

function haveOneId(one: FoundPart, other: FoundPart): boolean {
  return one.carrier_message_id === other.carrier_message_id;
}

type PartOutcome = Exclude<ReceiptOutcome, 'held' | 'outdated' | 'unknown'>;

/** The outcome of a receipt whose part was found by the exact id alone: the first whose condition is true. */
const outcomesByExactId: readonly (readonly [
  PartOutcome,
  (receipt: StoredReceipt, part: FoundPart) => boolean,
])[] = [
  // For a part that the carrier has taken, a report that it is under way is no news.
  ['noNews', ({ status: code }) => code === status.SENT],
  ['overtaking', (_, { overtakes }) => overtakes === 1],
  ['late', isLate],
  ['counts', () => true],
];

export function outcomeByExactId(receipt: StoredReceipt, part: FoundPart): PartOutcome {
  return outcomesByExactId.find(([, isTrue]) => isTrue(receipt, part))?.[0] ?? 'counts';
}

/** The outcome after comparing all forms of the id, the number, and the statuses that the parts may still get. */
type Choice =
  | { readonly outcome: PartOutcome; readonly part: Candidate }
  | { readonly outcome: 'outdated' | 'unknown'; readonly part?: undefined };

const unknown: Choice = { outcome: 'unknown' };

/**
 * | parts of one form that agree with the receipt  | choice                         |
 * | ---------------------------------------------- | ------------------------------ |
 * | some may get its status, under two ids         | unknown: no form is certain    |
 * | some may, and a newer part already has it      | repeated, for the newer part   |
 * | some may                                       | counts, for the latest         |
 * | none may, and one already has it               | repeated                       |
 * | none                                           | by the next form               |
 * | of no form, but some agree                     | outdated                       |
 * | of no form                                     | unknown                        |
 *
 * What is decimal for one part may be hexadecimal for another, so two matching ids count as none.
 */
export function choose(
  receipt: StoredReceipt,
  candidates: readonly Candidate[],
  ended: ReadonlyMap<string, number>,
  counting: 'what was taken lately' | 'all',
): Choice {
  const agreeing = candidates.filter((candidate) => agrees(receipt, candidate)).sort(byTaking);
  const possible = agreeing.filter(
    (one) =>
      !cameTooEarlyFor(receipt, one) ||
      !agreeing.some((other) => haveOneId(other, one) && !cameTooEarlyFor(receipt, other)),
  );
  const exact = possible.filter((one) => hasExactId(receipt, one));
  const others = possible.filter((one) => !hasExactId(receipt, one));
  const choice = chooseAmong(exact, receipt, ended) ?? chooseAmong(others, receipt, ended);
  if (choice === undefined) return agreeing.length > 0 ? { outcome: 'outdated' } : unknown;
  const { part } = choice;
  if (part === undefined) return choice;
  if (part.overtakes === 1) return { outcome: 'overtaking', part };
  return counting !== 'all' && isLate(receipt, part) ? { outcome: 'late', part } : choice;
}

/** `parts` are in order, the latest first. Undefined when they do not decide the receipt's outcome. */
function chooseAmong(
  parts: readonly Candidate[],
  receipt: StoredReceipt,
  ended: ReadonlyMap<string, number>,
): Choice | undefined {
  const open = parts.filter((one) => !ended.has(keyOf(one)) && isOpen(one, receipt.status));
  const [latest] = open;
  if (latest === undefined) {
    const repeated = parts.find((one) => ended.has(keyOf(one)) || isRepeated(receipt, one));
    return repeated && { outcome: 'repeated', part: repeated };
  }
  if (open.some((one) => !haveOneId(one, latest))) return unknown;
  const repeated = parts.find((one) => haveOneId(one, latest) && wasReported(receipt, one, latest, ended));
  return repeated === undefined
    ? { outcome: 'counts', part: latest }
    : { outcome: 'repeated', part: repeated };
}

/** The only part of a message has no separate status. */
function stateOf(candidate: Candidate) {
  return candidate.parts > 1
    ? { status: candidate.part_status, changedAt: candidate.part_changed_at, expiredByTimer: false }
    : {
        status: candidate.status,
        changedAt: candidate.changed_at,
        expiredByTimer: candidate.expired_by_timer === 1,
      };
}

function isOpen(candidate: Candidate, code: number): boolean {
  return mayBecome(stateOf(candidate), code);
}

/**
 * Whether the status was reported before, or overtaken by later news, and not long ago. If that was long ago, the id may
 * have been reused for a part whose submission is not stored yet.
 */
function isRepeated(receipt: StoredReceipt, candidate: Candidate): boolean {
  if (!saysNothingNew(receipt, candidate)) return false;
  return !isFinal(receipt.status) || receipt.recipient !== undefined;
}

function saysNothingNew(receipt: StoredReceipt, candidate: Candidate): boolean {
  if (receipt.status === status.SENT) return true;
  const { status: code, changedAt } = stateOf(candidate);
  if (receipt.receivedAt - changedAt > parkedWorthMs) return false;
  return !isFinal(receipt.status) || code === receipt.status;
}

/**
 * Whether one part was reported twice, rather than this being the first report for a part taken long before under the same
 * id. Carriers do report twice, and a wrong final status would be permanent.
 */
function wasReported(
  receipt: StoredReceipt,
  candidate: Candidate,
  older: Candidate,
  ended: ReadonlyMap<string, number>,
): boolean {
  if (candidate.taken_at - older.taken_at <= longAgoMs) return false;
  const end = ended.get(keyOf(candidate));
  return end === undefined
    ? saysNothingNew(receipt, candidate)
    : end === receipt.status || !isFinal(receipt.status);
}
