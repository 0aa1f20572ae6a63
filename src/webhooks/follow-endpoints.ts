/** Keeps the journal of changes listening for the endpoints that there are: in the transaction that changes these. */
import { keepReader } from '../changes/held-reader.ts';
import { dropReader } from '../changes/journal.ts';
import { setListenedTo } from '../changes/listening.ts';
import { literal, oneOf, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import { bitsOf, eventTypes, journalTypes } from './endpoint.ts';

/** By this name the journal is read for all endpoints, and its holder is the node that posts. */
export const webhookReader = 'webhooks';

/** All nodes may be down for so long. After that what happened meanwhile is lost to the endpoints, which is told. */
const patienceMs = 7 * 86_400_000;

const ofJournal = literal(bitsOf(eventTypes, journalTypes));

/** `companyIds`: whose webhooks may have changed. True: the journal is read from its end on, for no reader was kept. */
export async function followEndpoints(
  transaction: Transaction,
  companyIds: readonly number[],
): Promise<boolean> {
  const listening = await transaction.all<{ company_id: number; begun: number }>(
    sql`SELECT company_id, MIN(begun) AS begun FROM webhook_endpoints
        JOIN webhook_queues ON webhook_queues.endpoint_id = webhook_endpoints.id
        WHERE company_id ${oneOf('bigint', companyIds)} AND active = 1 AND events & ${ofJournal} <> 0
        GROUP BY company_id`,
  );
  const fresh = await setListenedTo(transaction, {
    listener: webhookReader,
    companyIds,
    listenedTo: listening.map(({ company_id }) => company_id),
  });
  // Where it was listened to already, what is under way is as well, once one of its webhooks has found it all.
  const looking = listening.filter(({ begun }) => begun === 0).map(({ company_id }) => company_id);
  await transaction.run(
    sql`UPDATE webhook_queues SET begun = 0 WHERE endpoint_id IN
          (SELECT id FROM webhook_endpoints WHERE company_id ${oneOf('bigint', [...fresh, ...looking])} AND system_user_id IS NULL)`,
  );
  const any = await transaction.first(sql`SELECT id FROM webhook_endpoints WHERE active = 1 LIMIT 1`);
  if (any !== undefined) return keepReader(transaction, { name: webhookReader, patienceMs });
  await dropReader(transaction, webhookReader);
  return false;
}
