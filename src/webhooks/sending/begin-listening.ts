/**
 * The beginning of what is told: the reader of the journal is kept, and the journal tells what becomes of messages that
 * were under way when an endpoint was made, or that nodes accepted since.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  beforeAllUnderWay,
  findUnheard,
  listenToFound,
  listenToRecent,
  type PlaceUnderWay,
  type Unheard,
} from '../../messages/listened.ts';
import { oneOf, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { followEndpoints } from '../endpoint-records.ts';

/** By then each node that may accept anything knows that the company is listened to. */
const knownAfterMs = 2_000;
/** What ended no longer than this before an endpoint was noticed, may have ended after it was made. */
const noticedWithinMs = 5_000;
const pauseMs = 20;
const atOnce = 500;

interface Beginning {
  readonly store: Pick<Store, 'read' | 'write'>;
  /** When the endpoints were noticed. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** What it costs depends on how much is under way, and how much has just changed; not on how much there has ever been. */
export async function beginListening(
  { store, now, signal }: Beginning,
  endpoints: readonly { readonly id: number; readonly company_id: number }[],
): Promise<void> {
  const since = now - noticedWithinMs;
  const companyIds = [...new Set(endpoints.map(({ company_id }) => company_id))];
  await delay(knownAfterMs, undefined, { signal });
  for (const companyId of companyIds) {
    let below: number | null = Number.MAX_SAFE_INTEGER;
    while (below !== null) {
      below = await store.write(listenToRecent, { companyId, below, since, limit: atOnce });
      // Beside all else.
      await delay(pauseMs, undefined, { signal });
    }
  }
  // A message that waits again may go back to where the line was looked at already.
  let found = 1;
  while (found > 0) found = await listenToLine({ store, now, signal }, companyIds);
  await store.write(
    markBegun,
    endpoints.map(({ id }) => id),
  );
}

/** These endpoints hear of all that is under way. */
export const markBegun = singleWriteVerb(
  'webhooks.markBegun',
  async (transaction, endpointIds: readonly number[]) => {
    await transaction.run(
      sql`UPDATE webhook_queues SET begun = 1 WHERE endpoint_id ${oneOf('bigint', endpointIds)}`,
    );
    return null;
  },
);

/** Once along all that is under way. Returns how many were found that nobody listened to. */
async function listenToLine({ store, signal }: Beginning, companyIds: readonly number[]): Promise<number> {
  let found = 0;
  let after: PlaceUnderWay | undefined = beforeAllUnderWay;
  while (after !== undefined) {
    const { keys, next }: Unheard = await store.read(findUnheard, { companyIds, after, limit: atOnce });
    if (keys.length > 0) await store.write(listenToFound, keys);
    found += keys.length;
    after = next;
    await delay(pauseMs, undefined, { signal });
  }
  return found;
}

/** True: the reader of the journal was dropped, and begins at the end. None is kept where no endpoint is left. */
export const keepWebhookReader = singleWriteVerb('webhooks.keepReader', (transaction, _: null) =>
  followEndpoints(transaction, []),
);
