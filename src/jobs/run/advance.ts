/**
 * A step of a run: reduces the run by everything that has happened to it, and sorts the effects by which part of the
 * server carries them out.
 */
import type { Entry } from './entry.ts';
import { nextDue } from './next-due.ts';
import { type OutgoingText, type State, stateOf } from './progress.ts';
import { type Event, reduce } from './reduce.ts';
import type { Happened, RunWithPeople } from './run.ts';
import type { Unsendable } from './unsendable.ts';

export interface Advanced extends RunWithPeople {
  readonly entries: readonly Entry[];
  readonly texts: readonly OutgoingText[];
  /** Indexes (`place`) of the people whose questions are withdrawn. */
  readonly withdraw: readonly number[];
  /** Until when answers are awaited, if this has changed. */
  readonly awaitUntil: number | undefined;
  /** When the next step is due even if nothing else happens; null for never. */
  readonly dueAt: number | null;
}

/** What has happened to a run, in order of time. */
interface News {
  readonly happened: readonly Happened[];
  /** Whether there may be more news, which the next step handles. */
  readonly hasMore: boolean;
}

const everybody: Unsendable = { phones: new Map() };

export function advance(
  before: RunWithPeople,
  { happened, hasMore }: News,
  now: number,
  unsendable: Unsendable = everybody,
): Advanced {
  const moment = { now, unsendable };
  const isPushed = happened.some(({ event }) => event.kind === 'act' && event.act.kind === 'escalate');
  const events: readonly Event[] = [
    { ...moment, kind: 'start' },
    ...happened.map((one): Event => ({ ...moment, ...one, kind: 'happened' })),
    { ...moment, kind: 'time', isPushed, hasMore },
  ];
  let state: State = stateOf(before);
  const effects = events.flatMap((event) => {
    const after = reduce(state, event);
    state = after;
    return after.effects;
  });
  const { run } = state;
  const people = state.people.all();
  return {
    run,
    people,
    entries: effects.flatMap((effect) => (effect.kind === 'note' ? [effect.entry] : [])),
    texts: effects.filter((effect) => effect.kind === 'send'),
    withdraw: effects.findLast((effect) => effect.kind === 'withdraw')?.places ?? [],
    awaitUntil: effects.findLast((effect) => effect.kind === 'awaitUntil')?.time,
    // If there may be more news, the next step is due at once: time-based changes wait for it, even if no news turns up.
    dueAt: hasMore ? now : nextDue(state),
  };
}
