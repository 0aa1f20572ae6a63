/**
 * Actions of a run's owner (JOB-8): each is stored with the name of the person who takes it, and processed by the run's
 * next step.
 */
import { randomUUID } from 'node:crypto';
import type { Actor } from '../audit/audit-log.ts';
import { changesTopic } from '../changes/change-reader.ts';
import type { Clock } from '../foundation/clock.ts';
import { ServiceError } from '../foundation/errors.ts';
import { orThrow } from '../foundation/result.ts';
import {
  answerAgain,
  findEarlier,
  keptForMs,
  type Repeatable,
  repeatableOf,
} from '../messages/idempotency.ts';
import type { Store } from '../storage/store.ts';
import { jobsTopic } from './follow-runs.ts';
import { reasonAgainst } from './proceed.ts';
import type { RecordQuery } from './record.ts';
import type { Act, Audience, Outcome, Person } from './run/run.ts';
import { putAct } from './run-store.ts';
import { findSteered, readLastComment, type Whom } from './stored-runs.ts';

export type Steering =
  | {
      readonly kind: 'accept' | 'decline';
      readonly whom: Whom;
      /** Whether the person's last comment is what counts as the answer. */
      readonly countsComment: boolean;
    }
  | { readonly kind: 'escalate' }
  | { readonly kind: 'cancel'; readonly text?: string }
  | { readonly kind: 'extend'; readonly minutes: number }
  | { readonly kind: 'tell'; readonly to: Audience | Whom; readonly text: string };

interface Steered extends RecordQuery {
  readonly by: Actor;
  /** The name shown in the record; by default the user's. */
  readonly name?: string;
  /** With a key, the call may be repeated. With a `Repeatable`, repeated calls may differ in what they ask for. */
  readonly idempotencyKey?: string | Repeatable | undefined;
}

export async function steer(
  store: Store,
  clock: Clock,
  { runId, owner, by, name = by.username ?? '', idempotencyKey }: Steered,
  steering: Steering,
): Promise<void> {
  const at = clock.now();
  const repeatable =
    typeof idempotencyKey === 'string'
      ? repeatableOf(idempotencyKey, { run: runId, steering }, at)
      : idempotencyKey;
  // The key is checked first: the run may have ended since the first call.
  const earlier = repeatable && (await store.read(findEarlier, { ...owner, ...repeatable }));
  if (earlier != null) return void answerAgain(earlier);
  const whom = whomIn(steering);
  const found = await store.read(findSteered, { runId, owner, whom });
  if (found === null) throw noRun(runId);
  const { run } = found;
  if (run.phase === 'ended' || (run.expiryAt !== null && run.expiryAt <= at)) throw ended(runId, run.outcome);
  if (run.phase === 'scheduled' && steering.kind !== 'cancel')
    throw new ServiceError('invalid_value', { sentence: 'run_not_started', run: runId });
  if (steering.kind === 'tell') {
    const wrong = reasonAgainst(steering.text.trim());
    if (wrong !== undefined) orThrow(wrong);
  }
  const act = await actOf(store, { runId, owner }, steering, found.person);
  const stored = await store.write(putAct, {
    runId,
    at,
    act,
    by: name,
    name: `act ${randomUUID()}`,
    audited: { companyId: run.companyId, at, by, act: `run.${act.kind}`, object: String(runId) },
    claim:
      repeatable === undefined ? null : { ...owner, ...repeatable, answer: '{}', expiresAt: at + keptForMs },
  });
  if (stored.kind === 'gone') throw noRun(runId);
  if (stored.kind === 'ended') throw ended(runId, stored.outcome);
  if (stored.kind !== 'stored') return void answerAgain(stored);
  store.announce(jobsTopic);
  store.announce(changesTopic);
}

function noRun(runId: number): ServiceError {
  return new ServiceError('not_found', { sentence: 'none_such', noun: 'run', id: runId });
}

function ended(run: number, outcome: Outcome | null): ServiceError {
  if (outcome === null) return new ServiceError('run_ended', { sentence: 'run_ended', run });
  return new ServiceError('run_ended', { sentence: 'run_ended_as', run, outcome });
}

function whomIn(steering: Steering): Whom | null {
  if ('whom' in steering) return steering.whom;
  return steering.kind === 'tell' && typeof steering.to === 'object' ? steering.to : null;
}

async function actOf(
  store: Store,
  query: RecordQuery,
  steering: Steering,
  person: Person | null,
): Promise<Act> {
  const { kind } = steering;
  const whom = whomIn(steering);
  if (whom !== null && person === null)
    throw new ServiceError('not_found', {
      sentence: 'run_lacks_person',
      run: query.runId,
      person: nameOf(whom),
    });
  const place = person?.place ?? 0;
  if (kind === 'tell') {
    const { to, text } = steering;
    return typeof to === 'object' ? { kind, place, text } : { kind, to, text };
  }
  if (kind !== 'accept' && kind !== 'decline') return steering as Act;
  if (!steering.countsComment) return { kind, place };
  const comment = await store.read(readLastComment, { ...query, place });
  if (comment !== null) return { kind, place, comment };
  throw new ServiceError('not_found', {
    sentence: 'run_lacks_comment',
    run: query.runId,
    person: nameOf(steering.whom),
  });
}

function nameOf(whom: Whom): string {
  return 'phone' in whom ? whom.phone : whom.contactId;
}
