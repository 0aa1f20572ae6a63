/** The webhook that posts to the `callbackurl` of a call: sending opens it, and it is kept while the call's messages can change. */
import type { Caller } from '../accounts/caller.ts';
import type { Call } from '../http/endpoints/endpoint.ts';
import { sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';

/** Finds the webhook, or makes it, for messages that are valid until then. Returns its id. */
export type OpenCallback = (
  caller: Caller,
  wanted: { readonly url: string; readonly until: number },
  call: Pick<Call, 'whileWaiting'>,
) => Promise<number>;

/** Receipts may come after a message's validity, and the owner may want to see the last attempts. */
export const callbackKeptMs = 30 * 86_400_000;

interface PutOff {
  readonly companyId: number;
  /** Any message of the call. */
  readonly id: number;
  /** The end of its new validity. */
  readonly expiresAt: number;
}

/** Call this when scheduled messages get another time. */
export async function keepCallback(
  transaction: Transaction,
  { companyId, id, expiresAt }: PutOff,
): Promise<void> {
  const until = expiresAt + callbackKeptMs;
  await transaction.run(
    sql`UPDATE webhook_endpoints SET calls_until = ${until} WHERE calls_until < ${until}
          AND id = (SELECT callback_id FROM messages WHERE company_id = ${companyId} AND id = ${id})`,
  );
}
