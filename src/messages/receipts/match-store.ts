/**
 * Finds the part that a receipt tells of. Nearly always one part has the very id; what is not so plain is looked at
 * closer: ids that a carrier uses again, ids that it writes in another form, numbers that do not agree.
 */
import { andEach, raw, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import type { Transaction } from '../../storage/verb.ts';
import { plainId } from '../../wire/smpp/message-id.ts';
import { isFinal, status } from '../message.ts';
import { type Candidate, choose, type FoundPart, hasVeryId, isLate, isMeantBefore, keyOf } from './choice.ts';
import { overtakes } from './parked-store.ts';
import { sameId } from './same-id.ts';
import { idOf, type StoredReceipt } from './stored-receipt.ts';

/** A receipt with the part that it tells of. */
export interface Matched {
  readonly receipt: StoredReceipt;
  readonly companyId: number;
  readonly messageId: number;
  readonly part: number;
  readonly parts: number;
  /** When the part's answer came. */
  readonly takenAt: number;
}

/** A receipt that changes nothing now. */
export interface Leftover {
  readonly receipt: StoredReceipt;
  /** A part has this id but may not become that any more: it is old news of it, or belongs to a part still to come. */
  readonly outdated: boolean;
  /** It is told apart when what is in flight has been answered. */
  readonly held?: true;
  /** One that came before it is parked, and may be about the same part. */
  readonly overtakes?: true;
}

export interface PlainMatches {
  readonly matched: readonly Matched[];
  /** The part was taken long ago. */
  readonly late: readonly StoredReceipt[];
  readonly unknown: readonly StoredReceipt[];
  /** Others that came before them are parked. */
  readonly overtaking: readonly StoredReceipt[];
  /** They are known to be on their way already. */
  readonly noNews: readonly Matched[];
}

/** By the id alone, without a look at the messages: carriers use ids again, so that of several parts the latest is meant. */
export async function matchPlainly(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<PlainMatches> {
  const keys = receipts.map((receipt, index) => [
    index,
    receipt.carrierId,
    idOf(receipt),
    ...sortedBy(receipt),
  ]);
  const found = await transaction.allOfEach<FoundPart>(
    { ...keyColumns, ...sortColumns },
    keys,
    sql`SELECT each.n AS n, message_parts.company_id, message_parts.message_id, message_parts.part, message_parts.parts,
               message_parts.carrier_message_id, message_parts.submitted_at, ${takenAt} AS taken_at,
               ${overtakes('carrier_message_id')} AS overtakes
        FROM message_parts ${andEach}
        WHERE message_parts.carrier_id = each.carrier_id AND ${sameId('each')}`,
  );
  const latest = new Map<number, FoundPart>();
  for (const row of found) {
    const receipt = receipts[row.n] as StoredReceipt;
    // Where the form at the submission is known, zeros and letter case are all that can differ.
    if (!hasVeryId(receipt, row) && receipt.submittedId === undefined) continue;
    const other = latest.get(row.n);
    if (other === undefined || isMeantBefore(receipt, row, other)) latest.set(row.n, row);
  }
  const matched: Matched[] = [];
  const late: StoredReceipt[] = [];
  const unknown: StoredReceipt[] = [];
  const overtaking: StoredReceipt[] = [];
  const noNews: Matched[] = [];
  receipts.forEach((receipt, index) => {
    const row = latest.get(index);
    if (row === undefined) unknown.push(receipt);
    // That it is on its way is no news of a part that the carrier has taken.
    else if (receipt.status === status.SENT) noNews.push(toMatched(receipt, row));
    else if (row.overtakes === 1) overtaking.push(receipt);
    else if (isLate(receipt, row)) late.push(receipt);
    else matched.push(toMatched(receipt, row));
  });
  return { matched, late, unknown, overtaking, noNews };
}

const keyColumns = { n: 'integer', carrier_id: 'bigint', carrier_message_id: 'text' } as const;
/** By which those that came before are known. */
const sortColumns = { received_at: 'bigint', recipient: 'text' } as const;

function sortedBy({ receivedAt, recipient }: StoredReceipt): Row {
  return [receivedAt, recipient ?? null];
}

function mayBeWrittenOtherwise({ otherIds, submittedId }: StoredReceipt): boolean {
  return otherIds !== undefined || submittedId !== undefined;
}

/** The ids to look for, each once but for zeros in front and letter case. */
function plainIdsOf(receipt: StoredReceipt): readonly string[] {
  return [...new Set([idOf(receipt), ...(receipt.otherIds ?? [])].map(plainId))];
}

/** In the row that is read anyway. */
const takenAt = raw('COALESCE(message_parts.answered_at, message_parts.changed_at)');

function toMatched(receipt: StoredReceipt, row: Omit<FoundPart, 'n'>): Matched {
  return {
    receipt,
    companyId: row.company_id,
    messageId: row.message_id,
    part: row.part,
    parts: row.parts,
    takenAt: row.taken_at,
  };
}

export interface CloserMatches {
  readonly matched: readonly Matched[];
  readonly leftovers: readonly Leftover[];
  /** Told before, or overtaken by later news. */
  readonly ignored: readonly Matched[];
  /** All this of a part that was taken long ago, where that is not to count yet. */
  readonly late: readonly StoredReceipt[];
}

/** By all forms of the id, the number, and what the messages may still become. */
export async function lookCloser(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
  counting: 'what was taken lately' | 'all',
): Promise<CloserMatches> {
  if (receipts.length === 0) return { matched: [], leftovers: [], ignored: [], late: [] };
  const keys = receipts.flatMap((receipt, index) =>
    plainIdsOf(receipt).map((id) => [index, receipt.carrierId, id, idOf(receipt), ...sortedBy(receipt)]),
  );
  const found = await transaction.allOfEach<Candidate>(
    { ...keyColumns, looked_for_id: 'text', ...sortColumns },
    keys,
    sql`SELECT each.n AS n, message_parts.company_id, message_parts.message_id, message_parts.part,
               message_parts.parts, message_parts.carrier_message_id, message_parts.submitted_at, ${takenAt} AS taken_at,
               message_parts.status AS part_status, message_parts.changed_at AS part_changed_at,
               messages.status, messages.changed_at, messages.expired_by_timer, messages.recipient, messages.sender,
               ${overtakes('looked_for_id')} AS overtakes
        FROM message_parts
        JOIN messages ON messages.company_id = message_parts.company_id AND messages.id = message_parts.message_id
        ${andEach}
        WHERE message_parts.carrier_id = each.carrier_id AND ${sameId('each')}`,
  );
  const candidates: Candidate[][] = receipts.map(() => []);
  for (const row of found) {
    const receipt = receipts[row.n] as StoredReceipt;
    if (hasVeryId(receipt, row) || mayBeWrittenOtherwise(receipt)) candidates[row.n]?.push(row);
  }
  const matched: Matched[] = [];
  const leftovers: Leftover[] = [];
  const ignored: Matched[] = [];
  const late: StoredReceipt[] = [];
  /** Parts that a receipt of this set brings to their end, with that. */
  const ended = new Map<string, number>();
  receipts.forEach((receipt, index) => {
    const { choice, candidate } = choose(receipt, candidates[index] ?? [], ended);
    if (candidate?.overtakes === 1) leftovers.push({ receipt, outdated: false, overtakes: true });
    else if (candidate === undefined) leftovers.push({ receipt, outdated: choice === 'outdated' });
    else if (counting !== 'all' && isLate(receipt, candidate)) late.push(receipt);
    else if (choice === 'repeated') ignored.push(toMatched(receipt, candidate));
    else {
      matched.push(toMatched(receipt, candidate));
      if (isFinal(receipt.status)) ended.set(keyOf(candidate), receipt.status);
    }
  });
  return { matched, leftovers, ignored, late };
}
