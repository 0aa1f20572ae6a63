/**
 * Puts an incoming SMS of several parts together. Each part is stored as it comes, the SMS itself with the last part or when
 * its time is up. Parts come in any order, twice, or not at all, and the reference that they share is soon used again for
 * another SMS (3GPP TS 23.040 9.2.3.24.1).
 *
 *   first part ──▶ open ──last missing part──▶ ended: whole
 *                   └──an hour, or a part that contradicts──▶ ended: with gaps
 */

import type { PersonSecret } from '../../opt-outs/person-digest.ts';
import { amongUnlocked, forUpdate, raw, type Sql, skipLocked, sql } from '../../storage/sql.ts';
import { singleWriteVerb, type Transaction, writeVerb } from '../../storage/verb.ts';
import { joinPartTexts } from '../../wire/smpp/concatenation.ts';
import { normaliseText } from '../../wire/sms/normalise.ts';
import { noteReceived, type ReceivedSms } from '../conversation-rows.ts';
import { jobAnswerOwner } from './job-answers.ts';
import { findHolder, keepIncoming } from './store.ts';

/** The SMS that a part belongs to, as far as it is known. */
export interface IncomingAssembly {
  /** By position; null for a part that has not come. */
  readonly texts: readonly (string | null)[];
  readonly startedAt: number;
  /** Null while it is open. */
  readonly endedAt: number | null;
}

/** Phones send the parts within seconds; an hour leaves time for a carrier to repeat what was not confirmed. */
export const assemblyMs = 60 * 60 * 1_000;
/**
 * For this long after the end, a repeated part is recognised as such. Carriers repeat unanswered parts within minutes, after
 * a time-out and a new bind. A longer time would lose SMS: a sender that numbers badly or has restarted reuses the reference,
 * and the same long text sent again would be taken for a repetition.
 */
export const rememberedMs = 10 * 60 * 1_000;

/** Replaces each part that never came. */
const gap = '[…]';

interface NewPart {
  /** Counted from 1. */
  readonly part: number;
  readonly parts: number;
  readonly text: string;
}

type PartResult =
  /** The part has already come. */
  | { readonly kind: 'known' }
  | { readonly kind: 'added'; readonly texts: IncomingAssembly['texts']; readonly isWhole: boolean }
  /** The part begins another SMS; the assembly ends here if it is open. */
  | { readonly kind: 'begins'; readonly texts: IncomingAssembly['texts'] };

export function addPart(assembly: IncomingAssembly, { part, parts, text }: NewPart, now: number): PartResult {
  const begins: PartResult = {
    kind: 'begins',
    texts: Array.from({ length: parts }, (_, index) => (index === part - 1 ? text : null)),
  };
  const known = assembly.texts[part - 1] ?? null;
  const isLate = isPast(assembly, now);
  // An assembly open beyond its time waits to be ended, with this part included.
  if (known === text && !(isLate && assembly.endedAt !== null)) return { kind: 'known' };
  if (known !== null || isLate || assembly.endedAt !== null) return begins;
  const texts = Array.from({ length: parts }, (_, index) =>
    index === part - 1 ? text : (assembly.texts[index] ?? null),
  );
  return { kind: 'added', texts, isWhole: !texts.includes(null) };
}

/** A time in the future comes from a clock that has since been set back, so it says nothing. */
function isPast({ startedAt, endedAt }: IncomingAssembly, now: number): boolean {
  return endedAt === null ? Math.abs(now - startedAt) >= assemblyMs : Math.abs(now - endedAt) >= rememberedMs;
}

/** Joins the parts first, since a part may end in half a character that the next one completes. */
export function joinParts(texts: IncomingAssembly['texts']): string {
  return joinPartTexts(texts.map((text) => text ?? gap));
}

/** The values that the parts of one SMS share. */
interface AssemblyKey {
  readonly carrierId: number;
  readonly sender: string;
  readonly recipient: string;
  readonly reference: number;
  readonly parts: number;
}

interface IncomingPart extends AssemblyKey, NewPart {
  /** The id of the SMS if this is its first part. */
  readonly id: number;
  readonly receivedAt: number;
  readonly personSecret?: PersonSecret;
}

interface PartStored {
  /** The id of the SMS that the part belongs to. */
  readonly id: number;
  /** Undefined while other parts are still to come. */
  readonly owner: number | null | undefined;
}

interface AssemblyRow {
  readonly id: number;
  /** JSON, because it also holds half a character, which no database stores as text. */
  readonly texts: string;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly renter_id: number | null;
  readonly number_company_id: number | null;
}

export const storeIncomingPart = writeVerb<IncomingPart, PartStored>(
  'messages.storeIncomingPart',
  async (transaction, parts) => {
    // All nodes use the same order, so that no two of them deadlock.
    const inOrder = [...parts.entries()].sort(([i, a], [j, b]) => compareKeys(a, b) || i - j);
    const answers: PartStored[] = new Array(parts.length);
    const whole: ReceivedSms[] = [];
    for (const [index, part] of inOrder) answers[index] = await storePart(transaction, part, whole);
    await noteReceived(transaction, whole);
    return answers;
  },
);

/** An SMS that becomes whole and belongs to somebody is added to `whole`. */
async function storePart(
  transaction: Transaction,
  part: IncomingPart,
  whole: ReceivedSms[],
): Promise<PartStored> {
  const row = await openAssembly(transaction, part);
  const assembly = {
    texts: JSON.parse(row.texts) as (string | null)[],
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
  const step = addPart(assembly, part, part.receivedAt);
  if (step.kind === 'known') {
    return { id: row.id, owner: row.ended_at === null ? undefined : await ownerOf(transaction, row.id) };
  }
  const texts = JSON.stringify(step.texts);
  if (step.kind === 'begins') {
    if (row.ended_at === null) await keepAssembled(transaction, part, row, part.receivedAt, whole);
    const holder = await findHolder(transaction, part.recipient);
    await changeAssembly(transaction, part, {
      id: part.id,
      texts,
      started_at: part.receivedAt,
      ended_at: null,
      renter_id: holder.renterId,
      number_company_id: holder.companyId,
    });
    return { id: part.id, owner: undefined };
  }
  const added = { ...row, texts, ended_at: step.isWhole ? part.receivedAt : null };
  await changeAssembly(transaction, part, added);
  const owner = step.isWhole
    ? await keepAssembled(transaction, part, added, part.receivedAt, whole, part.personSecret)
    : undefined;
  return { id: row.id, owner };
}

function compareKeys(a: AssemblyKey, b: AssemblyKey): number {
  const [first, second] = [a, b].map((key) =>
    JSON.stringify([key.sender, key.recipient, key.reference, key.parts, key.carrierId]),
  );
  return first === second ? 0 : (first as string) < (second as string) ? -1 : 1;
}

function keyIs({ carrierId, sender, recipient, reference, parts }: AssemblyKey): Sql {
  return sql`carrier_id = ${carrierId} AND sender = ${sender} AND recipient = ${recipient}
    AND reference = ${reference} AND parts = ${parts}`;
}

const assemblyColumns = raw('id, texts, started_at, ended_at, renter_id, number_company_id');

/** Opens the existing assembly, or a new one without any text. */
async function openAssembly(transaction: Transaction, part: IncomingPart): Promise<AssemblyRow> {
  for (;;) {
    // Two parts of one SMS may reach two nodes at once.
    const row = await transaction.first<AssemblyRow>(
      sql`SELECT ${assemblyColumns} FROM incoming_assemblies WHERE ${keyIs(part)} ${forUpdate}`,
    );
    if (row !== undefined) return row;
    const { renterId, companyId } = await findHolder(transaction, part.recipient);
    // Another node may have opened the assembly first, or forgotten it meanwhile, so it is looked up again.
    await transaction.run(
      sql`INSERT INTO incoming_assemblies
            (carrier_id, sender, recipient, reference, parts, id, texts, started_at, ended_at,
             renter_id, number_company_id)
          VALUES (${part.carrierId}, ${part.sender}, ${part.recipient}, ${part.reference}, ${part.parts},
            ${part.id}, '[]', ${part.receivedAt}, NULL, ${renterId}, ${companyId})
          ON CONFLICT (carrier_id, sender, recipient, reference, parts) DO NOTHING`,
    );
  }
}

async function changeAssembly(
  transaction: Transaction,
  key: AssemblyKey,
  { id, texts, started_at, ended_at, renter_id, number_company_id }: AssemblyRow,
): Promise<void> {
  await transaction.run(
    sql`UPDATE incoming_assemblies SET id = ${id}, texts = ${texts}, started_at = ${started_at},
          ended_at = ${ended_at}, renter_id = ${renter_id}, number_company_id = ${number_company_id}
        WHERE ${keyIs(key)}`,
  );
}

async function keepAssembled(
  transaction: Transaction,
  { sender, recipient }: AssemblyKey,
  { id, texts, started_at, renter_id: renterId, number_company_id: companyId }: AssemblyRow,
  receivedAt: number,
  whole: ReceivedSms[],
  personSecret?: PersonSecret,
): Promise<number | null> {
  const text = normaliseText(joinParts(JSON.parse(texts) as (string | null)[]));
  const firstPart = { at: Math.min(started_at, receivedAt), renterId, companyId };
  const sms = { id, sender, recipient, text, receivedAt, firstPart, personSecret };
  const kept = await keepIncoming(transaction, sms);
  if (kept !== null) whole.push(kept);
  return kept?.userId ?? null;
}

async function ownerOf(transaction: Transaction, id: number): Promise<number | null> {
  const row = await transaction.first<{ user_id: number | null }>(
    sql`SELECT user_id FROM incoming_messages WHERE id = ${id}`,
  );
  return row?.user_id ?? (await jobAnswerOwner(transaction, id)) ?? null;
}

interface EndedAssemblies {
  readonly delivered: readonly DeliveredAssembly[];
  /** How many assemblies were removed because they ended long ago. */
  readonly forgotten: number;
}

interface DeliveredAssembly {
  readonly carrierId: number;
  readonly routed: boolean;
}

/** Stores incomplete SMS whose other parts never came, and forgets assemblies that ended long ago. */
export const endAssemblies = singleWriteVerb(
  'messages.endAssemblies',
  async (
    transaction,
    { now, limit }: { readonly now: number; readonly limit: number },
  ): Promise<EndedAssemblies> => {
    // Queries one index range after the other: a query for both at once would walk through everything between them.
    const open = (range: Sql) =>
      transaction.all<AssemblyRow & AssemblyKey>(
        sql`SELECT ${assemblyColumns}, carrier_id AS "carrierId", sender, recipient, reference, parts
            FROM incoming_assemblies WHERE ended_at IS NULL AND ${range}
            ORDER BY started_at LIMIT ${limit} ${skipLocked}`,
      );
    const rows = [
      ...(await open(sql`started_at <= ${now - assemblyMs}`)),
      ...(await open(sql`started_at >= ${now + assemblyMs}`)),
    ].slice(0, limit);
    const delivered: DeliveredAssembly[] = [];
    const whole: ReceivedSms[] = [];
    for (const row of rows) {
      const owner = await keepAssembled(transaction, row, row, now, whole);
      delivered.push({ carrierId: row.carrierId, routed: owner !== null });
      await changeAssembly(transaction, row, { ...row, ended_at: now });
    }
    const forget = (range: Sql) =>
      transaction.run(
        sql`DELETE FROM incoming_assemblies WHERE ${amongUnlocked(
          'carrier_id, sender, recipient, reference, parts',
          sql`incoming_assemblies WHERE ended_at IS NOT NULL AND ${range} ORDER BY ended_at LIMIT ${limit}`,
        )}`,
      );
    const old = await forget(sql`ended_at <= ${now - rememberedMs}`);
    const ahead = await forget(sql`ended_at >= ${now + rememberedMs}`);
    await noteReceived(transaction, whole);
    return { delivered, forgotten: old + ahead };
  },
  ({ limit }) => 3 * limit,
);
