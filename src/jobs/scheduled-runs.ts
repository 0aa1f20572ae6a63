/** Runs that wait for their start, for lists of what waits. */
import type { Visibility } from '../accounts/visibility.ts';
import type { Store } from '../storage/store.ts';
import { listScheduledRuns } from './record-store.ts';
import type { Run } from './run/run.ts';

/** At once; what comes behind them is not shown. */
const mostRuns = 200;

export function scheduledRuns(store: Store, visible: Visibility): Promise<readonly Run[]> {
  return store.read(listScheduledRuns, { ...visible, limit: mostRuns });
}
