/** Has the journal tell what becomes of messages that were under way when an endpoint was made, or that nodes accepted since. */
import { setTimeout as delay } from 'node:timers/promises';
import { listenToUnderWay } from '../../messages/listened.ts';
import type { Store } from '../../storage/store.ts';
import { markBegun } from './begin-store.ts';

/** By then each node that may accept anything knows that the company is listened to. */
const knownAfterMs = 2_000;
/** What ended no longer than this before an endpoint was noticed, may have ended after it was made. */
const noticedWithinMs = 5_000;
const pauseMs = 20;
const atOnce = 500;

interface NewEndpoint {
  readonly id: number;
  readonly company_id: number;
}

interface Beginning {
  readonly store: Pick<Store, 'write'>;
  /** When the endpoints were noticed. */
  readonly now: number;
  readonly signal: AbortSignal;
}

export async function beginListening(
  { store, now, signal }: Beginning,
  endpoints: readonly NewEndpoint[],
): Promise<void> {
  const since = now - noticedWithinMs;
  await delay(knownAfterMs, undefined, { signal });
  for (const companyId of new Set(endpoints.map(({ company_id }) => company_id))) {
    let below: number | null = Number.MAX_SAFE_INTEGER;
    while (below !== null) {
      below = await store.write(listenToUnderWay, { companyId, below, since, limit: atOnce });
      // Beside all else.
      await delay(pauseMs, undefined, { signal });
    }
  }
  await store.write(
    markBegun,
    endpoints.map(({ id }) => id),
  );
}
