/**
 * Finds the part that a receipt tells of. Nearly always one part has the very id; what is not so plain is looked at
 * closer: ids that a carrier uses again, ids that it writes in another form, numbers that do not agree.
 */
import { andEach, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import { isFinal, mayBecome, status } from './message.ts';

export interface StoredReceipt {
  readonly carrierId: number;
  /** As the carrier wrote it. */
  readonly carrierMessageId: string;
  /** The form that it had at the submission, where that is known to differ. */
  readonly submittedId?: string | undefined;
  /** Other forms that it may have had there. */
  readonly otherIds?: readonly string[];
  /** There are other forms, which are not given yet. */
  readonly mayHaveOtherIds?: boolean;
  /** The digits of the number that it is about. */
  readonly recipient?: string | undefined;
  /** A status code. */
  readonly status: number;
  readonly errorCode: string | null;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/**
 * A receipt may come before the answer to its submission is stored, by seconds mostly. One that has waited longer than
 * this belongs to none that is still to come: its carrier uses ids again.
 */
export const parkedWorthMs = 15 * 60 * 1_000;

/** The id to look for before all other forms. */
export function idOf({ submittedId, carrierMessageId }: StoredReceipt): string {
  return submittedId ?? carrierMessageId;
}

/** A receipt with the part that it tells of. */
export interface Matched {
  readonly receipt: StoredReceipt;
  readonly companyId: number;
  readonly messageId: number;
  readonly part: number;
  readonly parts: number;
}

/** A receipt that changes nothing now. */
export interface Leftover {
  readonly receipt: StoredReceipt;
  /** A part has this id but may not become that any more: it is old news of it, or belongs to a part still to come. */
  readonly outdated: boolean;
}

interface FoundPart {
  readonly n: number;
  readonly company_id: number;
  readonly message_id: number;
  readonly part: number;
  readonly parts: number;
}

export interface PlainMatches {
  readonly matched: readonly Matched[];
  readonly unknown: readonly StoredReceipt[];
  /** They are known to be on their way already. */
  readonly noNews: readonly Matched[];
}

/** By the id alone, without a look at the messages: carriers use ids again, so that of several parts the newest is meant. */
export async function matchPlainly(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<PlainMatches> {
  const keys = receipts.map((receipt, index) => [index, receipt.carrierId, idOf(receipt)]);
  const found = await transaction.allOfEach<FoundPart>(
    { n: 'integer', carrier_id: 'bigint', carrier_message_id: 'text' },
    keys,
    sql`SELECT each.n AS n, message_parts.company_id, message_parts.message_id, message_parts.part, message_parts.parts
        FROM message_parts ${andEach}
        WHERE message_parts.carrier_id = each.carrier_id
          AND message_parts.carrier_message_id = each.carrier_message_id`,
  );
  const newest = new Map<number, FoundPart>();
  for (const row of found) {
    const other = newest.get(row.n);
    if (other === undefined || other.message_id < row.message_id) newest.set(row.n, row);
  }
  const matched: Matched[] = [];
  const unknown: StoredReceipt[] = [];
  const noNews: Matched[] = [];
  receipts.forEach((receipt, index) => {
    const row = newest.get(index);
    if (row === undefined) unknown.push(receipt);
    // That it is on its way is no news of a part that the carrier has taken.
    else if (receipt.status !== status.SENT) matched.push(toMatched(receipt, row));
    else noNews.push(toMatched(receipt, row));
  });
  return { matched, unknown, noNews };
}

function toMatched(receipt: StoredReceipt, row: Omit<FoundPart, 'n'>): Matched {
  return {
    receipt,
    companyId: row.company_id,
    messageId: row.message_id,
    part: row.part,
    parts: row.parts,
  };
}

/** A part that has one of the forms of a receipt's id, and its message. */
interface Candidate extends FoundPart {
  /** 0: the very id; else one of its other forms. */
  readonly place: number;
  readonly part_status: number;
  readonly part_changed_at: number;
  readonly status: number;
  readonly changed_at: number;
  readonly expired_by_timer: number;
  readonly recipient: string;
  readonly sender: string;
}

export interface CloserMatches {
  readonly matched: readonly Matched[];
  readonly leftovers: readonly Leftover[];
  /** Told before, or overtaken by later news. */
  readonly ignored: readonly Matched[];
}

/** By all forms of the id, the number, and what the messages may still become. */
export async function lookCloser(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<CloserMatches> {
  const keys = receipts.flatMap((receipt, index) =>
    [idOf(receipt), ...(receipt.otherIds ?? [])].map((id, place) => [index, place, receipt.carrierId, id]),
  );
  const found = await transaction.allOfEach<Candidate>(
    { n: 'integer', place: 'integer', carrier_id: 'bigint', carrier_message_id: 'text' },
    keys,
    sql`SELECT each.n AS n, each.place AS place, message_parts.company_id, message_parts.message_id,
               message_parts.part, message_parts.parts, message_parts.status AS part_status,
               message_parts.changed_at AS part_changed_at, messages.status, messages.changed_at,
               messages.expired_by_timer, messages.recipient, messages.sender
        FROM message_parts
        JOIN messages ON messages.company_id = message_parts.company_id AND messages.id = message_parts.message_id
        ${andEach}
        WHERE message_parts.carrier_id = each.carrier_id
          AND message_parts.carrier_message_id = each.carrier_message_id`,
  );
  const candidates: Candidate[][] = receipts.map(() => []);
  for (const row of found) candidates[row.n]?.push(row);
  const matched: Matched[] = [];
  const leftovers: Leftover[] = [];
  const ignored: Matched[] = [];
  /** Parts that a receipt of this set brings to their end. */
  const ended = new Set<string>();
  receipts.forEach((receipt, index) => {
    const all = candidates[index] ?? [];
    const choice = choose(
      receipt,
      all.filter((candidate) => !ended.has(keyOf(candidate))),
    );
    if (typeof choice === 'object') {
      matched.push(toMatched(receipt, choice));
      if (isFinal(receipt.status)) ended.add(keyOf(choice));
    } else if (
      choice !== 'repeated' &&
      !all.some((candidate) => ended.has(keyOf(candidate)) && agrees(receipt, candidate))
    ) {
      leftovers.push({ receipt, outdated: choice === 'outdated' });
    } else {
      const [known] = all
        .filter((candidate) => agrees(receipt, candidate))
        .sort((a, b) => a.place - b.place || b.message_id - a.message_id);
      if (known !== undefined) ignored.push(toMatched(receipt, known));
    }
  });
  return { matched, leftovers, ignored };
}

function keyOf({ company_id, message_id, part }: FoundPart): string {
  return `${company_id}/${message_id}/${part}`;
}

/**
 * The newest part of that very id that may still become what is told. Else the one part that has another form of it: what is
 * decimal for one part may be hexadecimal for another, so that two are none.
 */
function choose(
  receipt: StoredReceipt,
  candidates: readonly Candidate[],
): Candidate | 'repeated' | 'outdated' | 'unknown' {
  const agreeing = candidates.filter((candidate) => agrees(receipt, candidate));
  const exact = agreeing.filter(({ place }) => place === 0).sort((a, b) => b.message_id - a.message_id);
  const newest = exact.find((candidate) => isOpen(candidate, receipt.status));
  if (newest !== undefined) return newest;
  if (exact.some((candidate) => isRepeated(receipt, candidate))) return 'repeated';
  const others = agreeing.filter(({ place }) => place > 0);
  const [only, second] = others.filter((candidate) => isOpen(candidate, receipt.status));
  if (second !== undefined) return 'unknown';
  if (only !== undefined) return only;
  if (others.some((candidate) => isRepeated(receipt, candidate))) return 'repeated';
  return agreeing.length > 0 ? 'outdated' : 'unknown';
}

const shortestNumber = 7;

/**
 * Does the receipt speak of the number that the message went to? Some carriers write it without its country code, some
 * leave sender and recipient as they were in the submission.
 */
export function agrees(
  { recipient }: Pick<StoredReceipt, 'recipient'>,
  message: { readonly recipient: string; readonly sender: string },
): boolean {
  if (recipient === undefined || recipient === message.recipient || recipient === message.sender) return true;
  const national = recipient.replace(/^0+/, '');
  return national.length >= shortestNumber && message.recipient.endsWith(national);
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
  if (receipt.status === status.SENT) return true;
  const { status: code, changedAt } = stateOf(candidate);
  if (receipt.receivedAt - changedAt > parkedWorthMs) return false;
  if (!isFinal(receipt.status)) return true;
  return code === receipt.status && receipt.recipient !== undefined;
}
