/**
 * What an endpoint is told of a message, an incoming SMS or a batch: JSON that the store puts together, since it would
 * take several times as long to bring the rows here and back. Names and forms are those of the API.
 */
import { type BatchCode, batchCode, describeBatchCode } from '../../batches/batch.ts';
import { statusNames } from '../../messages/message.ts';
import { byDialect, type Fragment, raw, sql } from '../../storage/sql.ts';

/** A text as JSON. */
function json(column: string): Fragment {
  return byDialect({ sqlite: `json_quote(${column})`, postgres: `CAST(to_json(${column}) AS TEXT)` });
}

/** An id or a time, as the API has them: digits in quotes. Of a column that may be empty the field is left out. */
function digits(field: string, column: string): Fragment {
  return raw(`COALESCE(',"${field}":"' || ${column} || '"', '')`);
}

/** Which of our own texts a code stands for. */
function named(column: string, names: readonly (readonly [number, string])[]): Fragment {
  const cases = names.map(([code, name]) => `WHEN ${code} THEN '${name}'`).join(' ');
  return raw(`CASE ${column} ${cases} ELSE '' END`);
}

const statuses = named(
  'changes.status',
  statusNames.map((name, code) => [code, name] as const),
);

const batchCodes = named(
  'changes.status',
  Object.values(batchCode).map((code) => [code, describeBatchCode(code as BatchCode)] as const),
);

const ifFull = (field: string, column: string) =>
  sql`CASE webhook_endpoints.full_text WHEN 1 THEN ${raw(`',"${field}":' || `)} ${json(column)} ELSE '' END`;

/** Its status is that of the change, which may not be the last. */
export const messageData = sql`'{"id":"' || messages.id || '","status":"' || ${statuses} || '","statuscode":"' ||
  changes.status || '","to":' || ${json('messages.recipient')} || ',"from":' || ${json('messages.sender')} ||
  ',"conversation":' || ${json('messages.conversation')} || ',"costcenter":' || ${json('messages.cost_center')} ||
  ${digits('batchid', 'messages.batch_id')} || ',"time":"' || changes.changed_at || '"' ||
  ${ifFull('message', 'messages.text')} || '}'`;

export const incomingData = sql`'{"id":"' || incoming_messages.id || '","from":' ||
  ${json('incoming_messages.sender')} || ',"to":' || ${json('incoming_messages.recipient')} || ',"conversation":' ||
  ${json('incoming_messages.conversation')} || ${digits('resptoid', 'incoming_messages.response_to_id')} ||
  ',"time":"' || incoming_messages.received_at || '"' || ${ifFull('message', 'incoming_messages.text')} || '}'`;

export const batchData = sql`'{"batchid":"' || batches.id || '","batchstatuscode":' || changes.status ||
  ',"batchstatusdescription":"' || ${batchCodes} || '","batchconversation":' || ${json('batches.conversation')} ||
  ',"time":"' || changes.changed_at || '"}'`;
