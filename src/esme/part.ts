/**
 * Parts of texts that a client has split itself. Each is acknowledged when it is stored; when all have come they become one
 * message, and what has waited for a minute becomes a message of its own.
 */
import { type Fragment, forUpdate, fromEach, oneOf, sql } from '../storage/sql.ts';
import { bigint, integer, json, StoredRecord, text } from '../storage/stored-record.ts';
import { readVerb, refusable, singleWriteVerb, type Transaction, writeVerb } from '../storage/verb.ts';
import type { Reported } from './accept-store.ts';

/** What is sent of a part, and reported to the client. */
export interface PartContent extends Omit<Reported, 'shownId'> {
  readonly text: string;
  readonly from: string | undefined;
  readonly flash: boolean;
  readonly validminutes: number;
  readonly scheduletime: string | undefined;
  readonly companyId: number;
  /** What the message would have if the part went out alone. */
  readonly sender: string;
  readonly carrierId: number;
  readonly receivedAt: number;
}

interface TextKey {
  readonly userId: number;
  readonly recipient: string;
  readonly sender: string;
  /** The client's reference for all parts of the text. */
  readonly reference: number;
  readonly parts: number;
}

export interface Part extends TextKey {
  /** 0 while the text waits for further parts; then that of the last, or the part's own if it goes out alone. */
  readonly textId: number;
  /** From 1 to `parts`. */
  readonly part: number;
  /** The id told to the client. */
  readonly id: number;
  readonly content: PartContent;
  readonly dueAt: number;
}

/** How long a part waits for the others of its text. */
export const partsWaitMs = 60_000;

/** Parts of a user that may wait at a time; what completes a text is taken even so. */
export const maxWaitingParts = 2_000;

const stored = new StoredRecord({
  userId: bigint,
  recipient: text,
  sender: text,
  reference: integer,
  parts: integer,
  textId: bigint,
  part: integer,
  id: bigint,
  content: json<PartContent>(),
  dueAt: bigint,
});

export type NewPart = Omit<Part, 'textId'>;

/** `text`: all parts, if this was the last of them. A part that comes again keeps the id that it has. */
export type Kept = { readonly id: number; readonly text: readonly Part[] | null } | 'full';

interface Keeping {
  readonly part: NewPart;
  /** More parts of the user may not wait. */
  readonly most: number;
}

/** A complete text leaves its key, and so does a part in whose place another comes: the reference may be used again. */
export const keepPart = refusable(
  writeVerb<Keeping, Kept>(
    'esme.keepPart',
    async (transaction, inputs) => {
      await lockUsers(
        transaction,
        inputs.map(({ part }) => part.userId),
      );
      const waiting = new Map<number, number>();
      const outcomes: Kept[] = [];
      for (const { part, most } of inputs) {
        const { userId } = part;
        const count = waiting.get(userId) ?? (await countWaiting(transaction, userId, most));
        const kept = await keep(transaction, part, count >= most);
        waiting.set(userId, count + 1);
        outcomes.push(kept);
      }
      return outcomes;
    },
    // Its statements go one by one, since the parts of one text may come together.
    () => 5,
  ),
);

/** One node at a time changes the texts of a user, so that one of them sees the last part. */
async function lockUsers(transaction: Transaction, userIds: readonly number[]): Promise<void> {
  const ids = [...new Set(userIds)];
  await transaction.all(
    sql`SELECT user_id FROM smpp_logins WHERE user_id ${oneOf('bigint', ids)} ORDER BY user_id ${forUpdate}`,
  );
}

async function countWaiting(transaction: Transaction, userId: number, most: number): Promise<number> {
  const found = await transaction.first<{ count: number }>(
    sql`SELECT COUNT(*) AS count
        FROM (SELECT part FROM esme_parts WHERE user_id = ${userId} LIMIT ${most}) AS waiting`,
  );
  return found?.count ?? 0;
}

function ofText({ userId, recipient, sender, reference, parts }: TextKey, textId: number): Fragment {
  return sql`user_id = ${userId} AND recipient = ${recipient} AND sender = ${sender}
    AND reference = ${reference} AND parts = ${parts} AND text_id = ${textId}`;
}

async function keep(transaction: Transaction, part: NewPart, isFull: boolean): Promise<Kept> {
  const waiting = await stored.all(transaction)`FROM esme_parts WHERE ${ofText(part, 0)}`;
  const before = waiting.find((other) => other.part === part.part);
  if (before !== undefined && isSame(before, part)) return { id: before.id, text: null };
  const others = waiting.filter((other) => other !== before);
  const isLast = others.length + 1 === part.parts;
  if (isFull && !isLast) return 'full';
  if (before !== undefined)
    await transaction.run(sql`UPDATE esme_parts SET text_id = id WHERE id = ${before.id}`);
  const added = { ...part, textId: isLast ? part.id : 0 };
  await transaction.insert('esme_parts', stored.columns, [stored.row(added)]);
  if (!isLast) return { id: part.id, text: null };
  if (others.length > 0)
    await transaction.run(
      sql`UPDATE esme_parts SET text_id = ${part.id}, due_at = ${part.dueAt} WHERE ${ofText(part, 0)}`,
    );
  return { id: part.id, text: [...others, added].sort((one, other) => one.part - other.part) };
}

/**
 * A client that has seen no response repeats a part; one that has used the reference again sends something else. Times may be
 * counted from when the part came, so they tell nothing.
 */
function isSame({ content: one }: NewPart, { content: other }: NewPart): boolean {
  return one.text === other.text && one.from === other.from && one.flash === other.flash;
}

/** The client hears that its last part can't be sent now. The others wait for it as before, unless another text has begun. */
export const refuseLast = singleWriteVerb('esme.refuseLast', async (transaction, last: NewPart) => {
  await lockUsers(transaction, [last.userId]);
  await transaction.run(sql`DELETE FROM esme_parts WHERE id = ${last.id}`);
  const begun = await transaction.first(sql`SELECT id FROM esme_parts WHERE ${ofText(last, 0)} LIMIT 1`);
  if (begun === undefined)
    await transaction.run(sql`UPDATE esme_parts SET text_id = 0 WHERE ${ofText(last, last.id)}`);
  return null;
});

/** Parts that have waited long enough, with all others of their texts, in order. */
export const readDueParts = readVerb(
  'esme.readDueParts',
  async (reading, { now, limit }: { readonly now: number; readonly limit: number }) =>
    stored.all(
      reading,
      'esme_parts',
    )`FROM (SELECT DISTINCT user_id, recipient, sender, reference, parts, text_id
        FROM (SELECT * FROM esme_parts WHERE due_at <= ${now} ORDER BY due_at, id LIMIT ${limit}) AS waiting) AS due
      JOIN esme_parts ON esme_parts.user_id = due.user_id AND esme_parts.recipient = due.recipient
        AND esme_parts.sender = due.sender AND esme_parts.reference = due.reference
        AND esme_parts.parts = due.parts AND esme_parts.text_id = due.text_id
      ORDER BY esme_parts.text_id, esme_parts.part, esme_parts.id`,
);

interface Postponed {
  readonly id: number;
  readonly dueAt: number;
}

/** Parts that can't be sent for now. They wait for no others any more, so that no text which uses the reference again gets them. */
export const postponeParts = singleWriteVerb(
  'esme.postponeParts',
  async (transaction, parts: readonly Postponed[]) => {
    await transaction.each(
      { id: 'bigint', due_at: 'bigint' },
      parts.map(({ id, dueAt }) => [id, dueAt]),
      sql`UPDATE esme_parts SET due_at = each.due_at,
            text_id = CASE WHEN esme_parts.text_id = 0 THEN esme_parts.id ELSE esme_parts.text_id END
          ${fromEach} WHERE esme_parts.id = each.id`,
    );
    return null;
  },
  (parts) => parts.length,
);
