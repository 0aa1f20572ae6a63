/**
 * Parts of texts that a client has split itself. Each is acknowledged when it is stored; when all have come they become one
 * message, and what has waited for a minute becomes a message of its own.
 */
import { oneOf, sql } from '../storage/sql.ts';
import { bigint, integer, json, StoredRecord, text } from '../storage/stored-record.ts';
import { readVerb, refusable, singleWriteVerb, writeVerb } from '../storage/verb.ts';
import type { Reported } from './accept-store.ts';

/** What is sent of a part, and reported to the client. */
export interface PartContent extends Omit<Reported, 'shownId'> {
  readonly text: string;
  readonly from: string | undefined;
  readonly flash: boolean;
  readonly validminutes: number;
  readonly scheduletime: string | undefined;
}

export interface Part {
  readonly userId: number;
  readonly recipient: string;
  readonly sender: string;
  /** The client's reference for all parts of the text. */
  readonly reference: number;
  readonly parts: number;
  /** From 1 to `parts`. */
  readonly part: number;
  /** The id told to the client. */
  readonly id: number;
  readonly content: PartContent;
  readonly dueAt: number;
}

/** How long a part waits for the others of its text. */
export const partsWaitMs = 60_000;

const stored = new StoredRecord({
  userId: bigint,
  recipient: text,
  sender: text,
  reference: integer,
  parts: integer,
  part: integer,
  id: bigint,
  content: json<PartContent>(),
  dueAt: bigint,
});

/** Returns all parts of the text if this was the last of them. A part that comes again counts as it came last. */
export const keepPart = refusable(
  writeVerb<Part, readonly Part[] | null>('esme.keepPart', async (transaction, inputs) => {
    const outcomes: (readonly Part[] | null)[] = [];
    for (const part of inputs) {
      await transaction.insert(
        'esme_parts',
        stored.columns,
        [stored.row(part)],
        `ON CONFLICT (user_id, recipient, sender, reference, parts, part)
          DO UPDATE SET id = excluded.id, content = excluded.content, due_at = excluded.due_at`,
      );
      const { userId, recipient, sender, reference, parts } = part;
      const all = await stored.all(transaction)`FROM esme_parts WHERE user_id = ${userId}
        AND recipient = ${recipient} AND sender = ${sender} AND reference = ${reference} AND parts = ${parts}
        ORDER BY part`;
      outcomes.push(all.length === parts ? all : null);
    }
    return outcomes;
  }),
);

/** Parts that have waited long enough, those of one text together. */
export const readDueParts = readVerb(
  'esme.readDueParts',
  async (reading, { now, limit }: { readonly now: number; readonly limit: number }) =>
    stored.all(reading)`FROM esme_parts WHERE due_at <= ${now} ORDER BY due_at, id LIMIT ${limit}`,
);

/** Parts that will never be sent. */
export const dropParts = singleWriteVerb('esme.dropParts', async (transaction, ids: readonly number[]) => {
  await transaction.run(sql`DELETE FROM esme_parts WHERE id ${oneOf('bigint', ids)}`);
  return null;
});
