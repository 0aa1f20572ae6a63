/** A run of a saved job: whom it may ask, what they have answered, and who holds its places. */

import type { Answer } from '../answers/read-answer.ts';
import type { JobTypeSettings } from '../job-type.ts';

/**
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
 */
export type Phase = 'scheduled' | 'open' | 'finished' | 'ended';
export type Outcome = 'GOAL_REACHED' | 'ALL_ANSWERED' | 'EXPIRED' | 'CANCELED';

export interface Level {
  /** The filter that it was made by, for people to read. */
  readonly name: string;
  /** From the start of the run. */
  readonly afterMinutes: number;
  /** The goal of the task from this level on, where that is more than before. */
  readonly goal?: number;
}

export interface Task {
  /** `role:nurse`; empty where there is one task for all. */
  readonly name: string;
  /** Null: as many as answer YES. */
  readonly goal: number | null;
  /** Never empty; the first opens at the start. */
  readonly levels: readonly Level[];
  /** How many levels have been opened. */
  readonly opened: number;
  /** When the next wave of its people is asked; null: none has been asked yet. */
  readonly waveAt: number | null;
}

/**
 *   WAITING ──ask──▶ ASKED ──YES──▶ YES with a place, as a reserve, or with neither
 *     │                │ ◀──NO────── NO takes a place back; the first reserve gets it
 *     └───no way──────┴──failing receipt──▶ UNREACHABLE (who may answer all the same)
 */
export type PersonState = 'waiting' | 'asked' | 'unreachable' | 'yes' | 'no';

export interface Person {
  /** In the order in which people are asked. */
  readonly place: number;
  /** Null: there is none. */
  readonly phone: string | null;
  /** The address of somebody without a phone, who is asked by mail. */
  readonly email?: string;
  /** An app address is all that there is, which nothing is sent to yet. */
  readonly hasAppOnly?: boolean;
  readonly name: string;
  readonly contactId: string;
  /** Tasks and their levels that the person may be asked for. */
  readonly candidacies: readonly (readonly [task: number, level: number])[];
  readonly state: PersonState;
  /** The task in which the person holds a place. */
  readonly task: number | null;
  /** Its turn among the reserves. */
  readonly reserve: number | null;
  /** Its turn among those who said YES when all places and those of reserves were taken: should one become free. */
  readonly spare?: number | undefined;
  readonly askedAt: number | null;
  readonly reminded: boolean;
  /** Was told how to answer. */
  readonly helped: boolean;
  /** Was told that nobody more is needed. */
  readonly unneeded: boolean;
  /** Was told that it is too late. */
  readonly late: boolean;
  /** Answered so many times: nobody is talked to without end. */
  readonly replies: number;
  /** What answers name the run by, where it shares its number with others; absent: it had the number to itself. */
  readonly code?: number;
  /** Texts that still have to be sent, in their order. */
  readonly unsent?: readonly UnsentText[] | undefined;
}

export interface UnsentText {
  readonly text: string;
  /**
   * `standing`: how it is for the person, of which only the latest is true; `which`: which run is meant, is asked;
   * `question`: that of the run or a reminder of it, put only where there is room, so that it never waits for another step.
   */
  readonly kind: 'question' | 'standing' | 'which' | 'told';
  /** When it was to be sent first. */
  readonly since: number;
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
  readonly settings: JobTypeSettings;
  readonly phase: Phase;
  readonly outcome: Outcome | null;
  readonly startAt: number;
  /** Null until it starts. */
  readonly expiryAt: number | null;
  readonly warned: boolean;
  readonly tasks: readonly Task[];
  /** Not all could be sent that was to be, and is tried again at this time. */
  readonly heldUntil?: number | undefined;
  /** Reserves so far, and those who would be. */
  readonly turns: number;
  /** Entries of its timeline so far. */
  readonly entries: number;
}

export interface RunWithPeople {
  readonly run: Run;
  readonly people: readonly Person[];
}

/** What happens to a run, beside time going by, and when. */
export interface Happened {
  readonly at: number;
  readonly event: RunEvent;
}

export type RunEvent =
  | {
      readonly kind: 'answer';
      readonly phone: string;
      readonly answer: Answer;
      readonly text: string;
      /** It is a YES or NO to one of these runs, nobody knows to which. */
      readonly unclear?: {
        readonly choices: readonly Choice[];
        /** Its sender was asked already which is meant. */
        readonly wasAsked: boolean;
      };
    }
  /** Somebody wrote STOP, and nobody knows to which of the runs on the number; another of them answers it. */
  | { readonly kind: 'stopped'; readonly phone: string; readonly text: string }
  /** Somebody answered by the link of a mail. */
  | { readonly kind: 'answered'; readonly place: number; readonly meaning: 'yes' | 'no' }
  /** A failing final status of the question, or of a reminder. */
  | { readonly kind: 'failed'; readonly place: number; readonly status: string }
  /** Questions were to be taken back: those that no carrier ever had are. */
  | { readonly kind: 'withdrawn'; readonly asked: readonly number[]; readonly withdrawn: readonly number[] }
  | { readonly kind: 'act'; readonly act: Act; readonly by: string };

/** A run that an answer without a code may be to. */
export interface Choice {
  readonly runId: number;
  readonly code: number;
  readonly job: string;
}

export type Act =
  /** For somebody who telephoned, or whose comment is counted as that: then it stands here. */
  | { readonly kind: 'accept' | 'decline'; readonly phone: string; readonly comment?: string }
  | { readonly kind: 'escalate' | 'cancel' }
  | { readonly kind: 'extend'; readonly minutes: number }
  | { readonly kind: 'tell'; readonly to: Audience; readonly text: string };

/** Whom an owner may write to. */
export const audiences = ['all', 'silent', 'assigned'] as const;
export type Audience = (typeof audiences)[number];

/** People of one run, asked in one transaction as the recipients of one call are. */
export const maxPeople = 10_000;
/** Texts to one person that answer what he wrote. */
export const maxReplies = 20;

const minuteMs = 60_000;

export function newPerson(
  about: Pick<Person, 'place' | 'phone' | 'email' | 'hasAppOnly' | 'name' | 'contactId' | 'candidacies'>,
): Person {
  return {
    ...about,
    state: 'waiting',
    task: null,
    reserve: null,
    askedAt: null,
    reminded: false,
    helped: false,
    unneeded: false,
    late: false,
    replies: 0,
  };
}

/** How many places are held in each task. */
export function countHeld({ run, people }: RunWithPeople): number[] {
  const held = run.tasks.map(() => 0);
  for (const { task } of people) if (task !== null) held[task] = (held[task] ?? 0) + 1;
  return held;
}

/** Places that are free in a task; infinitely many where it has no goal. */
export function placesFree({ goal }: Task, held: number): number {
  return goal === null ? Number.POSITIVE_INFINITY : goal - held;
}

/** Levels that are not open yet give nobody a place. */
export function isCandidate({ candidacies }: Person, task: number, { opened }: Task): boolean {
  return candidacies.some(([of, level]) => of === task && level < opened);
}

/** Was asked, and may still answer. */
export function isSilent({ state, unneeded }: Person): boolean {
  return state === 'asked' && !unneeded;
}

/** Among the tasks that the person was asked for, one has a place that is free. */
export function isNeeded(
  { candidacies }: Person,
  tasks: readonly Task[],
  free: (task: number) => number,
): boolean {
  return candidacies.some(([task, level]) => level < (tasks[task]?.opened ?? 0) && free(task) > 0);
}

export function minutesAfter(at: number, minutes: number): number {
  return at + minutes * minuteMs;
}
