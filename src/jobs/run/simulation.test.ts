/** Thousands of random runs against a clock in hand: whatever happens in whatever order, a goal is never exceeded. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertRuns } from '../../../test/harness/runs.ts';
import { type JobTypeSettings, standardSettings } from '../job-type.ts';
import { type Advanced, advance } from './advance.ts';
import { callbackOf, type Entry, type JobCallback } from './entry.ts';
import type { RunEvent } from './event.ts';
import {
  heldIn,
  isCandidate,
  newPerson,
  nextDue,
  type Person,
  type Run,
  type RunWithPeople,
  reservesOf,
  type Task,
} from './run.ts';

const start = 1_000_000;
const minute = 60_000;

interface Shape {
  readonly settings: JobTypeSettings;
  readonly tasks: readonly Task[];
  readonly people: readonly Person[];
}

const level = (name: string, afterMinutes: number, goal?: number) => ({
  ...{ name, afterMinutes },
  ...(goal === undefined ? {} : { goal }),
});

const shape: fc.Arbitrary<Shape> = fc
  .record({
    generic: fc.constantFrom('GMM' as const, 'GMA' as const),
    goals: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    hasGoal: fc.boolean(),
    later: fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.option(fc.integer({ min: 1, max: 5 }))), {
      maxLength: 2,
    }),
    people: fc.array(
      fc.record({
        hasPhone: fc.integer({ max: 9 }).map((number) => number !== 0),
        of: fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    settings: fc.record({
      openEarly: fc.boolean(),
      tellUnneeded: fc.boolean(),
      reserve: fc.nat(2),
      wave: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
      reminderMinutes: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
      warningMinutes: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
    }),
  })
  .map(({ generic, goals, hasGoal, later, people, settings }) => {
    const isGmm = generic === 'GMM';
    const levels = [
      level('first', 0),
      ...(isGmm ? [] : later.map(([at, goal]) => level('later', at, goal ?? undefined))),
    ];
    const tasks = (isGmm ? goals.slice(0, 1) : goals).map((goal) => ({
      ...{ name: 'role:nurse', goal: isGmm && !hasGoal ? null : goal, levels, opened: 0, waveAt: null },
    }));
    const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
    return {
      settings: { ...standardSettings(generic), ...given, expiryMinutes: 60 },
      tasks,
      people: people.map(({ hasPhone, of }, place) =>
        newPerson({
          ...{
            place,
            phone: hasPhone ? `4670000000${place}` : null,
            name: `P${place}`,
            contactId: `${place}`,
          },
          candidacies: of.map(([task, at]) => [task % tasks.length, isGmm ? 0 : at % levels.length] as const),
        }),
      ),
    };
  });

type Happening = { readonly afterMinutes: number; readonly who: number } & (
  | { readonly kind: 'yes' | 'no' | 'query' | 'comment' | 'failed' | 'nothing' | 'accept' | 'decline' }
  | { readonly kind: 'escalate' | 'cancel' | 'extend' | 'tell' | 'unclear' }
);

const happening: fc.Arbitrary<Happening> = fc.record({
  afterMinutes: fc.constantFrom(0, 0, 0, 1, 3, 10, 70),
  who: fc.nat(11),
  kind: fc.constantFrom(
    ...(['yes', 'yes', 'yes', 'yes', 'no', 'no', 'query', 'comment', 'failed', 'nothing'] as const),
    ...(['accept', 'decline', 'escalate', 'extend', 'tell', 'unclear'] as const),
  ),
});

function newRun({ settings, tasks, people }: Shape): RunWithPeople {
  const run: Run = {
    ...{
      id: 1001,
      companyId: 1,
      ownerId: 900,
      userId: 501,
      starter: 'alice',
      savedJobId: 71,
      jobName: 'Night',
    },
    ...{ typeName: 'Some', message: 'Can you come?', settings, phase: 'scheduled', outcome: null },
    ...{ startAt: start, expiryAt: null, warned: false, tasks, turns: 0, entries: 0 },
  };
  return { run, people };
}

function eventOf({ kind, who }: Happening, { people }: RunWithPeople): RunEvent | undefined {
  const person = people[who % people.length] as Person;
  const phone = person.phone ?? 'none';
  switch (kind) {
    case 'nothing':
      return undefined;
    case 'failed':
      return { kind, place: person.place, status: 'UNDELIVERABLE' };
    case 'accept':
    case 'decline':
      return { kind: 'act', by: 'operator root', act: { kind, phone } };
    case 'escalate':
    case 'cancel':
      return { kind: 'act', by: 'operator root', act: { kind } };
    case 'extend':
      return { kind: 'act', by: 'operator root', act: { kind, minutes: 5 } };
    case 'tell':
      return { kind: 'act', by: 'operator root', act: { kind, to: 'all', text: 'Bring boots' } };
    case 'unclear': {
      const choices = [61, 62].map((code) => ({ code, job: `Job ${code}` }));
      const unclear = { choices, wasAsked: false };
      return { kind: 'answer', phone, answer: { meaning: 'yes' }, text: 'Yes', unclear };
    }
    default:
      // Only those who were asked answer, but for ones who dial a wrong number.
      return { kind: 'answer', phone, answer: { meaning: kind }, text: kind };
  }
}

/** Some share their number with another run; what they are asked names its code, and no other question does. */
function checkCodes({ run, texts }: Advanced, codes: ReadonlyMap<string, number>): void {
  for (const { phone, text, isQuestion } of texts.filter((one) => one.isQuestion)) {
    const code = codes.get(phone);
    expect({ text, isQuestion, hasCode: /YES [0-9]+/.test(text) }).toMatchObject({
      hasCode: code !== undefined,
      text: expect.stringContaining(code === undefined ? run.message : `YES ${code} or NO ${code}`),
    });
  }
}

/** An answer that may be to several runs is none to this one. */
function checkUnclear(before: RunWithPeople, after: Advanced, events: readonly RunEvent[]): void {
  for (const event of events) {
    if (event.kind !== 'answer' || event.unclear === undefined) continue;
    const of = ({ people }: RunWithPeople) => people.find(({ phone }) => phone === event.phone)?.state;
    const hasAnswered = ['yes', 'no'].includes(of(before) ?? '');
    expect(['yes', 'no'].includes(of(after) ?? '')).toBe(hasAnswered);
  }
}

/** What is true of a run after each step, whatever the step was. */
function check(before: RunWithPeople, after: Advanced): void {
  const { run, people, entries } = after;
  for (const [place, { goal }] of run.tasks.entries())
    if (goal !== null) expect(heldIn(after, place)).toBeLessThanOrEqual(goal);
  for (const { task, reserve, state, phone } of people) {
    if (task !== null) expect({ state, reserve }).toEqual({ state: 'yes', reserve: null });
    if (reserve !== null) expect(state).toBe('yes');
    if (phone === null) expect(state).not.toBe('asked');
  }
  const isOver = before.run.phase === 'ended';
  if (isOver)
    expect(
      entries.filter(
        ({ kind }) => kind !== 'reply' && kind !== 'notSent' && kind !== 'withdraw' && kind !== 'tell',
      ),
    ).toEqual([]);
  // Those who were asked in this step were needed: in one of their tasks a place is free at its end.
  for (const place of entries.flatMap(({ kind, people: asked = [] }) => (kind === 'ask' ? asked : []))) {
    const person = people[place] as Person;
    const needed = run.tasks.some(
      (task, of) => isCandidate(person, of, task) && (task.goal === null || heldIn(after, of) < task.goal),
    );
    expect(needed).toBe(true);
  }
  // Reserves move up in their order, as far as they may have the place at all.
  const passed = entries.filter(({ kind, by }) => kind === 'assign' && by === 'system');
  for (const { people: [place = -1] = [], task = -1 } of passed) {
    const turn = before.people[place]?.reserve ?? null;
    if (turn === null) continue;
    const skipped = reservesOf(people).filter(
      (other) => (other.reserve as number) < turn && isCandidate(other, task, run.tasks[task] as Task),
    );
    expect(skipped).toEqual([]);
  }
}

/** Runs to its end; every step is worked out twice from what was stored, as after a crash. */
function play(first: Shape, happenings: readonly Happening[], unsent: ReadonlySet<number>) {
  let state: RunWithPeople = newRun(first);
  let now = start;
  const timeline: Entry[] = [];
  const callbacks: JobCallback[] = [];
  let pending: RunEvent[] = [];
  const codes = new Map(
    first.people.flatMap(({ place, phone }) =>
      phone !== null && unsent.has(place) ? [[phone, 61 + place] as const] : [],
    ),
  );
  const unsendable = { phones: new Map(), codes };
  const step = (events: readonly RunEvent[]) => {
    const stored = JSON.parse(JSON.stringify(state)) as RunWithPeople;
    const after = advance(stored, events, now, unsendable);
    expect(advance(JSON.parse(JSON.stringify(state)) as RunWithPeople, events, now, unsendable)).toEqual(
      after,
    );
    expect(stored).toEqual(JSON.parse(JSON.stringify(state)));
    check(state, after);
    checkCodes(after, codes);
    checkUnclear(state, after, events);
    timeline.push(...after.entries);
    callbacks.push(...after.entries.flatMap((entry) => callbackOf(after.run, after.people, entry) ?? []));
    expect(after.run.entries).toBe(timeline.length);
    pending =
      after.withdraw.length === 0
        ? []
        : [
            {
              kind: 'withdrawn',
              asked: after.withdraw,
              withdrawn: after.withdraw.filter((place) => unsent.has(place)),
            },
          ];
    state = after;
  };
  const settle = (events: readonly RunEvent[]) => {
    step(events);
    for (let turns = 0; pending.length > 0 && turns < 50; turns++) step(pending);
  };
  settle([]);
  for (const one of happenings) {
    const due = nextDue(state);
    const at = now + one.afterMinutes * minute;
    // Timers in between have their own steps, unless the node was away.
    if (due !== null && due < at && one.who % 2 === 0) {
      now = Math.max(now, due);
      settle([]);
    }
    now = Math.max(now, at);
    const event = eventOf(one, state);
    settle(event === undefined ? [] : [event]);
  }
  for (let turns = 0; state.run.phase !== 'ended'; turns++) {
    expect(turns).toBeLessThan(500);
    const due = nextDue(state) as number;
    now = Math.max(now, due);
    settle([]);
  }
  return { state, timeline, callbacks };
}

test('[JOB-4] [JOB-5] [JOB-6] [JOB-7] [JOB-12] no goal is exceeded, nobody holds two places, reserves move up in order, and every run ends', async () => {
  const property = fc.asyncProperty(
    shape,
    fc.array(happening, { maxLength: 40 }),
    fc.uniqueArray(fc.nat(11), { maxLength: 4 }),
    async (first, happenings, unsent) => {
      const { state, timeline, callbacks } = play(first, happenings, new Set(unsent));
      expect(state.run.outcome).not.toBeNull();
      // Callbacks are the timeline, in its order, without what is nobody else's business.
      const told: readonly string[] = [
        'start',
        'assign',
        'unassign',
        'reply',
        'warning',
        'escalate',
        'finish',
      ];
      const names = timeline.flatMap(({ kind }) =>
        told.includes(kind) ? [`JOB_${kind.toUpperCase()}`] : [],
      );
      expect(callbacks.map(({ eventtype }) => eventtype)).toEqual(names);
      const byPeople = callbacks.filter(({ agent }) => agent !== 'system');
      expect(byPeople).toMatchObject([{ eventtype: 'JOB_START', agent: 'alice' }]);
      // Assignments without what was taken back are the places that are held.
      if (first.settings.generic === 'GMA') {
        const held = new Map<number, number>();
        for (const { kind, people: [place = -1] = [], task = -1 } of timeline) {
          if (kind === 'assign') expect(held.set(place, task).get(place)).toBe(task);
          if (kind === 'unassign') held.delete(place);
        }
        const holding = state.people.filter(({ task }) => task !== null);
        expect([...held].sort()).toEqual(holding.map(({ place, task }) => [place, task]).sort());
      }
    },
  );
  await assertRuns(property, 3_000);
});
