/**
 * Which of the parts with a receipt's id it tells of: carriers use ids again, write them in several forms, and tell twice.
 */
import { isFinal, mayBecome, status } from '../message.ts';
import { agrees } from './receipt-number.ts';
import { clocksDifferMs, idOf, longAgoMs, parkedWorthMs, type StoredReceipt } from './stored-receipt.ts';

export interface FoundPart {
  readonly n: number;
  readonly company_id: number;
  readonly message_id: number;
  readonly part: number;
  readonly parts: number;
  readonly carrier_message_id: string;
  readonly submitted_at: number | null;
  readonly taken_at: number;
  /** 1: a receipt that came before this one is parked, and may be about the same part. */
  readonly overtakes: number;
}

/** A part that has one of the forms of a receipt's id, and its message. */
export interface Candidate extends FoundPart {
  readonly part_status: number;
  readonly part_changed_at: number;
  readonly status: number;
  readonly changed_at: number;
  readonly expired_by_timer: number;
  readonly recipient: string;
  readonly sender: string;
}

/** Else it has another form of it. */
export function hasVeryId(receipt: StoredReceipt, { carrier_message_id: id }: FoundPart): boolean {
  return id === idOf(receipt);
}

export function isLate({ receivedAt, status: code }: StoredReceipt, { taken_at }: FoundPart): boolean {
  return receivedAt - taken_at > longAgoMs && code !== status.SENT;
}

/** What was submitted after the receipt came is not meant, but where clocks were wrong. */
function cameTooEarlyFor({ receivedAt }: StoredReceipt, { submitted_at }: FoundPart): boolean {
  return submitted_at !== null && submitted_at > receivedAt + clocksDifferMs;
}

export function isMeantBefore(receipt: StoredReceipt, one: FoundPart, other: FoundPart): boolean {
  const isTooLate = cameTooEarlyFor(receipt, one);
  if (isTooLate !== cameTooEarlyFor(receipt, other)) return !isTooLate;
  return byTaking(one, other) < 0;
}

/** The latest first: a message may have waited for long while newer ones went out. */
function byTaking(a: FoundPart, b: FoundPart): number {
  return b.taken_at - a.taken_at || b.message_id - a.message_id;
}

export function keyOf({ company_id, message_id, part }: FoundPart): string {
  return `${company_id}/${message_id}/${part}`;
}

function haveOneId(one: FoundPart, other: FoundPart): boolean {
  return one.carrier_message_id === other.carrier_message_id;
}

type Choice =
  | { readonly choice: 'meant' | 'repeated'; readonly candidate: Candidate }
  | { readonly choice: 'outdated' | 'unknown'; readonly candidate?: undefined };

/**
 * The latest part of that very id that may still become what is told. Else that of the one other form of it that leads to
 * such a part: what is decimal for one part may be hexadecimal for another, so that two are none.
 */
export function choose(
  receipt: StoredReceipt,
  candidates: readonly Candidate[],
  ended: ReadonlyMap<string, number>,
): Choice {
  const agreeing = candidates.filter((candidate) => agrees(receipt, candidate)).sort(byTaking);
  const possible = agreeing.filter(
    (one) =>
      !cameTooEarlyFor(receipt, one) ||
      !agreeing.some((other) => haveOneId(other, one) && !cameTooEarlyFor(receipt, other)),
  );
  const exact = possible.filter((one) => hasVeryId(receipt, one));
  const others = possible.filter((one) => !hasVeryId(receipt, one));
  for (const some of [exact, others]) {
    const open = some.filter((one) => !ended.has(keyOf(one)) && isOpen(one, receipt.status));
    const [latest] = open;
    if (latest !== undefined) {
      if (open.some((one) => !haveOneId(one, latest))) return { choice: 'unknown' };
      const told = some.find((one) => haveOneId(one, latest) && isToldOf(receipt, one, latest, ended));
      return told === undefined
        ? { choice: 'meant', candidate: latest }
        : { choice: 'repeated', candidate: told };
    }
    const repeated = some.find((one) => ended.has(keyOf(one)) || isRepeated(receipt, one));
    if (repeated !== undefined) return { choice: 'repeated', candidate: repeated };
  }
  return { choice: agreeing.length > 0 ? 'outdated' : 'unknown' };
}

/** The part of a message that has but one keeps no status of its own. */
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
 * Told before, or overtaken by later news, and not long ago: else the id may have been used again for a part whose
 * submission is not stored yet.
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
 * Is it told twice of a part, rather than once of one that was taken long before under the same id, and never heard of?
 * Carriers do tell twice, and a wrong end would be there for good.
 */
function isToldOf(
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
