/** The beginning of what is told: the reader of the journal, and the messages that were under way before an endpoint. */
import { oneOf, sql } from '../../storage/sql.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { followEndpoints } from '../follow-endpoints.ts';

/** They hear of all that is under way. */
export const markBegun = singleWriteVerb(
  'webhooks.markBegun',
  async (transaction, endpointIds: readonly number[]) => {
    await transaction.run(
      sql`UPDATE webhook_queues SET begun = 1 WHERE endpoint_id ${oneOf('bigint', endpointIds)}`,
    );
    return null;
  },
);

/** Where it was dropped, it begins at the end. None is kept where no endpoint is left. */
export const keepWebhookReader = singleWriteVerb('webhooks.keepReader', async (transaction, _: null) => {
  await followEndpoints(transaction, []);
  // It reads from where the store says.
  return 0;
});
