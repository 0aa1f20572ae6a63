/** What of a company waits for its time, the next first: messages, batches and runs of saved jobs in one list. */
import type { Visibility } from '../accounts/visibility.ts';
import { waitingBatches } from '../batches/reading/waiting.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Cursor } from '../http/parameters/page.ts';
import { scheduledRuns } from '../jobs/scheduled-runs.ts';
import { listScheduled } from '../messages/management/scheduled.ts';
import type { Store } from '../storage/store.ts';

export interface ScheduledItem {
  readonly kind: 'message' | 'batch' | 'run';
  readonly id: number;
  /** When it is to be sent, or to start. */
  readonly time: number;
  readonly username: string;
  readonly conversation: string;
  readonly to?: string;
  readonly from?: string;
  readonly costCenter?: string;
  readonly parts?: number;
  readonly validMinutes?: number;
  /** Of a batch. */
  readonly messages?: number;
  /** Of a job. */
  readonly name?: string;
  readonly version?: number;
}

export interface ScheduledListQuery {
  readonly visible: Visibility;
  readonly since: number;
  readonly until: number;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

export async function listAllScheduled(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { visible, since, until, after, limit }: ScheduledListQuery,
): Promise<readonly ScheduledItem[]> {
  const place = { time: after?.time ?? 0, id: after?.id ?? 0 };
  const next = since > place.time ? { time: since, id: 0 } : place;
  const [messages, batches, runs] = await Promise.all([
    store.read(listScheduled, { ...visible, since, until, after: place, limit }),
    waitingBatches(store, { ...visible, after: next, limit }, clock.now()),
    scheduledRuns(store, visible),
  ]);
  const isOnPage = ({ time, id }: ScheduledItem) =>
    time >= since && time < until && (time > place.time || (time === place.time && id > place.id));
  const others: readonly ScheduledItem[] = [
    ...batches.map((batch) => ({ kind: 'batch' as const, ...batch })),
    ...runs.map(({ id, startAt, starter, jobName }) => ({
      kind: 'run' as const,
      id,
      time: startAt,
      username: starter,
      conversation: '',
      name: jobName,
    })),
  ];
  const all = [
    ...messages.map(({ recipient, sender, ...message }) => ({
      kind: 'message' as const,
      to: recipient,
      from: sender,
      ...message,
    })),
    ...others.filter(isOnPage),
  ];
  return all.sort((a, b) => a.time - b.time || a.id - b.id).slice(0, limit);
}
