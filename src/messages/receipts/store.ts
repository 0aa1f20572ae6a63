/** Turns carriers' reports on the parts they took into the statuses of messages. */
import { andEach, fromEach, literal, orFail, raw, sql } from '../../storage/sql.ts';
import { byKeys, packed, type Transaction, writeVerb } from '../../storage/verb.ts';
import { isFinal, mayBecomeSql, status } from '../message.ts';
import type { OutcomeRecord } from '../outcome.ts';
import { statusBecomes } from '../status-change.ts';
import { keepEvents, type MessageEvent } from '../timeline-store.ts';
import { holdForAnswers } from './held-store.ts';
import {
  findByExactId,
  type Looked,
  leftoversOf,
  lookCloser,
  type Matched,
  matchedOf,
} from './match-store.ts';
import { carriersWithOneReceipt, combineMultipart } from './multipart-store.ts';
import { park, unparkOvertaken } from './parked-store.ts';
import {
  agrees,
  comesAgain,
  idOf,
  inOrderOfArrival,
  isFault,
  type Leftover,
  type StoredReceipt,
  setsOfReceipts,
} from './receipt.ts';
import { takeReceiptsOfTests } from './tested-carriers.ts';

/**
 * Stores receipts; those whose message is not known (yet) are parked. Returns the indexes of receipts left untouched because
 * their part may have another form of their id; they have to be passed in again with these forms.
 */
export const recordReceipts = packed(
  setsOfReceipts,
  byKeys(
    writeVerb<readonly StoredReceipt[], readonly number[]>(
      'messages.recordReceipts',
      async (transaction, inputs) => {
        const receipts = inputs.length === 1 ? (inputs[0] as readonly StoredReceipt[]) : inputs.flat();
        const leftovers = await takeReceiptsOfTests(transaction, await applyReceipts(transaction, receipts));
        const wanting = new Set<StoredReceipt>();
        const parked: StoredReceipt[] = [];
        for (const { receipt, outcome } of leftovers) {
          if (outcome !== 'held' && comesAgain(receipt)) wanting.add(receipt);
          else parked.push(receipt);
        }
        if (parked.length > 0) await park(transaction, parked);
        return inputs.map((receipts) =>
          wanting.size === 0
            ? []
            : receipts.flatMap((receipt, index) => (wanting.has(receipt) ? [index] : [])),
        );
      },
      (receipts) => receipts.length,
    ),
  ),
);

/**
 * Returns the receipts that belong to no message, or to none that they may change. The receipts of a part count in
 * order of arrival: if one overtakes parked receipts, the parked ones come first, and are returned too if they have no
 * effect. If another transaction is retrying those, the receipt has to wait.
 */
export async function applyReceipts(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<readonly Leftover[]> {
  const leftovers = await applyInOrder(transaction, receipts);
  const overtaking = leftovers
    .filter(({ outcome }) => outcome === 'overtaking')
    .map(({ receipt }) => receipt);
  if (overtaking.length === 0) return leftovers;
  const overtaken = await unparkOvertaken(transaction, overtaking);
  if (overtaken.length === 0) return leftovers;
  const others = leftovers.filter(({ outcome }) => outcome !== 'overtaking');
  const inOrder = inOrderOfArrival<StoredReceipt>([...overtaken, ...overtaking]);
  return [...others, ...(await applyInOrder(transaction, inOrder))];
}

async function applyInOrder(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<readonly Leftover[]> {
  if (receipts.length === 0) return [];
  const { plain, others } = byForms(receipts);
  const found = await findByExactId(transaction, plain);
  await keepEvents(transaction, receiptEvents('receipt', matchedOf(found, 'noNews')), 'to be locked');
  const unmoved = await applyMatched(transaction, matchedOf(found, 'counts'), 'to be compared');
  const leftovers = leftoversOf(found);
  // Looked up by the id alone, a late receipt may have matched a part that went to another number.
  const unclear = [...unmoved, ...receiptsOf(matchedOf(found, 'late')), ...others];
  if (unclear.length === 0) return leftovers;
  const closer = await lookCloser(transaction, unclear, 'what was taken lately');
  await applyCloser(transaction, closer);
  const late = new Set(receiptsOf(matchedOf(closer, 'late')));
  const ofOld = await applyLate(
    transaction,
    receipts.filter((receipt) => late.has(receipt)),
  );
  return [...leftovers, ...leftoversOf(closer), ...ofOld];
}

function receiptsOf(matched: readonly Matched[]): readonly StoredReceipt[] {
  return matched.map(({ receipt }) => receipt);
}

/**
 * If one receipt is looked up under other forms of its id, all receipts with that id are looked up in that way, so that
 * none gets ahead of it.
 */
function byForms(receipts: readonly StoredReceipt[]) {
  const withForms = receipts.filter(({ otherIds }) => otherIds !== undefined);
  if (withForms.length === 0) return { plain: receipts, others: [] };
  const keyOf = (receipt: StoredReceipt) => `${receipt.carrierId}/${idOf(receipt)}`;
  const keys = new Set(withForms.map(keyOf));
  const [plain, others]: [StoredReceipt[], StoredReceipt[]] = [[], []];
  for (const receipt of receipts) (keys.has(keyOf(receipt)) ? others : plain).push(receipt);
  return { plain, others };
}

/**
 * Applies receipts of parts that were taken long ago. Messages in flight are examined before the parts, because a response
 * may be stored in between, and then its part is found.
 */
async function applyLate(
  transaction: Transaction,
  late: readonly StoredReceipt[],
): Promise<readonly Leftover[]> {
  if (late.length === 0) return [];
  const held = await holdForAnswers(transaction, late);
  const clear = late.filter((receipt) => !held.has(receipt));
  const closer = await lookCloser(transaction, clear, 'all');
  await applyCloser(transaction, closer);
  return [...leftoversOf(closer), ...[...held].map((receipt) => ({ receipt, outcome: 'held' }) as const)];
}

async function applyCloser(
  transaction: Transaction,
  looked: readonly Looked[],
  counting = matchedOf(looked, 'counts'),
): Promise<void> {
  await applyMatched(transaction, counting, 'agree');
  await keepEvents(
    transaction,
    receiptEvents('receipt ignored', matchedOf(looked, 'repeated')),
    'to be locked',
  );
}

/**
 * These receipts have been parked for a long time, so they can only belong to parts taken before they arrived. Returns
 * those that change nothing.
 */
export async function applyOld(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<readonly Leftover[]> {
  if (receipts.length === 0) return [];
  const looked = await lookCloser(transaction, receipts, 'all');
  const counting = matchedOf(looked, 'counts');
  const isSure = ({ takenAt, receipt }: Matched) => takenAt <= receipt.receivedAt;
  await applyCloser(transaction, looked, counting.filter(isSure));
  const unsure = receiptsOf(counting.filter((one) => !isSure(one)));
  return [...unsure.map((receipt) => ({ receipt, outcome: 'unknown' }) as const), ...leftoversOf(looked)];
}

/**
 * Returns the receipts that turned out to change nothing or, if the number is still to be compared, to be about another
 * number.
 */
async function applyMatched(
  transaction: Transaction,
  matched: readonly Matched[],
  numbers: 'to be compared' | 'agree',
): Promise<readonly StoredReceipt[]> {
  const single = matched.filter(({ parts }) => parts === 1);
  const changes = single.map((one) =>
    toChange(one, one.receipt.status, numbers === 'agree' ? undefined : one.receipt.recipient),
  );
  const multipart = matched.filter(({ parts }) => parts > 1);
  const unmoved: StoredReceipt[] = [];
  if (multipart.length > 0) {
    const { combinations, unmoved: others } = await combineMultipart(transaction, multipart);
    changes.push(...combinations.map(({ one, combined }) => toChange(one, combined)));
    unmoved.push(...others);
  }
  const changed = await changeStatuses(transaction, changes);
  if (changed < changes.length) unmoved.push(...(await findUnmoved(transaction, single)));
  // The final receipt is in the rows; earlier receipts are stored nowhere else.
  const further = matched.filter(({ receipt }) => !isFinal(receipt.status) && !unmoved.includes(receipt));
  await keepEvents(transaction, receiptEvents('receipt', further));
  return unmoved;
}

function receiptEvents(
  kind: 'receipt' | 'receipt ignored',
  matched: readonly Matched[],
): readonly MessageEvent[] {
  return matched.map(({ companyId, messageId, part, receipt }) => ({
    companyId,
    messageId,
    part,
    kind,
    at: receipt.receivedAt,
    carrierId: receipt.carrierId,
    status: receipt.status,
    errorCode: receipt.errorCode,
    receipt: receipt.text ?? null,
  }));
}

/** Company, message, new status, final?, time, reason, the number that it must have been sent to, the receipt's text. */
type Change = [number, number, number, number, number, string | null, string | null, string | null];

const codeReason = "the carrier's code is ";

/** The carrier's code for a message's status, taken from the reason that its receipt left. */
export function errorCodeOf(reason: string | null): string | null {
  return reason?.startsWith(codeReason) ? reason.slice(codeReason.length) : null;
}

function toChange(
  { companyId, messageId, parts, receipt }: Matched,
  code: number,
  recipient?: string,
): Change {
  const { receivedAt, errorCode } = receipt;
  const reason = errorCode !== null && isFault(errorCode) ? codeReason + errorCode : null;
  // If there are several parts, each keeps the text of its own receipt.
  const text = parts === 1 && isFinal(code) ? (receipt.text ?? null) : null;
  return [companyId, messageId, code, isFinal(code) ? 1 : 0, receivedAt, reason, recipient ?? null, text];
}

const changeColumns = {
  company_id: 'bigint',
  id: 'bigint',
  status: 'smallint',
  final: 'smallint',
  changed_at: 'bigint',
  reason: 'text',
  recipient: 'text',
  receipt: 'text',
} as const;

const changing = sql`UPDATE ${orFail} messages SET ${statusBecomes(raw('each.status'), raw('each.changed_at'))},
    expired_by_timer = 0, reason = each.reason, receipt = each.receipt,
    stage = CASE WHEN each.final = 1 THEN NULL ELSE messages.stage END,
    due_at = CASE WHEN each.final = 1 THEN NULL ELSE messages.due_at END
  ${fromEach}
  WHERE messages.company_id = each.company_id AND messages.id = each.id
    AND (each.recipient IS NULL OR messages.recipient = each.recipient)
    AND ${raw(mayBecomeSql('messages', 'each.status'))}`;

/**
 * The statement itself contains the state rule, so a change that comes too late changes nothing. Neither does a change for a
 * message to another number. Returns how many were changed.
 */
async function changeStatuses(transaction: Transaction, changes: readonly Change[]): Promise<number> {
  let changed = 0;
  for (const round of rounds(changes)) {
    changed += await transaction.each(changeColumns, round, changing);
  }
  return changed;
}

/** A statement may change a row only once, so further changes of a message go into further rounds, in order. */
function rounds(changes: readonly Change[]): readonly (readonly Change[])[] {
  const result: Change[][] = [];
  const seen = new Map<number, number>();
  for (const change of changes) {
    const round = seen.get(change[1]) ?? 0;
    seen.set(change[1], round + 1);
    const changesOfRound = result[round] ?? [];
    result[round] = changesOfRound;
    changesOfRound.push(change);
  }
  return result;
}

/** The receipts for messages of one part that did not give their message its present status. */
async function findUnmoved(
  transaction: Transaction,
  matched: readonly Matched[],
): Promise<readonly StoredReceipt[]> {
  const rows = await transaction.allOfEach<{
    n: number;
    status: number;
    changed_at: number;
    recipient: string;
    sender: string;
  }>(
    { n: 'integer', company_id: 'bigint', id: 'bigint' },
    matched.map(({ companyId, messageId }, index) => [index, companyId, messageId]),
    sql`SELECT each.n AS n, messages.status, messages.changed_at, messages.recipient, messages.sender
        FROM messages ${andEach} WHERE messages.company_id = each.company_id AND messages.id = each.id`,
  );
  const moved = new Set<StoredReceipt>();
  for (const row of rows) {
    const { receipt } = matched[row.n] as Matched;
    if (row.status === receipt.status && row.changed_at === receipt.receivedAt && agrees(receipt, row)) {
      moved.add(receipt);
    }
  }
  return matched.map(({ receipt }) => receipt).filter((receipt) => !moved.has(receipt));
}

/**
 * Handles parts that a carrier took after its only receipt for their message: the receipt counts for them too. A part
 * is taken later than its siblings if it was throttled or in doubt and then sent again. A second receipt may never come
 * for it. Only DELIVERED can have been reported by then, since a failure ends the message, and a receipt that is not
 * final is followed by others.
 */
export async function tellLaterParts(
  transaction: Transaction,
  records: readonly OutcomeRecord[],
): Promise<void> {
  const later = records.flatMap(laterParts);
  if (later.length === 0) return;
  const rows = await transaction.allOfEach<{ readonly n: number }>(
    { n: 'integer', company_id: 'bigint', message_id: 'bigint', part: 'smallint' },
    later.map(({ companyId, messageId, part }, index) => [index, companyId, messageId, part]),
    sql`SELECT each.n AS n FROM message_parts ${andEach}
        WHERE message_parts.company_id = each.company_id AND message_parts.message_id = each.message_id
          AND message_parts.part = each.part AND message_parts.status = ${literal(status.SENT)}
          AND message_parts.carrier_id IN ${carriersWithOneReceipt}
          AND EXISTS (SELECT 1 FROM message_parts AS reported
            WHERE reported.company_id = message_parts.company_id AND reported.message_id = message_parts.message_id
              AND reported.carrier_id = message_parts.carrier_id AND reported.status = ${literal(status.DELIVERED)})`,
  );
  if (rows.length === 0) return;
  await applyMatched(
    transaction,
    rows.map(({ n }) => later[n] as Matched),
    'agree',
  );
}

/** Parts of messages that had been claimed before, each with the receipt that its siblings may have had. */
function laterParts({ carrierId, now, advances, taken }: OutcomeRecord): readonly Matched[] {
  const again = new Set(advances.filter(({ attempts }) => attempts > 1).map(({ id }) => id));
  if (again.size === 0) return [];
  return taken
    .filter(({ messageId, parts }) => parts > 1 && again.has(messageId))
    .map(({ companyId, messageId, part, parts, carrierMessageId, answeredAt }) => ({
      companyId,
      messageId,
      part,
      parts,
      takenAt: answeredAt,
      receipt: { carrierId, carrierMessageId, status: status.DELIVERED, errorCode: null, receivedAt: now },
    }));
}
