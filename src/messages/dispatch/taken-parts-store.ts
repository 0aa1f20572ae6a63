/** Parts that carriers took of messages which come again. */
import { rowSet, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import { readVerb } from '../../storage/verb.ts';

/** Parts of these messages (company, id) that a carrier has taken before. */
export const readTakenParts = readVerb('messages.readTakenParts', async (reading, keys: readonly Row[]) =>
  reading.all<{ messageId: number; part: number; parts: number; carrierMessageId: string; status: number }>(
    sql`SELECT message_parts.message_id AS "messageId", message_parts.part, message_parts.parts,
               message_parts.carrier_message_id AS "carrierMessageId", message_parts.status
        FROM ${rowSet('again', { company_id: 'bigint', id: 'bigint' }, keys)}
        JOIN message_parts ON message_parts.company_id = again.company_id AND message_parts.message_id = again.id`,
  ),
);
