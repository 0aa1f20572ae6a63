/** A run, its people and its timeline as the management API shows them, with the wording for it. */

import Type from 'typebox';
import { shownWhy } from '../../foundation/sentences.ts';
import { errorContent } from '../../http/answers/error-response.ts';
import { type Entry, system } from '../run/entry.ts';
import {
  type LastAnswer,
  type Outcome,
  type Person,
  type PersonState,
  type Phase,
  personStates,
  phases,
  type Run,
} from '../run/run.ts';
import { type ListedPerson, maxNamed, type TalliedRun } from './runs.ts';

const iso = (time: number) => new Date(time).toISOString();
const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC).` });
const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description });

export const runFields = {
  id: Type.String(),
  name: Type.String({ description: 'Name of the job, or the name given to this run.' }),
  savedJob: Type.Integer({ description: 'Id of the saved job.' }),
  type: Type.String(),
  phase: oneOf<Phase>(phases, 'How far the run is.'),
  outcome: Type.Optional(
    oneOf<Outcome>(['GOAL_REACHED', 'ALL_ANSWERED', 'EXPIRED', 'CANCELED'], 'Absent while the run is open.'),
  ),
  username: Type.String({ description: 'User who started the run.' }),
  start: time('When the run starts or started'),
  end: Type.Optional(time('When the run ends; absent until it has started')),
  found: Type.Integer({ description: 'People who have a place, over all tasks.' }),
  goal: Type.Optional(
    Type.Integer({ description: 'How many people are needed in all; absent: everyone who answers YES.' }),
  ),
  people: Type.Object(
    Object.fromEntries(personStates.map((state) => [state, Type.Integer()])) as Record<
      PersonState,
      ReturnType<typeof Type.Integer>
    >,
    { title: 'RunPeopleCounts', description: 'Number of people in each state.' },
  ),
  short: Type.Boolean({
    description:
      'Whether the run lacks people: it has not ended, and the goal of a task can’t be reached even if everyone who can still answer, or can still be asked in a later level, says YES.',
  }),
};

export function shownRun({ run, tally }: TalliedRun) {
  const { id, jobName, savedJobId, typeName, phase, outcome, starter, startAt, expiryAt, tasks } = run;
  const goals = tasks.flatMap(({ goal }) => goal ?? []);
  return {
    id: String(id),
    name: jobName,
    savedJob: savedJobId,
    type: typeName,
    phase,
    username: starter,
    outcome: outcome ?? undefined,
    start: iso(startAt),
    end: expiryAt === null ? undefined : iso(expiryAt),
    found: sumOf(tally.held),
    goal: goals.length < tasks.length ? undefined : sumOf(goals),
    people: tally.people,
    short: tally.short,
  };
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

export const progressFields = {
  message: Type.String({ description: 'The question.' }),
  tasks: Type.Array(
    Type.Object({
      task: Type.String({ description: 'Name of the task; empty if everyone is asked the same thing.' }),
      found: Type.Integer({ description: 'People who have a place.' }),
      goal: Type.Optional(
        Type.Integer({ description: 'How many people are needed; absent: everyone who answers YES.' }),
      ),
      levels: Type.Array(Type.String()),
      levelsOpen: Type.Integer(),
    }),
  ),
  nextLevelAt: Type.Optional(
    time('When the next level opens by itself, unless the goal is reached before; absent if none does'),
  ),
  nextLevelPeople: Type.Optional(Type.Integer({ description: 'How many people would then be asked.' })),
  canAsk: Type.Integer({ description: 'How many people would be asked at most if you escalate now.' }),
};

export function progressOf({ run, tally }: TalliedRun) {
  return {
    message: run.message,
    tasks: run.tasks.map(({ name, goal, levels, opened }, place) => ({
      task: name,
      found: tally.held[place] ?? 0,
      goal: goal ?? undefined,
      levels: levels.map((level) => level.name),
      levelsOpen: opened,
    })),
    nextLevelAt: tally.nextLevelAt === undefined ? undefined : iso(tally.nextLevelAt),
    nextLevelPeople: tally.nextLevelPeople,
    canAsk: tally.canAsk,
  };
}

const meanings = ['yes', 'no', 'comment'] as const satisfies readonly LastAnswer['meaning'][];

export const personFields = {
  name: Type.String(),
  contactId: Type.String(),
  phone: Type.Optional(Type.String({ description: 'Digits only; absent for people without a phone.' })),
  email: Type.Optional(Type.String({ description: 'For people without a phone, asked by mail.' })),
  state: oneOf(personStates, 'How far the run is with the person.'),
  level: Type.Integer({ description: 'Level that the person belongs to, counted from 1.' }),
  task: Type.Optional(Type.String({ description: 'The task that the person has a place in.' })),
  reserve: Type.Optional(Type.Integer({ description: 'Position on the waiting list.' })),
  asked: Type.Optional(time('When the person was asked')),
  answered: Type.Optional(time('When the person last answered')),
  answer: Type.Optional(
    Type.String({ description: 'Text of the last answer, cut off at 500 characters; absent for a link.' }),
  ),
  meaning: Type.Optional(oneOf(meanings, '`comment`: neither a clear YES nor a clear NO.')),
  messageId: Type.Optional(Type.String({ description: 'Id of the SMS that asked or reminded last.' })),
  delivery: Type.Optional(
    Type.String({ description: 'Status of that SMS; `waiting`, `taken` or `failed` for an e-mail.' }),
  ),
};

export function shownPerson({ tasks }: Run, { person, messageId, status, mail }: ListedPerson) {
  const { name, contactId, phone, email, state, task, reserve, askedAt, answer } = person;
  return {
    name,
    contactId,
    phone: phone ?? undefined,
    email,
    state,
    level: 1 + levelOf(person),
    task: task === null ? undefined : tasks[task]?.name,
    reserve: reserve ?? undefined,
    asked: askedAt === null ? undefined : iso(askedAt),
    answered: answer === undefined ? undefined : iso(answer.at),
    answer: answer?.text,
    meaning: answer?.meaning,
    messageId: messageId === null ? undefined : String(messageId),
    delivery: status ?? mail ?? undefined,
  };
}

/** The level of the person's task; without a place, that of the task for which the person is asked first. */
function levelOf({ candidacies, task }: Person): number {
  const [, level = 0] = candidacies.find(([of]) => of === task) ?? candidacies[0] ?? [];
  return level;
}

export const entryFields = {
  time: time('When it happened'),
  what: Type.String({ description: 'Such as `start`, `ask`, `reply`, `assign`, `escalate` or `finish`.' }),
  by: Type.Optional(Type.String({ description: 'Who did it; absent if the service did.' })),
  people: Type.Array(Type.String(), { description: `Who is affected: at most ${maxNamed} names.` }),
  others: Type.Integer({ description: 'How many more people are affected.' }),
  why: Type.Optional(Type.String()),
  whyValues: errorContent.values,
  text: Type.Optional(Type.String({ description: 'Text of the answer, or of the message to the people.' })),
  meaning: Type.Optional(Type.String({ description: 'How an answer was understood.' })),
};

export function shownEntry(entry: Entry, people: readonly Person[]) {
  const { at, kind, by, people: places = [], why, outcome, text, meaning } = entry;
  const named = places.slice(0, maxNamed);
  const nameOf = (place: number) => {
    const person = people.find((one) => one.place === place);
    return person?.name || person?.phone || person?.email || '';
  };
  return {
    time: iso(at),
    what: kind,
    by: by === system ? undefined : by,
    people: named.map(nameOf),
    others: places.length - named.length,
    ...(why === undefined ? { why: outcome } : shownWhy(why)),
    text,
    meaning,
  };
}
