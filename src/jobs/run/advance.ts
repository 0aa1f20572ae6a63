/** A step of a run: reduces it by all that has come to it, and sorts the effects by those who carry them out. */
import type { Entry } from './entry.ts';
import { nextDue } from './next-due.ts';
import { type OutgoingText, type State, stateOf } from './progress.ts';
import { type Event, reduce } from './reduce.ts';
import type { Happened, RunWithPeople } from './run.ts';
import type { Unsendable } from './unsendable.ts';

export interface Advanced extends RunWithPeople {
  readonly entries: readonly Entry[];
  readonly texts: readonly OutgoingText[];
  /** Places of the people whose questions are to be taken back. */
  readonly withdraw: readonly number[];
  /** Until when answers are awaited, where that has changed. */
  readonly awaitUntil: number | undefined;
  /** When there is another step to make, though nothing more happens; null: never. */
  readonly dueAt: number | null;
}

/** What has come to a run, in the order of time. */
interface News {
  readonly happened: readonly Happened[];
  /** There may be more of it, which comes in the next step. */
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
    // What time brings comes after what is still to be taken in, of which there may be none after all.
    dueAt: hasMore ? now : nextDue(state),
  };
}
