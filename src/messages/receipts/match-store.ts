/**
 * Finds the part that a receipt is about. Nearly always one part has the exact id; less clear cases get a closer look: ids
 * that a carrier reuses or writes in another form, and numbers that do not agree.
 */
import { andEach, type Fragment, raw, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import type { Transaction } from '../../storage/verb.ts';
import { plainId } from '../../wire/smpp/message-id.ts';
import { isFinal } from '../message.ts';
import {
  type Candidate,
  choose,
  type FoundPart,
  hasExactId,
  isMeantBefore,
  keyOf,
  outcomeByExactId,
} from './choice.ts';
import { overtakes } from './parked-store.ts';
import { idOf, type Leftover, type ReceiptOutcome, type StoredReceipt } from './receipt.ts';

/** A receipt with the part that it is about. */
export interface Matched {
  readonly receipt: StoredReceipt;
  readonly companyId: number;
  readonly messageId: number;
  readonly part: number;
  readonly parts: number;
  /** When the carrier's response for the part came. */
  readonly takenAt: number;
}

type MatchedOutcome = Exclude<ReceiptOutcome, Leftover['outcome']>;

/** A receipt with its outcome and, unless it changes nothing now, its part. */
export type Looked =
  | { readonly receipt: StoredReceipt; readonly outcome: MatchedOutcome; readonly matched: Matched }
  | Leftover;

export function matchedOf(looked: readonly Looked[], outcome: MatchedOutcome): readonly Matched[] {
  return looked.flatMap((one) => (one.outcome === outcome ? [one.matched] : []));
}

export function leftoversOf(looked: readonly Looked[]): readonly Leftover[] {
  return looked.filter((one): one is Leftover => !('matched' in one));
}

function looked(receipt: StoredReceipt, outcome: ReceiptOutcome, part: FoundPart | undefined): Looked {
  return part === undefined || outcome === 'overtaking'
    ? ({ receipt, outcome } as Leftover)
    : ({ receipt, outcome, matched: toMatched(receipt, part) } as Looked);
}

/** Uses the id alone without looking at the messages. Carriers reuse ids, so the latest of several parts is meant. */
export async function findByExactId(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<readonly Looked[]> {
  const keys = receipts.map((receipt, index) => [
    index,
    receipt.carrierId,
    idOf(receipt),
    ...sortedBy(receipt),
  ]);
  const found = await transaction.allOfEach<FoundPart>(exactColumns, keys, findingByExactId);
  const latest = new Map<number, FoundPart>();
  for (const row of found) {
    const receipt = receipts[row.n] as StoredReceipt;
    // If the form used at submission is known, only zeros and letter case can differ.
    if (!hasExactId(receipt, row) && receipt.submittedId === undefined) continue;
    const other = latest.get(row.n);
    if (other === undefined || isMeantBefore(receipt, row, other)) latest.set(row.n, row);
  }
  return receipts.map((receipt, index) => {
    const part = latest.get(index);
    return looked(receipt, part === undefined ? 'unknown' : outcomeByExactId(receipt, part), part);
  });
}

/**
 * The condition that the part has the id of a row in this set. Carriers write ids with and without zeros, to any width,
 * so ids are compared without leading zeros and letter case; the index of the parts stores them that way.
 */
export function sameId(set: string): Fragment {
  return raw(`${plain('message_parts')} = ${plain(set)}`);
}

function plain(table: string): string {
  return `ltrim(lower(${table}.carrier_message_id), '0')`;
}

const keyColumns = { n: 'integer', carrier_id: 'bigint', carrier_message_id: 'text' } as const;
/** Columns that show which receipts came earlier. */
const sortColumns = { received_at: 'bigint', recipient: 'text' } as const;

function sortedBy({ receivedAt, recipient }: StoredReceipt): Row {
  return [receivedAt, recipient ?? null];
}

function mayBeWrittenOtherwise({ otherIds, submittedId }: StoredReceipt): boolean {
  return otherIds !== undefined || submittedId !== undefined;
}

/** The ids to look for, each only once, ignoring leading zeros and letter case. */
export function plainIdsOf(receipt: StoredReceipt): readonly string[] {
  return [...new Set([idOf(receipt), ...(receipt.otherIds ?? [])].map(plainId))];
}

/** Computed from columns of the row that is read anyway. */
const takenAt = raw('COALESCE(message_parts.answered_at, message_parts.changed_at)');

const exactColumns = { ...keyColumns, ...sortColumns } as const;

const findingByExactId = sql`SELECT each.n AS n, message_parts.company_id, message_parts.message_id, message_parts.part,
    message_parts.parts, message_parts.carrier_message_id, message_parts.submitted_at, ${takenAt} AS taken_at,
    ${overtakes('carrier_message_id')} AS overtakes
  FROM message_parts ${andEach}
  WHERE message_parts.carrier_id = each.carrier_id AND ${sameId('each')}`;

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

/** Considers all forms of the id, the number, and what the messages may still become. */
export async function lookCloser(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
  counting: 'what was taken lately' | 'all',
): Promise<readonly Looked[]> {
  if (receipts.length === 0) return [];
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
    if (hasExactId(receipt, row) || mayBeWrittenOtherwise(receipt)) candidates[row.n]?.push(row);
  }
  /** Parts that a receipt of this set brings to their end, with the final status. */
  const ended = new Map<string, number>();
  return receipts.map((receipt, index) => {
    const { outcome, part } = choose(receipt, candidates[index] ?? [], ended, counting);
    if (outcome === 'counts' && isFinal(receipt.status)) ended.set(keyOf(part), receipt.status);
    return looked(receipt, outcome, part);
  });
}
