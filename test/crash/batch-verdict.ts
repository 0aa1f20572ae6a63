/** Checks what must hold for batches, whatever was killed and when. */
import type { WholeApp } from '../harness/app.ts';
import type { Handed } from '../harness/carrier-ledger.ts';
import { query } from '../harness/messaging.ts';
import type { Witness } from './witness.ts';

/** A batch as its sender knows it. Its numbers belong to no other batch. */
export interface Upload {
  readonly conversation: string;
  readonly first: number;
  readonly count: number;
  /** Undefined if the batch was never acknowledged. */
  batchId: string | undefined;
  aborted: boolean;
}

/** The simulator delivers to all numbers with this ending. */
export function numberOf({ first }: Pick<Upload, 'first'>, place: number): string {
  return String(first + place * 100);
}

interface Batch {
  readonly id: string;
  readonly conversation: string;
  readonly code: number | null;
  readonly messages: number;
  readonly firstId: number;
  readonly chunks: number;
}

const deleted = 3;

/** Returns how many messages there are. */
export async function judgeBatches(
  witness: Witness,
  app: WholeApp,
  uploads: readonly Upload[],
  handed: ReadonlyMap<string, Handed>,
): Promise<number> {
  const batches = await readBatches(app);
  for (const upload of uploads) judgeOutcome(witness, upload, batches);
  let messages = 0;
  for (const batch of batches) messages += await judgeMessages(witness, app, batch, uploads, handed);
  await judgeBooks(witness, app);
  return messages;
}

async function readBatches(app: WholeApp): Promise<readonly Batch[]> {
  const rows = await query(
    app,
    `SELECT batches.*, (SELECT COUNT(*) FROM batch_chunks WHERE batch_id = batches.id) AS stored FROM batches`,
  );
  return rows.map((row) => ({
    id: String(row.id),
    conversation: String(row.conversation),
    code: row.code === null ? null : Number(row.code),
    messages: Number(row.messages),
    firstId: Number(row.first_message_id),
    chunks: Number(row.stored),
  }));
}

function judgeOutcome(witness: Witness, upload: Upload, batches: readonly Batch[]): void {
  const { batchId, conversation, aborted } = upload;
  const those = batches.filter((batch) => batch.conversation === conversation && batch.code !== null);
  if (those.length > 1) witness.blame('a batch is taken in once', conversation);
  if (batchId === undefined) return;
  const [batch] = those;
  if (batch?.id !== batchId) witness.blame('an acknowledged batch is there', `${conversation}: ${batchId}`);
  else if (batch.code !== 0 && !(aborted && batch.code === 99))
    witness.blame('an acknowledged batch reaches its end', `${batchId} has code ${batch.code}`);
}

async function judgeMessages(
  witness: Witness,
  app: WholeApp,
  batch: Batch,
  uploads: readonly Upload[],
  handed: ReadonlyMap<string, Handed>,
): Promise<number> {
  const rows = await query(app, `SELECT * FROM messages WHERE batch_id = ${batch.id} ORDER BY id`);
  if (batch.code === null) {
    if (rows.length > 0) witness.blame('of a batch that was broken off nothing is sent', batch.id);
    return rows.length;
  }
  if (batch.chunks > 0) witness.blame('nothing is left of the chunks of a batch that has ended', batch.id);
  const upload = uploads.find(({ conversation }) => conversation === batch.conversation);
  const isWhole = batch.code === 0 ? rows.length === upload?.count : rows.length <= (upload?.count ?? 0);
  if (!isWhole) witness.blame('a batch is made whole', `${batch.id}: ${rows.length} of ${upload?.count}`);
  for (const [place, row] of rows.entries()) {
    const isRight =
      Number(row.id) === batch.firstId + place && row.recipient === numberOf(upload ?? { first: 0 }, place);
    if (!isRight)
      witness.blame('each recipient has one message', `${batch.id}: ${row.id} to ${row.recipient}`);
    const times = handed.get(String(row.id))?.times ?? 0;
    if (times > 1 && Number(row.in_doubt) === 0)
      witness.blame('nothing undoubted is sent twice', `${row.id}: ${times} times`);
    if (Number(row.status) === deleted && upload?.aborted !== true)
      witness.blame('only what was aborted is deleted', String(row.id));
    if (Number(row.status) === deleted && times > 0 && Number(row.in_doubt) === 0)
      witness.blame('what is deleted was not sent', String(row.id));
  }
  return rows.length;
}

/** Checks that quotas, usage counts and status counts agree with the messages. */
async function judgeBooks(witness: Witness, app: WholeApp): Promise<void> {
  const [spent] = await query(
    app,
    `SELECT COALESCE(SUM(parts), 0) AS parts, COUNT(*) AS messages FROM messages WHERE charge <> 2`,
  );
  const [quota] = await query(app, 'SELECT SUM(quota_used) AS parts FROM users');
  const [usage] = await query(
    app,
    'SELECT COALESCE(SUM(parts), 0) AS parts, COALESCE(SUM(messages), 0) AS messages FROM usage_counts',
  );
  if (Number(quota?.parts) !== Number(spent?.parts))
    witness.blame('the quota is what was sent', `${quota?.parts} for ${spent?.parts}`);
  if (Number(usage?.parts) !== Number(spent?.parts) || Number(usage?.messages) !== Number(spent?.messages))
    witness.blame('the use is what was sent', `${JSON.stringify(usage)} for ${JSON.stringify(spent)}`);
  const wrong = await query(
    app,
    `SELECT batch_id, status, SUM(kept) AS kept, SUM(there) AS there FROM (
       SELECT batch_id, status, messages AS kept, 0 AS there FROM batch_counts
       UNION ALL SELECT batch_id, after_status, messages, 0 FROM batch_count_changes
       UNION ALL SELECT batch_id, before_status, -messages, 0 FROM batch_count_changes WHERE before_status IS NOT NULL
       UNION ALL SELECT batch_id, status, 0, 1 FROM messages WHERE batch_id IS NOT NULL
     ) AS both_sides GROUP BY batch_id, status HAVING SUM(kept) <> SUM(there)`,
  );
  witness.blame('the kept counts are those of the messages', ...wrong.map((row) => JSON.stringify(row)));
}
