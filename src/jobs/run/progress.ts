/** A run while an event is processed: its state so far and the effects so far. Values are replaced, never mutated. */
import { type Entry, type EntryKind, system } from './entry.ts';
import { People } from './people.ts';
import { countHeld, type Person, placesFree, type Run, type RunWithPeople, type Task } from './run.ts';
import type { Unsendable } from './unsendable.ts';

/** What an event requires besides the run's new state. All effects are carried out in the transaction that stores the run. */
export type Effect =
  /** An entry of the timeline; some are reported to the owner's system (entry.ts). */
  | { readonly kind: 'note'; readonly entry: Entry }
  | OutgoingText
  /**
   * Withdraws the questions to these people that were not yet handed to a carrier. Only the last one in a step counts.
   */
  | { readonly kind: 'withdraw'; readonly places: readonly number[] }
  /** Leased numbers and queued questions are useful until then. Only the last one in a step counts. */
  | { readonly kind: 'awaitUntil'; readonly time: number };

export interface OutgoingText {
  readonly kind: 'send';
  readonly place: number;
  /** Null if the text is sent by mail. */
  readonly phone: string | null;
  readonly text: string;
  /** True for the question and for reminders: a failure receipt for one of them means that the person was not reached. */
  readonly isQuestion: boolean;
}

/** A run and its people, with lookup values for transitions that all derive from these two. */
export interface State {
  readonly run: Run;
  readonly people: People;
  /** How many places are held in each task. */
  readonly held: readonly number[];
  /**
   * Indexes (`place`) of the people next in line for free places: reserves, then those whose YES came too late, each group in
   * order.
   */
  readonly waitlist: readonly number[];
  /** Indexes (`place`) of the people with unsent texts, in the order in which they got their first unsent text. */
  readonly pending: readonly number[];
}

export interface Progress extends State {
  readonly now: number;
  readonly unsendable: Unsendable;
  /** Indexes (`place`) of the people for whose texts there is no room until later. */
  readonly heldBack: readonly number[];
  readonly effects: readonly Effect[];
}

export function stateOf(all: RunWithPeople): State {
  const pending = all.people.flatMap(({ place, unsent }) => (unsent === undefined ? [] : [place]));
  const waitlist = waitlistOf(all.people);
  return { run: all.run, people: People.of(all.people), held: countHeld(all), waitlist, pending };
}

function waitlistOf(people: readonly Person[]): readonly number[] {
  const by = (turnOf: (person: Person) => number | null | undefined) =>
    people
      .filter((person) => typeof turnOf(person) === 'number')
      .sort((a, b) => (turnOf(a) as number) - (turnOf(b) as number));
  return [...by(({ reserve }) => reserve), ...by(({ spare }) => spare)].map(({ place }) => place);
}

export function personAt({ people }: State, place: number): Person {
  return people.at(place) as Person;
}

/** Free places in a task; infinitely many if it has no goal. */
export function freeIn({ run, held }: State, task: number): number {
  return placesFree(run.tasks[task] as Task, held[task] ?? 0);
}

export function isGoalReached(state: State): boolean {
  return state.run.tasks.every((_, task) => freeIn(state, task) <= 0);
}

export function withRun(progress: Progress, values: Partial<Run>): Progress {
  return { ...progress, run: { ...progress.run, ...values } };
}

export function withTask(progress: Progress, place: number, values: Partial<Task>): Progress {
  const { tasks } = progress.run;
  return withRun(progress, { tasks: tasks.with(place, { ...(tasks[place] as Task), ...values }) });
}

export function withPerson(progress: Progress, place: number, values: Partial<Person>): Progress {
  return withPeople(progress, [{ ...personAt(progress, place), ...values }]);
}

/** Replaces each changed person by the new version. */
export function withPeople(before: Progress, changed: readonly Person[]): Progress {
  if (changed.length === 0) return before;
  const held = before.held.slice();
  const count = (task: number | null, by: number) => {
    if (task !== null) held[task] = (held[task] ?? 0) + by;
  };
  const added: number[] = [];
  let isQueueChanged = false;
  for (const person of changed) {
    const { task, reserve, spare, unsent } = personAt(before, person.place);
    count(task, -1);
    count(person.task, 1);
    if (person.reserve !== reserve || person.spare !== spare) isQueueChanged = true;
    if (unsent === undefined && person.unsent !== undefined) added.push(person.place);
  }
  const people = before.people.with(changed);
  const inLine = () => new Set([...before.waitlist, ...changed.map(({ place }) => place)]);
  const waitlist = isQueueChanged
    ? waitlistOf([...inLine()].map((place) => people.at(place) as Person))
    : before.waitlist;
  const pending = added.length > 0 ? [...before.pending, ...added] : before.pending;
  return { ...before, people, held, waitlist, pending };
}

export function withEffects(progress: Progress, effects: readonly Effect[]): Progress {
  return { ...progress, effects: [...progress.effects, ...effects] };
}

export type Details = Partial<Omit<Entry, 'kind' | 'at'>>;

export function note(progress: Progress, kind: EntryKind, details: Details = {}): Progress {
  return noteEach(progress, kind, [details]);
}

/** Adds an entry for each of the details. */
export function noteEach(before: Progress, kind: EntryKind, all: readonly Details[]): Progress {
  if (all.length === 0) return before;
  const notes = all.map((details): Effect => {
    return { kind: 'note', entry: { kind, at: before.now, by: system, ...details } };
  });
  return withEffects(withRun(before, { entries: before.run.entries + notes.length }), notes);
}
