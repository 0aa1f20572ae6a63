/**
 * The header of a message that is a part of a text which its sender has split. It takes the place of the reference that
 * messages of several parts have, so that it costs other messages nothing.
 */
import type { Concatenation } from '../carriers/carrier.ts';
import { fromEach, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import { isLongReference } from '../wire/smpp/concatenation.ts';
import { fitsWithHeader } from '../wire/sms/segments.ts';

/** An integer of 32 bits: 8 for the number of parts, 8 for the part, 16 for the reference. It is never 0. */
export function packHeader({ reference, part, parts }: Concatenation): number {
  return (parts << 24) | (part << 16) | reference;
}

export function unpackHeader(packed: number): Concatenation {
  return { reference: packed & 0xffff, part: (packed >> 16) & 0xff, parts: packed >>> 24 };
}

/** Whether the text and the header fit one SMS. */
export function hasRoomForHeader(text: string, { reference }: Concatenation): boolean {
  return fitsWithHeader(text, isLongReference(reference));
}

export interface Referenced {
  readonly companyId: number;
  readonly id: number;
  readonly reference: number;
}

/** Stores the references or packed headers of messages. */
export async function keepReferences(
  transaction: Transaction,
  messages: readonly Referenced[],
): Promise<void> {
  if (messages.length === 0) return;
  await transaction.each(
    { company_id: 'bigint', id: 'bigint', reference: 'integer' },
    messages.map(({ companyId, id, reference }) => [companyId, id, reference]),
    sql`UPDATE messages SET reference = each.reference ${fromEach}
        WHERE messages.company_id = each.company_id AND messages.id = each.id`,
  );
}
