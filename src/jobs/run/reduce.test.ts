/** Tables of how one event changes a run: the run and its people before and after, with texts and effects. */

import { describe, expect, test } from 'vitest';
import { testRun } from '../../../test/harness/test-run.ts';
import { readReason } from '../../foundation/sentences.ts';
import { standardSettings, textNames } from '../job-type.ts';
import { type Effect, type Progress, stateOf } from './progress.ts';
import { type Event, reduce } from './reduce.ts';
import { type Act, newPerson, type Person, type Run, type RunEvent, type Task } from './run.ts';
import type { Unsendable } from './unsendable.ts';

const minuteMs = 60_000;
const phoneOf = (place: number) => `4670${place}`;

/** A person's state in a word (`asked`, `placed`, `reserve 1`, `spare 2`), or the fields that differ. */
type PersonSpec = string | Partial<Person>;

function personOf(spec: PersonSpec, place: number): Person {
  const person = newPerson({ place, phone: phoneOf(place), name: '', contactId: '', candidacies: [[0, 0]] });
  if (typeof spec !== 'string') return { ...person, ...spec };
  const [word, turn] = spec.split(' ');
  switch (word) {
    case 'placed':
      return { ...person, state: 'yes', askedAt: 0, task: 0 };
    case 'reserve':
      return { ...person, state: 'yes', askedAt: 0, reserve: Number(turn) };
    case 'spare':
      return { ...person, state: 'yes', askedAt: 0, spare: Number(turn) };
    case 'unneeded':
      return { ...person, state: 'asked', askedAt: 0, unneeded: true };
    default:
      return { ...person, state: word as Person['state'], askedAt: word === 'waiting' ? null : 0 };
  }
}

function shownPerson({ state, task, reserve, spare, unneeded }: Person): string {
  if (task !== null) return task === 0 ? 'placed' : `placed in ${task}`;
  if (reserve !== null) return `reserve ${reserve}`;
  if (spare !== undefined) return `spare ${spare}`;
  return state === 'asked' && unneeded ? 'unneeded' : state;
}

function shownEffect(effect: Effect): string {
  if (effect.kind === 'send') return `send ${effect.place} ${effect.text}`;
  if (effect.kind === 'withdraw') return `withdraw ${effect.places.join()}`;
  if (effect.kind === 'awaitUntil') return `await until ${effect.time / minuteMs}`;
  const { kind, people = [], outcome, meaning, why } = effect.entry;
  return [kind, people.join(), outcome ?? meaning ?? (why && readReason(why).text)].filter(Boolean).join(' ');
}

const textsOf = ({ people }: Progress) =>
  people.all().flatMap(({ place, unsent = [] }) => unsent.map(({ text }) => `${place} ${text}`));

const levels = (...afterMinutes: readonly number[]): Task['levels'] =>
  afterMinutes.map((after) => ({ name: `after ${after}`, afterMinutes: after }));
const task = (values: Partial<Task> = {}): Task => {
  return { name: 'nurse', goal: 1, levels: levels(0), opened: 1, waveAt: null, ...values };
};

interface Before extends Partial<Pick<Run, 'phase' | 'outcome' | 'tasks' | 'heldUntil' | 'warned'>> {
  readonly people: readonly PersonSpec[];
  readonly settings?: Partial<Run['settings']>;
  /** In minutes from the start. */
  readonly now?: number;
  readonly unsendable?: Partial<Unsendable>;
}

interface After {
  /** The phase afterwards; absent if unchanged. */
  readonly is?: string;
  /** The people afterwards; absent if unchanged. */
  readonly people?: readonly string[];
  /** Texts waiting to be sent, by the names under which a job type can reword them. */
  readonly texts?: readonly string[];
  readonly effects?: readonly string[];
}

type Came =
  | { readonly kind: 'start' }
  | { readonly kind: 'time'; readonly isPushed: boolean; readonly hasMore: boolean }
  | { readonly kind: 'happened'; readonly at?: number; readonly event: RunEvent };
type Row = readonly [title: string, before: Before, event: Came, after: After];

const ownTexts = Object.fromEntries(textNames.map((name) => [name, name]));
const isShown = ({ phase, outcome }: Run) => [phase, outcome].filter(Boolean).join(' ');

function check([, before, came, after]: Row): void {
  const { people: specs, settings, now = 10, unsendable, ...values } = before;
  const people = specs.map(personOf);
  const run = testRun({
    phase: 'open',
    settings: { ...standardSettings('GMA'), ...ownTexts, ...settings },
    expiryAt: values.phase === 'scheduled' ? null : 60 * minuteMs,
    turns: Math.max(0, ...people.map(({ reserve, spare }) => reserve ?? spare ?? 0)),
    tasks: [task()],
    ...values,
  });
  const moment = { now: now * minuteMs, unsendable: { phones: new Map(), ...unsendable } };
  const at = came.kind === 'happened' ? { at: (came.at ?? now) * minuteMs } : {};
  const result = reduce(stateOf({ run, people }), { ...moment, ...came, ...at } as Event);
  expect({
    is: isShown(result.run),
    people: result.people.all().map(shownPerson),
    texts: textsOf(result),
    effects: result.effects.map(shownEffect),
  }).toEqual({
    is: after.is ?? isShown(run),
    people: after.people ?? people.map(shownPerson),
    texts: after.texts ?? [],
    effects: after.effects ?? [],
  });
}

const rows = (all: readonly Row[]) => {
  for (const row of all) test(row[0], () => check(row));
};

const answer = (place: number, meaning: 'yes' | 'no' | 'query' | 'comment', at?: number): Came => {
  const event: RunEvent = { kind: 'answer', phone: phoneOf(place), answer: { meaning }, text: meaning };
  return { kind: 'happened', event, ...(at !== undefined && { at }) };
};
const unclear = (wasAsked: boolean): Came => {
  const choices = [61, 62].map((code) => ({ runId: code, code, job: `Job ${code}` }));
  const yes = { kind: 'answer', phone: phoneOf(0), answer: { meaning: 'yes' }, text: 'Yes' } as const;
  return { kind: 'happened', event: { ...yes, unclear: { choices, wasAsked } } };
};
const happened = (event: RunEvent): Came => ({ kind: 'happened', event });
const act = (by: Act): Came => happened({ kind: 'act', by: 'bob', act: by });
const time = (values: { isPushed?: boolean; hasMore?: boolean } = {}): Came => {
  return { kind: 'time', isPushed: false, hasMore: false, ...values };
};

const reached = { phase: 'finished', outcome: 'GOAL_REACHED' } as const;
const expired = { phase: 'ended', outcome: 'EXPIRED' } as const;
const askedAs = (values: Partial<Person>): PersonSpec => ({ state: 'asked', askedAt: 0, ...values });

describe('answers', () => {
  rows([
    [
      '[JOB-5] [JOB-12] A YES gets a free place; the last one reaches the goal, and people who have not answered are told that they are not needed',
      { people: ['asked', 'asked', 'no'] },
      answer(0, 'yes'),
      {
        is: 'finished GOAL_REACHED',
        people: ['placed', 'asked', 'no'],
        texts: ['0 assignedText'],
        effects: ['reply 0 yes', 'assign 0', 'finish GOAL_REACHED', 'withdraw 1'],
      },
    ],
    [
      '[JOB-6] A repeated YES is answered, and its person counts once',
      { ...reached, people: ['placed', 'asked'] },
      answer(0, 'yes'),
      { texts: ['0 assignedText'], effects: ['reply 0 yes'] },
    ],
    [
      '[JOB-12] A YES when all places are taken goes to the waiting list',
      { ...reached, people: ['placed', 'asked'], settings: { reserve: 1 } },
      answer(1, 'yes'),
      { people: ['placed', 'reserve 1'], texts: ['1 reserveText'], effects: ['reply 1 yes', 'reserve 1'] },
    ],
    [
      '[JOB-12] A YES when the waiting list is full keeps its turn',
      { ...reached, people: ['placed', 'reserve 1', 'asked'], settings: { reserve: 1 } },
      answer(2, 'yes'),
      { people: ['placed', 'reserve 1', 'spare 2'], texts: ['2 filledText'], effects: ['reply 2 yes'] },
    ],
    [
      '[JOB-12] A NO gives the place to the first on the waiting list, who is notified',
      { ...reached, people: ['placed', 'reserve 2', 'reserve 1', 'spare 3'], settings: { reserve: 2 } },
      answer(0, 'no'),
      {
        people: ['no', 'reserve 2', 'placed', 'spare 3'],
        texts: ['0 declinedText', '2 promotedText'],
        effects: ['reply 0 no', 'unassign 0', 'assign 2'],
      },
    ],
    [
      '[JOB-12] Without a waiting list the place goes to the first whose YES came too late',
      { ...reached, people: ['placed', 'spare 2', 'spare 1'] },
      answer(0, 'no'),
      {
        people: ['no', 'spare 2', 'placed'],
        texts: ['0 declinedText', '2 promotedText'],
        effects: ['reply 0 no', 'unassign 0', 'assign 2'],
      },
    ],
    [
      '[JOB-4] [JOB-12] With nobody waiting the run is open again, and people told that they were not needed may be asked again',
      { ...reached, people: ['placed', 'unneeded', 'no'] },
      answer(0, 'no'),
      {
        is: 'open',
        people: ['no', 'waiting', 'no'],
        texts: ['0 declinedText'],
        effects: ['reply 0 no', 'unassign 0', 'reopen'],
      },
    ],
    [
      '[JOB-10] A ? is answered with the state of the run',
      { people: ['asked', 'placed'], tasks: [task({ goal: 2 })] },
      answer(0, 'query'),
      {
        texts: ['0 Night: 1 of 2 found. You have not answered YES or NO yet.'],
        effects: ['reply 0 query'],
      },
    ],
    [
      '[JOB-10] An unclear answer gets instructions on how to answer',
      { people: ['asked'] },
      answer(0, 'comment'),
      { texts: ['0 helpText'], effects: ['reply 0 comment'] },
    ],
    [
      '[JOB-10] Instructions on how to answer are sent once',
      { people: [askedAs({ helped: true })] },
      answer(0, 'comment'),
      { effects: ['reply 0 comment'] },
    ],
    [
      '[JOB-6] Replies to one person are limited, but the answers count',
      { people: [askedAs({ replies: 20 })] },
      answer(0, 'yes'),
      {
        is: 'finished GOAL_REACHED',
        people: ['placed'],
        effects: ['reply 0 yes', 'assign 0', 'finish GOAL_REACHED', 'withdraw '],
      },
    ],
    [
      '[JOB-7] A person whose answer may be for another run is asked which, and gets no place by it',
      { people: ['asked'] },
      unclear(false),
      { texts: ['0 whichText'], effects: ['reply 0 unclear'] },
    ],
    [
      '[JOB-7] A person is asked only once which run an answer is for',
      { people: ['asked'] },
      unclear(true),
      { effects: ['reply 0 unclear'] },
    ],
    [
      '[JOB-7] [JOB-10] A STOP that another run answers counts as a NO',
      { people: ['asked', 'asked'] },
      happened({ kind: 'stopped', phone: phoneOf(0), text: 'STOP' }),
      { people: ['no', 'asked'], effects: ['reply 0 no'] },
    ],
    [
      '[JOB-9] An answer through the link in an e-mail counts like one by SMS',
      { people: [askedAs({ phone: null, email: 'a@care.example' })] },
      happened({ kind: 'answered', place: 0, meaning: 'yes' }),
      {
        is: 'finished GOAL_REACHED',
        people: ['placed'],
        texts: ['0 assignedText'],
        effects: ['reply 0 yes', 'assign 0', 'finish GOAL_REACHED', 'withdraw '],
      },
    ],
    [
      '[JOB-6] An answer from someone outside the run changes nothing',
      { people: ['asked'] },
      answer(7, 'yes'),
      {},
    ],
    [
      '[JOB-12] A reply to a person who can’t be sent to is recorded as not sent',
      { people: ['asked', 'asked'], unsendable: { phones: new Map([[phoneOf(0), 'no_route']]) } },
      answer(0, 'no'),
      { people: ['no', 'asked'], effects: ['reply 0 no', 'notSent 0 no_route'] },
    ],
  ]);
});

describe('the end', () => {
  rows([
    [
      '[JOB-6] A YES received before the end counts, whenever it is processed',
      { people: ['asked'], now: 70 },
      answer(0, 'yes', 59),
      {
        is: 'finished GOAL_REACHED',
        people: ['placed'],
        texts: ['0 assignedText'],
        effects: ['reply 0 yes', 'assign 0', 'finish GOAL_REACHED', 'withdraw '],
      },
    ],
    [
      '[JOB-6] [JOB-12] A YES received after the end is too late, and ends the run first',
      { people: ['asked'], now: 70 },
      answer(0, 'yes', 60),
      {
        is: 'ended EXPIRED',
        texts: ['0 lateText'],
        effects: ['finish EXPIRED', 'await until 70', 'reply 0 yes'],
      },
    ],
    [
      '[JOB-6] An answer dated in the future, because the clock was set back, is in time',
      { people: ['asked', 'asked'], now: 5 },
      answer(0, 'no', 65),
      { people: ['no', 'asked'], texts: ['0 declinedText'], effects: ['reply 0 no'] },
    ],
    [
      '[JOB-12] A person is told once that an answer is too late',
      { ...expired, people: [askedAs({ late: true })], now: 70 },
      answer(0, 'yes'),
      { effects: ['reply 0 yes'] },
    ],
    [
      '[JOB-12] A person who has a place is told so after the end too',
      { ...expired, people: ['placed'], now: 70 },
      answer(0, 'yes'),
      { texts: ['0 assignedText'], effects: ['reply 0 yes'] },
    ],
    [
      '[JOB-6] A NO after the end takes no place back',
      { ...expired, people: ['placed', 'reserve 1'], now: 70 },
      answer(0, 'no'),
      { effects: ['reply 0 no'] },
    ],
    [
      '[JOB-6] A finished run ends at its expiry with its outcome',
      { ...reached, people: ['placed'], now: 60 },
      time(),
      { is: 'ended GOAL_REACHED', effects: ['end', 'await until 60'] },
    ],
    [
      '[JOB-4] An open run ends at its expiry as EXPIRED',
      { people: ['asked'], now: 60 },
      time(),
      { is: 'ended EXPIRED', effects: ['finish EXPIRED', 'await until 60'] },
    ],
    [
      '[JOB-6] A finished run does not end while earlier answers may still arrive',
      { people: ['asked'], now: 60 },
      time({ hasMore: true }),
      {},
    ],
    [
      '[JOB-8] An act after the end is recorded and has no effect',
      { ...expired, people: ['asked'], now: 70 },
      act({ kind: 'accept', phone: phoneOf(0) }),
      { effects: ['act 0 accept: not done, since the run is ended'] },
    ],
  ]);
});

describe('outcomes of questions', () => {
  rows([
    [
      '[JOB-11] A failure receipt marks the person as not reached',
      { people: ['asked', 'asked'] },
      happened({ kind: 'failed', place: 0, status: 'UNDELIVERABLE' }),
      { people: ['unreachable', 'asked'], effects: ['unreached 0 UNDELIVERABLE'] },
    ],
    [
      '[JOB-11] A failure receipt does not mark a person who has answered as not reached',
      { people: ['no', 'asked'] },
      happened({ kind: 'failed', place: 0, status: 'UNDELIVERABLE' }),
      {},
    ],
    [
      '[JOB-12] A person who never got the question waits again; the others are told that they are not needed',
      { ...reached, people: ['placed', 'asked', 'asked', 'no'] },
      happened({ kind: 'withdrawn', asked: [1, 2, 3], withdrawn: [1] }),
      {
        people: ['placed', 'waiting', 'unneeded', 'no'],
        texts: ['2 unneededText'],
        effects: ['withdraw 1', 'tell 2 no one else is needed'],
      },
    ],
    [
      '[JOB-8] [JOB-12] A person whose question could not be withdrawn is told that the run is cancelled',
      { phase: 'ended', outcome: 'CANCELED', people: ['asked'] },
      happened({ kind: 'withdrawn', asked: [0], withdrawn: [] }),
      { people: ['unneeded'], texts: ['0 canceledText'], effects: ['tell 0 it is called off'] },
    ],
  ]);
});

describe('actions of the owner', () => {
  rows([
    [
      '[JOB-8] A person recorded as YES gets a place, even in a level that is not open',
      { people: [{ candidacies: [[0, 1]] }, 'asked'], tasks: [task({ levels: levels(0, 30) })] },
      act({ kind: 'accept', phone: phoneOf(0) }),
      {
        is: 'finished GOAL_REACHED',
        people: ['placed', 'asked'],
        texts: ['0 assignedText'],
        effects: ['act 0 accept', 'assign 0', 'finish GOAL_REACHED', 'withdraw 1'],
      },
    ],
    [
      '[JOB-8] A person recorded as NO loses the place',
      { ...reached, people: ['placed', 'asked'] },
      act({ kind: 'decline', phone: phoneOf(0) }),
      {
        is: 'open',
        people: ['no', 'asked'],
        texts: ['0 declinedText'],
        effects: ['act 0 decline', 'unassign 0', 'reopen'],
      },
    ],
    [
      '[JOB-8] An extended run waits longer for answers',
      { people: ['asked'] },
      act({ kind: 'extend', minutes: 15 }),
      { effects: ['act extend by 15 minutes', 'await until 75'] },
    ],
    [
      '[JOB-8] A text from the owner waits beside replies to a person',
      {
        ...reached,
        people: [{ ...personOf('placed', 0), unsent: [{ text: 'on', kind: 'standing', since: 0 }] }],
      },
      act({ kind: 'tell', to: 'assigned', text: 'Bring boots' }),
      { texts: ['0 on', '0 Bring boots'], effects: ['act tell', 'tell 0'] },
    ],
    [
      '[JOB-8] A cancelled run notifies those who have a place, and withdraws the other questions',
      { people: ['placed', 'asked', 'reserve 1', 'no'], tasks: [task({ goal: 2 })] },
      act({ kind: 'cancel' }),
      {
        is: 'ended CANCELED',
        texts: ['0 canceledText', '2 canceledText'],
        effects: ['finish CANCELED', 'await until 10', 'withdraw 1'],
      },
    ],
    [
      '[JOB-8] A run can be cancelled before it has started',
      { phase: 'scheduled', people: ['waiting'] },
      act({ kind: 'cancel' }),
      { is: 'ended CANCELED', effects: ['finish CANCELED', 'await until 10', 'withdraw '] },
    ],
  ]);
});

describe('time', () => {
  const byMail = { phone: null, email: 'a@care.example' };
  const twoLevels = [task({ levels: levels(0, 30) })];
  const inTwo: readonly PersonSpec[] = ['asked', { candidacies: [[0, 1]] }];
  rows([
    [
      '[JOB-1] A run starts at its start time',
      { phase: 'scheduled', people: ['waiting'] },
      { kind: 'start' },
      { is: 'open', effects: ['start'] },
    ],
    [
      '[JOB-1] A run does not start before its start time',
      { phase: 'scheduled', people: ['waiting'], now: -1 },
      { kind: 'start' },
      {},
    ],
    [
      '[JOB-11] The owner is told at the start if the goal exceeds the people who can be reached',
      {
        phase: 'scheduled',
        tasks: [task({ goal: 2 })],
        people: ['waiting', 'waiting', byMail],
        unsendable: { phones: new Map([[phoneOf(0), 'no_route']]), mail: 'no relay' },
      },
      { kind: 'start' },
      { is: 'open', effects: ['start', 'warning nurse: 2 needed, 1 to ask'] },
    ],
    [
      '[JOB-11] A person reached by mail counts as one who can be sent to',
      {
        phase: 'scheduled',
        tasks: [task({ goal: 2 })],
        people: ['waiting', 'waiting', byMail],
        unsendable: { phones: new Map([[phoneOf(0), 'no_route']]) },
      },
      { kind: 'start' },
      { is: 'open', effects: ['start'] },
    ],
    [
      '[JOB-5] Everyone in the level is asked',
      { people: ['waiting', 'waiting', { candidacies: [[0, 1]] }], tasks: twoLevels },
      time(),
      {
        people: ['asked', 'asked', 'waiting'],
        effects: ['ask 0,1 level 1 of 2', 'send 0 Come?', 'send 1 Come?'],
      },
    ],
    [
      '[JOB-11] A wave asks as many people as are needed',
      { people: ['waiting', 'waiting', 'waiting'], settings: { wave: 2 } },
      time(),
      {
        people: ['asked', 'asked', 'waiting'],
        effects: ['ask 0,1 level 1 of 1, 2 of 3', 'send 0 Come?', 'send 1 Come?'],
      },
    ],
    [
      '[JOB-5] A level opens at its time',
      { people: inTwo, tasks: twoLevels, now: 30 },
      time(),
      {
        people: ['asked', 'asked'],
        effects: ['escalate after 30: its time has come', 'ask 1 level 2 of 2', 'send 1 Come?'],
      },
    ],
    [
      '[JOB-5] A level does not open before its time',
      { people: inTwo, tasks: twoLevels, now: 29 },
      time(),
      {},
    ],
    [
      '[JOB-8] A level opens early when the owner wants it',
      { people: inTwo, tasks: twoLevels },
      time({ isPushed: true }),
      {
        people: ['asked', 'asked'],
        effects: ['escalate after 30: escalated by the owner', 'ask 1 level 2 of 2', 'send 1 Come?'],
      },
    ],
    [
      '[JOB-5] [JOB-11] A level opens early when nobody in the levels before can be reached',
      {
        people: ['waiting', { candidacies: [[0, 1]] }],
        tasks: twoLevels,
        unsendable: { phones: new Map([[phoneOf(0), 'no_route']]) },
      },
      time(),
      {
        people: ['unreachable', 'asked'],
        effects: [
          ...['unreached 0 no_route', 'escalate after 30: too few people can still answer'],
          ...['ask 1 level 2 of 2', 'send 1 Come?'],
        ],
      },
    ],
    [
      '[JOB-4] A person who has not answered is reminded',
      { people: ['asked', 'asked', 'no'], settings: { reminderMinutes: 10 } },
      time(),
      { effects: ['remind 0,1', 'send 0 reminderText', 'send 1 reminderText'] },
    ],
    [
      '[JOB-4] A person is reminded once',
      { people: [askedAs({ reminded: true })], settings: { reminderMinutes: 10 } },
      time(),
      {},
    ],
    [
      '[JOB-4] The owner is warned while the goal is open',
      { people: ['asked'], settings: { warningMinutes: 10 } },
      time(),
      { effects: ['warning 10 minutes have passed'] },
    ],
    [
      '[JOB-4] A run is finished when nobody is left who may answer',
      { people: ['no', 'unneeded', 'unreachable'] },
      time(),
      { is: 'finished ALL_ANSWERED', effects: ['finish ALL_ANSWERED'] },
    ],
    [
      '[JOB-12] Texts that exceed a limit wait for their time, and this is recorded once',
      {
        people: ['waiting', 'waiting', 'waiting'],
        unsendable: { held: { why: 'quota_exceeded', until: 12 * minuteMs, atMost: 1 } },
      },
      time(),
      {
        people: ['asked', 'waiting', 'waiting'],
        effects: [...['ask 0 level 1 of 1', 'notSent 1,2 quota_exceeded: it is tried again', 'send 0 Come?']],
      },
    ],
    [
      '[JOB-12] Before that time nobody is asked, although answers cause steps',
      { people: ['asked', 'waiting'], heldUntil: 12 * minuteMs },
      time(),
      {},
    ],
    [
      '[JOB-8] One text goes to a person per step, the others follow in later steps',
      {
        ...reached,
        people: [
          {
            ...personOf('placed', 0),
            unsent: ['on', 'Bring boots'].map((text) => ({ text, kind: 'told', since: 0 }) as const),
          },
        ],
      },
      time(),
      { texts: ['0 Bring boots'], effects: ['send 0 on'] },
    ],
    [
      '[JOB-12] Texts that could not be sent for a day are dropped',
      {
        ...expired,
        now: 1_451,
        people: [
          { ...personOf('placed', 0), unsent: [{ text: 'on', kind: 'standing', since: 10 * minuteMs }] },
        ],
      },
      time(),
      { effects: ['notSent 0 it could not be sent within a day'] },
    ],
  ]);
});
