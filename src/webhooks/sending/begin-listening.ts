/** Has the journal tell what becomes of messages that were under way when an endpoint was made, or that nodes accepted since. */
import { setTimeout as delay } from 'node:timers/promises';
import { listenToUnderWay } from '../../messages/listened.ts';
import type { Store } from '../../storage/store.ts';
import { markBegun } from './begin-store.ts';

/** By then each node that may accept anything knows that the company is listened to. */
const knownAfterMs = 2_000;
const pauseMs = 20;
const atOnce = 500;

interface NewEndpoint {
  readonly id: number;
  readonly company_id: number;
}

export async function beginListening(
  store: Pick<Store, 'write'>,
  endpoints: readonly NewEndpoint[],
  signal: AbortSignal,
): Promise<void> {
  await delay(knownAfterMs, undefined, { signal });
  for (const companyId of new Set(endpoints.map(({ company_id }) => company_id))) {
    let below: number | null = Number.MAX_SAFE_INTEGER;
    while (below !== null) {
      below = await store.write(listenToUnderWay, { companyId, below, limit: atOnce });
      // Beside all else.
      await delay(pauseMs, undefined, { signal });
    }
  }
  await store.write(
    markBegun,
    endpoints.map(({ id }) => id),
  );
}
