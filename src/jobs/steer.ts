/**
 * Actions of a run's owner (JOB-8): each is stored with the name of the person who takes it, and processed by the run's
 * next step.
 */
import { randomUUID } from 'node:crypto';
import type { Actor } from '../audit/audit-log.ts';
import type { Clock } from '../foundation/clock.ts';
import { ServiceError } from '../foundation/errors.ts';
import { orThrow } from '../foundation/result.ts';
import type { Store } from '../storage/store.ts';
import { jobsTopic } from './follow-runs.ts';
import { reasonAgainst } from './proceed.ts';
import { type RecordQuery, readRecord } from './record.ts';
import type { Act } from './run/run.ts';
import { putAct } from './run-store.ts';

export async function steer(
  store: Store,
  clock: Clock,
  { runId, owner }: RecordQuery,
  act: Act,
  by: Actor,
  /** The name shown in the record. */
  name = by.username ?? '',
): Promise<void> {
  const record = await store.read(readRecord, { runId, owner });
  if (record === null) throw new ServiceError('not_found', `There is no run ${runId}.`);
  const { run, people } = record;
  if (run.phase === 'ended')
    throw new ServiceError('not_found', {
      sentence: 'run_ended_as',
      run: runId,
      outcome: String(run.outcome),
    });
  if (run.expiryAt !== null && run.expiryAt <= clock.now())
    throw new ServiceError('not_found', { sentence: 'run_ended', run: runId });
  if ('phone' in act && !people.some(({ phone }) => phone === act.phone))
    throw new ServiceError('not_found', `${act.phone} is not one of the people of run ${runId}.`);
  if (run.phase === 'scheduled' && act.kind !== 'cancel')
    throw new ServiceError('invalid_value', { sentence: 'run_not_started', run: runId });
  const wrong = act.kind === 'tell' ? reasonAgainst(act.text.trim()) : undefined;
  if (wrong !== undefined) orThrow(wrong);
  const event = { kind: 'act', act, by: name } as const;
  const at = clock.now();
  const audited = {
    companyId: run.companyId,
    at,
    by,
    act: `run.${act.kind}`,
    object: String(runId),
  } as const;
  await store.write(putAct, { runId, name: `act ${randomUUID()}`, at, event, audited });
  store.announce(jobsTopic);
}

/** The person's last text that was neither YES nor NO; the owner now counts it as a YES or a NO. */
export async function lastComment(store: Store, query: RecordQuery, phone: string): Promise<string> {
  const record = await store.read(readRecord, query);
  const person = record?.people.find((one) => one.phone === phone);
  const comments = record?.entries.filter(
    ({ kind, people = [], meaning }) =>
      kind === 'reply' && meaning === 'comment' && people[0] === person?.place,
  );
  const text = comments?.at(-1)?.text;
  if (text !== undefined) return text;
  throw new ServiceError('not_found', `${phone} has not commented on run ${query.runId}.`);
}
