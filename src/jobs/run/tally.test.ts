import { expect, test } from 'vitest';
import { testRun } from '../../../test/harness/test-run.ts';
import { standardSettings } from '../job-type.ts';
import { newPerson, type Person, type Run, type Task } from './run.ts';
import { tallyOf } from './tally.ts';

const minuteMs = 60_000;
const hours = 60 * minuteMs;

const task = (values: Partial<Task> = {}): Task => ({
  name: 'nurse',
  goal: 2,
  levels: [{ name: 'first', afterMinutes: 0 }],
  opened: 1,
  waveAt: null,
  ...values,
});
const first = { name: 'first', afterMinutes: 0 };
const second = { name: 'second', afterMinutes: 10 };

function person(place: number, state: Person['state'], values: Partial<Person> = {}): Person {
  const about = { place, phone: `4670${place}`, name: '', contactId: '' };
  return { ...newPerson({ ...about, candidacies: [[0, 0]] }), state, ...values };
}

function tally(people: readonly Person[], run: Partial<Run> = {}) {
  const values = { phase: 'open' as const, expiryAt: hours, tasks: [task()], ...run };
  return tallyOf({ run: testRun(values), people });
}

test('[JOB-8] A run lacks people once not even the YES of all who can still answer would reach its goal', () => {
  const silent = [person(0, 'asked'), person(1, 'asked')];
  const held = person(2, 'yes', { task: 0 });
  expect(tally(silent)).toMatchObject({ held: [0], people: { asked: 2, yes: 0 }, short: false });
  const [one] = silent as [Person];
  expect(tally([one, person(1, 'no')]).short).toBe(true);
  expect(tally([one, person(1, 'no'), held])).toMatchObject({ held: [1], short: false });
  expect(tally([one, person(1, 'unreachable')]).short).toBe(true);
  expect(tally([one, person(1, 'asked', { unneeded: true })]).short).toBe(true);
  // With nobody left a run is finished, and still lacks people.
  expect(tally([person(1, 'no')], { phase: 'finished', outcome: 'ALL_ANSWERED' }).short).toBe(true);
});

test('[JOB-8] A run does not lack people if a later level may still fill its places, if it has no goal, or after its end', () => {
  const later = person(1, 'waiting', { candidacies: [[0, 1]] });
  const levels = { tasks: [task({ levels: [first, second] })] };
  expect(tally([person(0, 'asked'), later], levels).short).toBe(false);
  expect(tally([person(0, 'no'), later], levels).short).toBe(true);
  expect(tally([person(0, 'no')], { tasks: [task({ goal: null })] }).short).toBe(false);
  for (const phase of ['scheduled', 'ended'] as const)
    expect(tally([person(0, 'no')], { phase })).toMatchObject({ short: false, canAsk: 0 });
});

test('[JOB-8] One person who could fill a place in either of two tasks does not make up for two', () => {
  const tasks = [task({ goal: 1 }), task({ goal: 1, name: 'doctor' })];
  const both = person(0, 'asked', {
    candidacies: [
      [0, 0],
      [1, 0],
    ],
  });
  expect(tally([both], { tasks }).short).toBe(true);
  expect(tally([both, person(1, 'asked')], { tasks }).short).toBe(false);
});

test('[JOB-8] The next level is that of the earliest task that lacks people, and an act opens those of all', () => {
  const tasks = [
    task({ levels: [first, { ...second, afterMinutes: 20 }] }),
    task({ name: 'doctor', levels: [first, second] }),
    task({ name: 'porter', goal: 1, levels: [first, { ...second, afterMinutes: 5 }] }),
  ];
  const people = [
    person(0, 'waiting', { candidacies: [[0, 1]] }),
    person(1, 'waiting', { candidacies: [[1, 1]] }),
    person(2, 'waiting', {
      candidacies: [
        [0, 1],
        [1, 1],
      ],
    }),
    person(3, 'yes', { task: 2 }),
    person(4, 'waiting', { candidacies: [[2, 1]] }),
    person(5, 'asked'),
  ];
  expect(tally(people, { tasks })).toMatchObject({
    nextLevelAt: 10 * minuteMs,
    nextLevelPeople: 2,
    canAsk: 3,
  });
});

test('[JOB-8] No level opens by itself after the end of the run or once its goal is reached, but an act can open one', () => {
  const tasks = [task({ goal: 1, levels: [first, second] })];
  const waiting = person(0, 'waiting', { candidacies: [[0, 1]] });
  const late = tally([waiting], { tasks, expiryAt: 10 * minuteMs });
  expect([late.nextLevelAt, late.nextLevelPeople, late.canAsk]).toEqual([undefined, undefined, 1]);
  const reached = tally([waiting, person(1, 'yes', { task: 0 })], { tasks });
  expect([reached.nextLevelAt, reached.canAsk]).toEqual([undefined, 0]);
});

test('[JOB-5] [JOB-8] In waves, as many are asked as the wave has for each free place, also of a level that raises the goal', () => {
  const people = Array.from({ length: 9 }, (_, place) => person(place, 'waiting'));
  const settings = { ...standardSettings('GMA'), wave: 2 };
  expect(tally(people, { settings }).canAsk).toBe(4);
  const later = people.map((one): Person => ({ ...one, candidacies: [[0, 1]] }));
  const tasks = [task({ levels: [first, { ...second, goal: 3 }] })];
  expect(tally(later, { settings, tasks })).toMatchObject({ nextLevelPeople: 6, canAsk: 6 });
});
