/** The beginning of what is told: the reader of the journal, and the messages that were under way before an endpoint. */
import { oneOf, sql } from '../../storage/sql.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { followEndpoints } from '../endpoint-records.ts';

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

/** True: it was dropped, and begins at the end. None is kept where no endpoint is left. */
export const keepWebhookReader = singleWriteVerb('webhooks.keepReader', (transaction, _: null) =>
  followEndpoints(transaction, []),
);
