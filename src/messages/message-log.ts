/**
 * The message log: a narrow table beside `messages`, written once per message, through which messages are found by time,
 * user, number and conversation. docs/decisions/0045-the-log-of-messages.md explains why indexes are not used for this.
 */
import { type Change, type Fragment, raw, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import type { BulkRange } from './bulk-messages.ts';

/**
 * A block has this many ids. Numbers and conversations come in no order, so an index over all of them would put each new row
 * on a different page. Within a block they are close together, and a search goes from block to block. Why it has no more:
 * docs/decisions/0100-small-blocks-in-the-message-log.md.
 */
export const idsInBlock = 2_048;

export function blockOf(id: number): number {
  return Math.floor(id / idsInBlock);
}

/** The block of an id in the words of the indexes, which serve only statements that use the same. */
export function blockIn(id: string): Fragment {
  return raw(`(${id} / ${idsInBlock})`);
}

/** This many characters of a conversation are indexed, since PostgreSQL cannot index texts longer than a third of a page. */
const indexedLength = 100;

/** The part of a conversation that the log contains. */
export function loggedConversation(conversation: string): string | null {
  if (conversation === '') return null;
  if (conversation.length <= indexedLength) return conversation;
  return Array.from(conversation.slice(0, 2 * indexedLength))
    .slice(0, indexedLength)
    .join('');
}

export interface LoggedMessage {
  readonly company_id: number;
  readonly created_at: number;
  readonly id: number;
  readonly user_id: number;
  readonly recipient: string;
  readonly conversation: string;
}

const columns = {
  company_id: 'bigint',
  created_at: 'bigint',
  id: 'bigint',
  user_id: 'bigint',
  recipient: 'text',
  conversation: 'text',
} as const;

/** For the transaction that stores the messages. */
export function changeOfLog(messages: readonly LoggedMessage[]): Change {
  const rows = messages.map(({ company_id, created_at, id, user_id, recipient, conversation }) => [
    ...[company_id, created_at, id, user_id, recipient, loggedConversation(conversation)],
  ]);
  return { columns, rows, change: { into: 'message_log' } };
}

/** For messages that the store itself creates, in the same transaction. */
export async function logBulk(
  transaction: Transaction,
  { companyId, firstId, count }: BulkRange,
): Promise<void> {
  await transaction.run(
    sql`INSERT INTO message_log (${raw(Object.keys(columns).join(', '))})
        SELECT company_id, created_at, id, user_id, recipient,
          NULLIF(substr(conversation, 1, ${raw(String(indexedLength))}), '')
        FROM messages WHERE company_id = ${companyId} AND id >= ${firstId} AND id < ${firstId + count}`,
  );
}
