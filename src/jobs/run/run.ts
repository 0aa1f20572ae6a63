/** A run of a saved job: the people it may ask, their answers, and who holds its places. */

import type { Answer } from '../../wire/answers/read-answer.ts';
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
 *    its time, too few still open, or an action of the owner
 */
export type Phase = (typeof phases)[number];
/** A phase's index is its code in the store. */
export const phases = ['scheduled', 'open', 'finished', 'ended'] as const;
export type Outcome = 'GOAL_REACHED' | 'ALL_ANSWERED' | 'EXPIRED' | 'CANCELED';

export interface Level {
  /** The filter that the task was created from, for people to read. */
  readonly name: string;
  /** Minutes from the start of the run. */
  readonly afterMinutes: number;
  /** The goal of the task from this level on, if higher than before. */
  readonly goal?: number;
}

export interface Task {
  /** For example `role:nurse`; empty if there is one task for all. */
  readonly name: string;
  /** Null if everyone who answers YES gets a place. */
  readonly goal: number | null;
  /** Never empty; the first level opens at the start. */
  readonly levels: readonly Level[];
  /** How many levels have been opened. */
  readonly opened: number;
  /** When the next wave of the task's people is asked; null if no wave has been asked yet. */
  readonly waveAt: number | null;
}

/**
 *   WAITING ──ask──▶ ASKED ──YES──▶ YES with a place, as a reserve, or with neither
 *     │                │ ◀──NO────── NO takes a place back; the first reserve gets it
 *     └───no way──────┴──failing receipt──▶ UNREACHABLE (who may still answer)
 */
export type PersonState = (typeof personStates)[number];
/** A state's index is its code in the store. */
export const personStates = ['waiting', 'asked', 'unreachable', 'yes', 'no'] as const;

/** The last answer of a person; asking where one stands is none. */
export interface LastAnswer {
  readonly at: number;
  /** Cut off at `maxAnswer`; absent for a link, and if the owner answered without a comment. */
  readonly text?: string;
  /** `comment`: neither a clear YES nor a clear NO. */
  readonly meaning: 'yes' | 'no' | 'comment';
}

export interface Person {
  /** The person's index, in the order in which people are asked. */
  readonly place: number;
  readonly phone: string | null;
  /** The address of a person without a phone, who is asked by mail. */
  readonly email?: string;
  /** Whether the person has only an app address, to which nothing is sent yet. */
  readonly hasAppOnly?: boolean;
  readonly name: string;
  readonly contactId: string;
  /** Tasks and levels for which the person may be asked. */
  readonly candidacies: readonly (readonly [task: number, level: number])[];
  readonly state: PersonState;
  /** The task in which the person holds a place. */
  readonly task: number | null;
  /** The person's turn among the reserves. */
  readonly reserve: number | null;
  /** The person's turn among those whose YES came when all places and reserve places were taken, in case one becomes free. */
  readonly spare?: number | undefined;
  readonly askedAt: number | null;
  readonly answer?: LastAnswer;
  readonly reminded: boolean;
  /** Whether the person was told how to answer. */
  readonly helped: boolean;
  /** Whether the person was told that no one else is needed. */
  readonly unneeded: boolean;
  /** Whether the person was told that it is too late. */
  readonly late: boolean;
  /** Replies sent so far, which are limited so that no exchange is endless. */
  readonly replies: number;
  /**
   * The code by which answers name the run if it shares its number with others; absent if the run had the number to
   * itself.
   */
  readonly code?: number;
  /** Texts still to be sent, in order. */
  readonly unsent?: readonly UnsentText[] | undefined;
}

export interface UnsentText {
  readonly text: string;
  /**
   * `standing`: tells the person's current state, so only the latest such text is true; `which`: asks which run is meant;
   * `question`: the run's question or a reminder, created only if there is room, so that it never waits for another step.
   */
  readonly kind: 'question' | 'standing' | 'which' | 'told';
  /** When the text was first due to be sent. */
  readonly since: number;
}

export interface Run {
  readonly id: number;
  readonly companyId: number;
  /** The system user that owns the run. */
  readonly ownerId: number;
  /** The user who started the run, and pays for it. */
  readonly userId: number;
  readonly starter: string;
  readonly savedJobId: number;
  readonly jobName: string;
  readonly typeName: string;
  readonly message: string;
  /** The settings of the job type at the start. */
  readonly settings: JobTypeSettings;
  readonly phase: Phase;
  readonly outcome: Outcome | null;
  readonly startAt: number;
  /** Null until it starts. */
  readonly expiryAt: number | null;
  readonly warned: boolean;
  readonly tasks: readonly Task[];
  /** What people are told by who cancelled it, in place of the text of the job's type. */
  readonly canceledText?: string | undefined;
  /** When to retry, if not everything could be sent. */
  readonly heldUntil?: number | undefined;
  /** The number of reserves so far, including those waiting beyond the reserve places. */
  readonly turns: number;
  /** The number of timeline entries so far. */
  readonly entries: number;
}

export interface RunWithPeople {
  readonly run: Run;
  readonly people: readonly Person[];
}

/** An event of a run, other than time passing, and when it happened. */
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
      /** A YES or NO for one of these runs, without saying which. */
      readonly unclear?: {
        readonly choices: readonly Choice[];
        /** Whether the sender was already asked which run is meant. */
        readonly wasAsked: boolean;
      };
    }
  /** A person wrote STOP without naming one of the runs on the number; another run replies to the person. */
  | { readonly kind: 'stopped'; readonly phone: string; readonly text: string }
  /** A person answered by the link in an e-mail. */
  | { readonly kind: 'answered'; readonly place: number; readonly meaning: 'yes' | 'no' }
  /** A failed final status of the question or of a reminder. */
  | { readonly kind: 'failed'; readonly place: number; readonly status: string }
  /** Questions were to be withdrawn; those never handed to a carrier were. */
  | { readonly kind: 'withdrawn'; readonly asked: readonly number[]; readonly withdrawn: readonly number[] }
  | { readonly kind: 'act'; readonly act: Act; readonly by: string };

/** A run that an answer without a code may be meant for. */
export interface Choice {
  readonly runId: number;
  readonly code: number;
  readonly job: string;
}

export type Act =
  /** The owner answers for a person who telephoned, or counts a person's `comment` as an answer. */
  | ({ readonly kind: 'accept' | 'decline'; readonly comment?: string } & Whom)
  | { readonly kind: 'escalate' }
  /** With a text, people are told by it in place of the text of the job's type. */
  | { readonly kind: 'cancel'; readonly text?: string }
  | { readonly kind: 'extend'; readonly minutes: number }
  | { readonly kind: 'tell'; readonly to: Audience; readonly text: string }
  | ({ readonly kind: 'tell'; readonly text: string } & Whom);

/** One of the people; acts stored by earlier versions name a phone. */
type Whom = { readonly place: number } | { readonly phone: string };

/** The groups of people that an owner may write to. */
export const audiences = ['all', 'silent', 'assigned'] as const;
export type Audience = (typeof audiences)[number];

/** Maximum number of people in a run; they are asked in one transaction, like the recipients of one call. */
export const maxPeople = 10_000;
/** At most this much of a person's last answer is kept with the person; the timeline has all of it. */
export const maxAnswer = 500;
/** Maximum number of texts sent to one person in reply to what they wrote. */
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

export function countHeld({ run, people }: RunWithPeople): number[] {
  const held = run.tasks.map(() => 0);
  for (const { task } of people) if (task !== null) held[task] = (held[task] ?? 0) + 1;
  return held;
}

/** Free places in a task; infinitely many if it has no goal. */
export function placesFree({ goal }: Task, held: number): number {
  return goal === null ? Number.POSITIVE_INFINITY : goal - held;
}

/** Levels that are not open yet give nobody a place. */
export function isCandidate({ candidacies }: Person, task: number, { opened }: Task): boolean {
  return candidacies.some(([of, level]) => of === task && level < opened);
}

/** Whether the person was asked and can still answer. */
export function isSilent({ state, unneeded }: Person): boolean {
  return state === 'asked' && !unneeded;
}

/** Whether any task that the person was asked for has a free place. */
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
