/**
 * Starts reporting for new endpoints: keeps the journal reader, and makes the journal cover messages that were under way when
 * the endpoint was created, or that nodes have accepted since.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  beforeAllUnderWay,
  findUntracked,
  type PlaceUnderWay,
  trackFound,
  trackRecent,
  type Untracked,
} from '../../messages/tracked.ts';
import { oneOf, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { followEndpoints } from '../endpoint-records.ts';

/** After this time, every node that may accept a message knows that the company is listened to. */
const knownAfterMs = 2_000;
/** A message that ended at most this long before an endpoint was noticed may have ended after the endpoint was created. */
const noticedWithinMs = 5_000;
const pauseMs = 20;
const maxMessagesPerStep = 500;

interface Beginning {
  readonly store: Pick<Store, 'read' | 'write'>;
  /** The time at which the endpoints were noticed. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** The cost depends on how much is under way and how much has just changed, not on how much has ever existed. */
export async function beginTracking(
  { store, now, signal }: Beginning,
  endpoints: readonly { readonly id: number; readonly company_id: number }[],
): Promise<void> {
  const since = now - noticedWithinMs;
  const companyIds = [...new Set(endpoints.map(({ company_id }) => company_id))];
  await delay(knownAfterMs, undefined, { signal });
  for (const companyId of companyIds) {
    let below: number | null = Number.MAX_SAFE_INTEGER;
    while (below !== null) {
      below = await store.write(trackRecent, { companyId, below, since, limit: maxMessagesPerStep });
      // This leaves room for all other work.
      await delay(pauseMs, undefined, { signal });
    }
  }
  // A message that waits again may return to a part of the queue that was already checked.
  let found = 1;
  while (found > 0) found = await listenToLine({ store, now, signal }, companyIds);
  await store.write(
    markBegun,
    endpoints.map(({ id }) => id),
  );
}

/** These endpoints now get all changes to messages under way. */
export const markBegun = singleWriteVerb(
  'webhooks.markBegun',
  async (transaction, endpointIds: readonly number[]) => {
    await transaction.run(
      sql`UPDATE webhook_queues SET begun = 1 WHERE endpoint_id ${oneOf('bigint', endpointIds)}`,
    );
    return null;
  },
);

/** Makes one pass over everything under way. Returns how many messages had no listener. */
async function listenToLine({ store, signal }: Beginning, companyIds: readonly number[]): Promise<number> {
  let found = 0;
  let after: PlaceUnderWay | undefined = beforeAllUnderWay;
  while (after !== undefined) {
    const { keys, next }: Untracked = await store.read(findUntracked, {
      companyIds,
      after,
      limit: maxMessagesPerStep,
    });
    if (keys.length > 0) await store.write(trackFound, keys);
    found += keys.length;
    after = next;
    await delay(pauseMs, undefined, { signal });
  }
  return found;
}

/** Returns true if the journal reader was dropped and now starts at the end. Without endpoints, no reader is kept. */
export const keepWebhookReader = singleWriteVerb('webhooks.keepReader', (transaction, _: null) =>
  followEndpoints(transaction, []),
);
