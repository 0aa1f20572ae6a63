/** A run, its people and its timeline in the words of the management API. */
import Type from 'typebox';
import { type Entry, system } from '../run/entry.ts';
import type { Outcome, Person, PersonState, Phase, Run } from '../run/run.ts';
import { maxNamed, type Standing } from './runs-store.ts';

const iso = (time: number) => new Date(time).toISOString();
const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC).` });
const states = ['waiting', 'asked', 'unreachable', 'yes', 'no'] as const satisfies readonly PersonState[];
const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description });

export const runFields = {
  id: Type.String(),
  name: Type.String({ description: 'Of the job, or of this run alone.' }),
  savedjob: Type.Integer({ description: 'Id of the saved job.' }),
  type: Type.String(),
  phase: oneOf<Phase>(['scheduled', 'open', 'finished', 'ended'], 'How far it is.'),
  outcome: Type.Optional(
    oneOf<Outcome>(['GOAL_REACHED', 'ALL_ANSWERED', 'EXPIRED', 'CANCELED'], 'Absent as long as it is open.'),
  ),
  username: Type.String({ description: 'Who started it.' }),
  start: time('When it starts, or did'),
  end: Type.Optional(time('When it ends; absent until it has started')),
};

export function shownRun(run: Run) {
  const { id, jobName, savedJobId, typeName, phase, outcome, starter, startAt, expiryAt } = run;
  return {
    id: String(id),
    name: jobName,
    savedjob: savedJobId,
    type: typeName,
    phase,
    username: starter,
    outcome: outcome ?? undefined,
    start: iso(startAt),
    end: expiryAt === null ? undefined : iso(expiryAt),
  };
}

export const standingFields = {
  message: Type.String({ description: 'What people are asked.' }),
  tasks: Type.Array(
    Type.Object({
      task: Type.String({ description: 'Empty where there is one for all.' }),
      found: Type.Integer({ description: 'Who hold a place.' }),
      goal: Type.Optional(Type.Integer({ description: 'Absent: as many as answer YES.' })),
      levels: Type.Array(Type.String()),
      levelsopen: Type.Integer(),
    }),
  ),
  people: Type.Object(
    Object.fromEntries(states.map((state) => [state, Type.Integer()])) as Record<
      PersonState,
      ReturnType<typeof Type.Integer>
    >,
    { description: 'How many are how far.' },
  ),
};

export function standingOf(run: Run, standings: readonly Standing[]) {
  const sum = (fits: (standing: Standing) => boolean) =>
    standings.filter(fits).reduce((all, { count }) => all + count, 0);
  return {
    message: run.message,
    tasks: run.tasks.map(({ name, goal, levels, opened }, place) => ({
      task: name,
      found: sum(({ task }) => task === place),
      goal: goal ?? undefined,
      levels: levels.map((level) => level.name),
      levelsopen: opened,
    })),
    people: Object.fromEntries(
      states.map((state) => [state, sum((standing) => standing.state === state)]),
    ) as Record<PersonState, number>,
  };
}

export const personFields = {
  name: Type.String(),
  contactid: Type.String(),
  phone: Type.Optional(Type.String({ description: 'Digits only; absent for who has none.' })),
  email: Type.Optional(Type.String({ description: 'Of who has no phone and is asked by mail.' })),
  state: oneOf(states, 'How far it is with the person.'),
  task: Type.Optional(Type.String({ description: 'Whose place the person holds.' })),
  reserve: Type.Optional(Type.Integer({ description: 'The turn among the reserves.' })),
  asked: Type.Optional(time('When')),
};

export function shownPerson({ tasks }: Run, person: Person) {
  const { name, contactId, phone, email, state, task, reserve, askedAt } = person;
  return {
    name,
    contactid: contactId,
    phone: phone ?? undefined,
    email,
    state,
    task: task === null ? undefined : tasks[task]?.name,
    reserve: reserve ?? undefined,
    asked: askedAt === null ? undefined : iso(askedAt),
  };
}

export const entryFields = {
  time: time('When'),
  what: Type.String({ description: '`start`, `ask`, `reply`, `assign`, `escalate`, `finish` and the like.' }),
  by: Type.Optional(Type.String({ description: 'Who did it; absent for the service.' })),
  people: Type.Array(Type.String(), { description: `Whom it concerns: at most ${maxNamed} names.` }),
  others: Type.Integer({ description: 'So many more.' }),
  why: Type.Optional(Type.String()),
  text: Type.Optional(Type.String({ description: 'What was written.' })),
  meaning: Type.Optional(Type.String({ description: 'What an answer was taken for.' })),
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
    why: why ?? outcome,
    text,
    meaning,
  };
}
