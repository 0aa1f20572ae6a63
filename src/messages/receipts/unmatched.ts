/** Keeps, for the operator and for a month at most, receipts that belong to no message here or could not be read. */
import type { UnreadableReceipt } from '../../carriers/carrier.ts';
import { literal, rowSet, sql } from '../../storage/sql.ts';
import { inTurns, type Reading, readVerb, type Transaction, theNode, writeVerb } from '../../storage/verb.ts';
import { type MessageIdRule, otherForms, plainId } from '../../wire/smpp/message-id.ts';
import { sameId } from './match-store.ts';
import { agrees, type StoredReceipt } from './receipt.ts';

const columns = {
  carrier_id: 'bigint',
  carrier_message_id: 'text',
  other_ids: 'text',
  recipient: 'text',
  status: 'smallint',
  error_code: 'text',
  text: 'text',
  received_at: 'bigint',
} as const;

export async function keepUnmatched(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<void> {
  const rows = receipts.map((one) => {
    const forms = [...(one.submittedId === undefined ? [] : [one.submittedId]), ...(one.otherIds ?? [])];
    return [
      one.carrierId,
      one.carrierMessageId,
      forms.length === 0 ? null : JSON.stringify(forms),
      one.recipient ?? null,
      one.status,
      one.errorCode,
      null,
      one.receivedAt,
    ];
  });
  await transaction.insert('unmatched_receipts', columns, rows);
}

interface StoredUnreadable extends UnreadableReceipt {
  readonly carrierId: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

const maxTextLength = 1_000;

export const keepUnreadable = writeVerb<StoredUnreadable, null>(
  'messages.keepUnreadable',
  async (transaction, inputs) => {
    const rows = inputs.map(({ carrierId, carrierMessageId = null, recipient = null, text, receivedAt }) => [
      carrierId,
      carrierMessageId,
      null,
      recipient,
      null,
      null,
      text.slice(0, maxTextLength),
      receivedAt,
    ]);
    await transaction.insert('unmatched_receipts', columns, rows);
    return inputs.map(() => null);
  },
);

interface UnmatchedReceipt {
  readonly carrier: string;
  readonly receivedAt: number;
  readonly carrierMessageId: string | null;
  readonly recipient: string | null;
  /** Null when the receipt could not be read; the text is stored instead. */
  readonly status: number | null;
  readonly errorCode: string | null;
  readonly text: string | null;
}

export interface CarrierIdRule extends IdRuleEvidence {
  readonly carrier: string;
}

export interface UnmatchedReport {
  /** Newest first. */
  readonly receipts: readonly UnmatchedReceipt[];
  readonly idRules: readonly CarrierIdRule[];
}

interface UnmatchedQuery {
  /** The name of a carrier; null for all carriers. */
  readonly carrier: string | null;
  readonly limit: number;
}

/**
 * The latest receipts that belong to no message, and what their ids reveal about their carriers; null when there is no such
 * carrier.
 */
export const reportUnmatched = inTurns(
  readVerb(
    'messages.reportUnmatched',
    async (reading, { carrier, limit }: UnmatchedQuery): Promise<UnmatchedReport | null> => {
      const named = carrier === null ? sql`1 = 1` : sql`name = ${carrier}`;
      const carriers = await reading.all<{ id: number; name: string }>(
        sql`SELECT id, name FROM carriers WHERE ${named} ORDER BY name`,
      );
      if (carrier !== null && carriers.length === 0) return null;
      // Queried one by one, so that each query walks along an index for no more rows than are shown.
      const receipts: UnmatchedReceipt[] = [];
      const idRules: CarrierIdRule[] = [];
      for (const { id, name } of carriers) {
        receipts.push(...(await listUnmatchedOf(reading, id, name, limit)));
        const rule = await readIdRule(reading, id);
        if (rule !== undefined) idRules.push({ carrier: name, ...rule });
      }
      const newest = receipts.sort((a, b) => b.receivedAt - a.receivedAt).slice(0, limit);
      return { receipts: newest, idRules };
    },
  ),
  theNode,
);

/** Receipts of the same millisecond have no other order, so a place among them is how many of them come before it. */
export interface UnmatchedPlace {
  readonly time: number;
  readonly before: number;
}

interface UnmatchedPageQuery {
  /** The name of a carrier; undefined for all carriers. */
  readonly carrier: string | undefined;
  /** Undefined for the first page. */
  readonly after: UnmatchedPlace | undefined;
  readonly limit: number;
}

interface UnmatchedPage {
  /** Newest first. */
  readonly receipts: readonly UnmatchedReceipt[];
  readonly next: UnmatchedPlace | null;
}

export const listUnmatched = readVerb(
  'messages.listUnmatched',
  async (reading, { carrier, after, limit }: UnmatchedPageQuery): Promise<UnmatchedPage> => {
    const { time = Number.MAX_SAFE_INTEGER, before = 0 } = after ?? {};
    const named =
      carrier === undefined
        ? undefined
        : await reading.first<{ id: number }>(sql`SELECT id FROM carriers WHERE name = ${carrier}`);
    if (carrier !== undefined && named === undefined) return { receipts: [], next: null };
    // With the carrier in the order, PostgreSQL walks along its index, even if it has few receipts.
    const [ofCarrier, order] =
      named === undefined
        ? [sql`1 = 1`, sql`received_at DESC, carrier_id DESC`]
        : [sql`carrier_id = ${named.id}`, sql`carrier_id DESC, received_at DESC`];
    const rows = await reading.all<UnmatchedReceipt>(
      sql`SELECT received_at AS "receivedAt",
            (SELECT name FROM carriers WHERE carriers.id = unmatched_receipts.carrier_id) AS carrier,
            carrier_message_id AS "carrierMessageId", recipient, status, error_code AS "errorCode", text
          FROM unmatched_receipts WHERE ${ofCarrier} AND received_at <= ${time}
          ORDER BY ${order}, carrier_message_id, recipient, status, text
          LIMIT ${limit + 1} OFFSET ${before}`,
    );
    const receipts = rows.slice(0, limit);
    const last = receipts.at(-1);
    if (rows.length <= limit || last === undefined) return { receipts, next: null };
    const beside = receipts.filter(({ receivedAt }) => receivedAt === last.receivedAt).length;
    const earlier = last.receivedAt === time ? before : 0;
    return { receipts, next: { time: last.receivedAt, before: earlier + beside } };
  },
);

interface UnmatchedSum {
  readonly carrier: string;
  /** At most `maxSummed`. */
  readonly receipts: number;
  /** What the ids of the latest ones reveal about the carrier. */
  readonly idRule: IdRuleEvidence | undefined;
}

/** Receipts of a carrier are counted up to this many. */
export const maxSummed = 1_000;

/** The carriers with receipts that belong to no message, by name. */
export const sumUnmatched = inTurns(
  readVerb('messages.sumUnmatched', async (reading, _: null): Promise<readonly UnmatchedSum[]> => {
    const carriers = await reading.all<{ id: number; carrier: string }>(
      sql`SELECT id, name AS carrier FROM carriers ORDER BY name`,
    );
    const sums: UnmatchedSum[] = [];
    for (const { id, carrier } of carriers) {
      const counted = await reading.first<{ receipts: number }>(
        sql`SELECT COUNT(*) AS receipts FROM (
              SELECT 1 FROM unmatched_receipts WHERE carrier_id = ${id}
              ORDER BY carrier_id DESC, received_at DESC LIMIT ${literal(maxSummed)}) AS latest`,
      );
      const { receipts = 0 } = counted ?? {};
      if (receipts > 0) sums.push({ carrier, receipts, idRule: await readIdRule(reading, id) });
    }
    return sums;
  }),
  theNode,
);

async function listUnmatchedOf(
  reading: Reading,
  carrierId: number,
  carrier: string,
  limit: number,
): Promise<readonly UnmatchedReceipt[]> {
  const rows = await reading.all<Omit<UnmatchedReceipt, 'carrier'>>(
    sql`SELECT received_at AS "receivedAt", carrier_message_id AS "carrierMessageId", recipient, status,
               error_code AS "errorCode", text
        FROM unmatched_receipts WHERE carrier_id = ${carrierId} ORDER BY received_at DESC LIMIT ${limit}`,
  );
  return rows.map((row) => ({ carrier, ...row }));
}

/** Enough to distinguish a rule from chance. */
const sampleSize = 100;

async function readIdRule(reading: Reading, carrierId: number): Promise<IdRuleEvidence | undefined> {
  const unmatched = await reading.all<UnmatchedId>(
    sql`SELECT carrier_message_id AS id, recipient FROM (
          SELECT carrier_message_id, recipient, status FROM unmatched_receipts
          WHERE carrier_id = ${carrierId} ORDER BY received_at DESC LIMIT ${sampleSize}) AS latest
        WHERE status IS NOT NULL`,
  );
  if (unmatched.length === 0) return undefined;
  const keys = idsToLookFor(unmatched).map((id) => [carrierId, id]);
  const wanted = rowSet('wanted', { carrier_id: 'bigint', carrier_message_id: 'text' }, keys);
  const parts = await reading.all<SubmittedPart>(
    sql`SELECT message_parts.carrier_message_id AS id, messages.recipient, messages.sender
        FROM ${wanted}
        JOIN message_parts ON message_parts.carrier_id = wanted.carrier_id AND ${sameId('wanted')}
        JOIN messages ON messages.company_id = message_parts.company_id AND messages.id = message_parts.message_id`,
  );
  return findIdRule(unmatched, parts);
}

/** A receipt's id and the number that it names. */
export interface UnmatchedId {
  readonly id: string;
  readonly recipient: string | null;
}

/** A part that the carrier took. */
export interface SubmittedPart {
  readonly id: string;
  readonly recipient: string;
  readonly sender: string;
}

type DefiniteRule = Exclude<MessageIdRule, 'auto'>;

interface IdRuleEvidence {
  readonly rule: DefiniteRule;
  /** How many ids match a part under this rule. */
  readonly matching: number;
  readonly of: number;
}

const rules: readonly DefiniteRule[] = ['text', 'hexToDecimal', 'decimalToHex'];

/** One or two may match by chance, especially if ids are short. */
const fewest = 3;

function formUnder(id: string, rule: DefiniteRule): string {
  return plainId(otherForms(id, rule)[0] ?? id);
}

/** The ids under which parts have to be looked up, ignoring leading zeros and letter case. */
export function idsToLookFor(unmatched: readonly UnmatchedId[]): readonly string[] {
  return [...new Set(unmatched.flatMap(({ id }) => rules.map((rule) => formUnder(id, rule))))];
}

/**
 * Derives, from receipts that belong to no message, how a carrier's ids in receipts relate to those at submission: by the
 * rule under which most ids match a part sent to the same number, if some rule achieves that for more than half of them.
 */
export function findIdRule(
  unmatched: readonly UnmatchedId[],
  parts: readonly SubmittedPart[],
): IdRuleEvidence | undefined {
  const byId = new Map<string, SubmittedPart[]>();
  for (const part of parts) {
    const id = plainId(part.id);
    byId.set(id, [...(byId.get(id) ?? []), part]);
  }
  const isOfPart = ({ id, recipient }: UnmatchedId, rule: DefiniteRule) => {
    const reported = recipient === null ? {} : { recipient };
    return byId.get(formUnder(id, rule))?.some((part) => agrees(reported, part)) ?? false;
  };
  const [best] = rules
    .map((rule) => ({
      rule,
      matching: unmatched.filter((one) => isOfPart(one, rule)).length,
      of: unmatched.length,
    }))
    .sort((a, b) => b.matching - a.matching);
  return best !== undefined && best.matching >= fewest && best.matching * 2 > best.of ? best : undefined;
}
