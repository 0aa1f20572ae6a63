/**
 * A run of a saved job: whom it may ask, what they have answered, and who holds its places.
 *
 * GMM (everybody is asked at once; one task, with or without a goal):
 *
 *   SCHEDULED ──time──▶ OPEN ──goal reached, or nobody is left to answer──▶ FINISHED ──expiry──▶ ENDED
 *       │                │ ▲                                                   │
 *       │                │ └────────── a NO takes back a counted YES ──────────┤
 *       └────cancel──────┴───────────────── expiry, cancel ────────────────────┴──────────────▶ ENDED
 *
 * GMA (a task for each kind of people, with a goal; level after level):
 *
 *   SCHEDULED ──time──▶ OPEN ──all goals reached──▶ FINISHED ──expiry──▶ ENDED
 *                       │  ▲                           │
 *    a level opens: ────┘  └──a place is freed and no reserve is there──┘
 *    its time, too few still open, or an act of the owner
 *
 *   of a person:  WAITING ──ask──▶ ASKED ──YES──▶ YES with a place, as a reserve, or with neither
 *                    │               │ ◀──NO────── NO takes a place back; the first reserve gets it
 *                    └───no way──────┴──failing receipt──▶ UNREACHABLE (who may answer all the same)
 */
import type { JobTypeSettings } from '../job-type.ts';

export type Phase = 'scheduled' | 'open' | 'finished' | 'ended';
export type Outcome = 'GOAL_REACHED' | 'ALL_ANSWERED' | 'EXPIRED' | 'CANCELED';

export interface Level {
  /** The filter that it was made by, for people to read. */
  readonly name: string;
  /** From the start of the run. */
  readonly afterMinutes: number;
  /** Of the task from this level on, where that is more than before. */
  readonly goal?: number;
}

export interface Task {
  /** `role:nurse`; empty where there is one task for all. */
  readonly name: string;
  /** Null: as many as answer YES. */
  goal: number | null;
  /** Never empty; the first opens at the start. */
  readonly levels: readonly Level[];
  /** How many levels have been opened. */
  opened: number;
  /** When the next wave of its people is asked; null: none has been asked yet. */
  waveAt: number | null;
}

export type PersonState = 'waiting' | 'asked' | 'unreachable' | 'yes' | 'no';

export interface Person {
  /** In the order in which people are asked. */
  readonly place: number;
  /** Null: there is none. */
  readonly phone: string | null;
  readonly name: string;
  readonly contactId: string;
  /** Tasks and their levels that the person may be asked for. */
  readonly candidacies: readonly (readonly [task: number, level: number])[];
  state: PersonState;
  /** The task in which the person holds a place. */
  task: number | null;
  /** Its turn among the reserves. */
  reserve: number | null;
  askedAt: number | null;
  reminded: boolean;
  /** Was told how to answer. */
  helped: boolean;
  /** Was told that nobody more is needed. */
  unneeded: boolean;
  /** Was told that it is too late. */
  late: boolean;
  /** Answered so many times: nobody is talked to without end. */
  replies: number;
  /** By which answers name the run, where it shares its number with others; absent: it had the number to itself. */
  code?: number;
}

export interface Run {
  readonly id: number;
  readonly companyId: number;
  /** Its system user. */
  readonly ownerId: number;
  /** Who started it, and pays. */
  readonly userId: number;
  readonly starter: string;
  readonly savedJobId: number;
  readonly jobName: string;
  readonly typeName: string;
  readonly message: string;
  /** Those of its type when it starts. */
  settings: JobTypeSettings;
  phase: Phase;
  outcome: Outcome | null;
  readonly startAt: number;
  /** Null until it starts. */
  expiryAt: number | null;
  warned: boolean;
  readonly tasks: readonly Task[];
  /** Reserves so far. */
  turns: number;
  /** Entries of its timeline so far. */
  entries: number;
}

export interface RunWithPeople {
  readonly run: Run;
  readonly people: readonly Person[];
}

/** People of one run, asked in one transaction as the recipients of one call are. */
export const maxPeople = 10_000;
/** Texts to one person that answer what he wrote. */
export const maxReplies = 20;

const minuteMs = 60_000;

export function newPerson(
  about: Pick<Person, 'place' | 'phone' | 'name' | 'contactId' | 'candidacies'>,
): Person {
  return {
    ...{ ...about, state: 'waiting', task: null, reserve: null, askedAt: null, reminded: false },
    ...{ helped: false, unneeded: false, late: false, replies: 0 },
  };
}

export function heldIn({ people }: RunWithPeople, task: number): number {
  return people.reduce((held, person) => held + (person.task === task ? 1 : 0), 0);
}

/** Places that are free in a task; infinitely many where it has no goal. */
export function placesFree(all: RunWithPeople, task: number): number {
  const goal = all.run.tasks[task]?.goal ?? null;
  return goal === null ? Number.POSITIVE_INFINITY : goal - heldIn(all, task);
}

/** Levels that are not open yet give nobody a place. */
export function isCandidate({ candidacies }: Person, task: number, { opened }: Task): boolean {
  return candidacies.some(([of, level]) => of === task && level < opened);
}

/** Was asked, and may still answer. */
export function isSilent({ state, unneeded }: Person): boolean {
  return state === 'asked' && !unneeded;
}

export function minutesAfter(at: number, minutes: number): number {
  return at + minutes * minuteMs;
}

export function isGoalReached(all: RunWithPeople): boolean {
  return all.run.tasks.every((task, place) => task.goal !== null && placesFree(all, place) <= 0);
}

/** The reserves in their order. */
export function reservesOf(people: readonly Person[]): readonly Person[] {
  return people
    .filter(({ reserve }) => reserve !== null)
    .sort((a, b) => (a.reserve as number) - (b.reserve as number));
}

/** When the run has something to do by time alone; null: never. */
export function nextDue(all: RunWithPeople): number | null {
  const { run, people } = all;
  if (run.phase === 'ended') return null;
  if (run.phase === 'scheduled') return run.startAt;
  const times = [run.expiryAt as number];
  if (run.phase === 'finished') return times[0] as number;
  const { warningMinutes, reminderMinutes } = run.settings;
  if (warningMinutes !== undefined && !run.warned) times.push(minutesAfter(run.startAt, warningMinutes));
  run.tasks.forEach((task, place) => {
    if (placesFree(all, place) <= 0) return;
    const next = task.levels[task.opened];
    if (next !== undefined) times.push(minutesAfter(run.startAt, next.afterMinutes));
    const isMore = people.some((person) => person.state === 'waiting' && isCandidate(person, place, task));
    if (task.waveAt !== null && isMore) times.push(task.waveAt);
  });
  if (reminderMinutes !== undefined) {
    for (const person of people) {
      if (isSilent(person) && !person.reminded)
        times.push(minutesAfter(person.askedAt as number, reminderMinutes));
    }
  }
  // Not by `Math.min(...times)`: arguments of a call are few, and the times of thousands of people are not.
  return times.reduce((least, time) => Math.min(least, time));
}
