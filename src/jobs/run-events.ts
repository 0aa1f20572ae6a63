/** Puts into the store what has happened to runs, each once, for their next steps. */
import type { Transaction } from '../storage/verb.ts';
import type { EventOfRun } from './read-runs-store.ts';

const columns = { run_id: 'bigint', name: 'text', at: 'bigint', event: 'text' } as const;

export async function putEvents(transaction: Transaction, events: readonly EventOfRun[]): Promise<void> {
  await transaction.insert(
    'job_events',
    columns,
    events.map(({ runId, name, at, event }) => [runId, name, at, JSON.stringify(event)]),
    'ON CONFLICT (run_id, name) DO NOTHING',
  );
}
