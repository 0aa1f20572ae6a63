/** Random job runs with a node that dies, unreachable phones, limits and clock changes; every step is checked. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { type JobTypeSettings, standardSettings } from '../../src/jobs/job-type.ts';
import { type Advanced, advance } from '../../src/jobs/run/advance.ts';
import { callbackOf, type Entry, type JobCallback } from '../../src/jobs/run/entry.ts';
import {
  countHeld,
  type Happened,
  isCandidate,
  isNeeded,
  newPerson,
  type Person,
  placesFree,
  type RunEvent,
  type RunWithPeople,
  type Task,
} from '../../src/jobs/run/run.ts';
import type { Held, Unsendable } from '../../src/jobs/run/unsendable.ts';
import { testRun } from './test-run.ts';

const start = 1_000_000;
const minute = 60_000;

interface Shape {
  readonly settings: JobTypeSettings;
  readonly tasks: readonly Task[];
  readonly people: readonly Person[];
}

const level = (name: string, afterMinutes: number, goal?: number) => ({
  name,
  afterMinutes,
  ...(goal === undefined ? {} : { goal }),
});

export const shape: fc.Arbitrary<Shape> = fc
  .record({
    generic: fc.constantFrom('GMM' as const, 'GMA' as const),
    goals: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    hasGoal: fc.boolean(),
    later: fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.option(fc.integer({ min: 1, max: 5 }))), {
      maxLength: 2,
    }),
    people: fc.array(
      fc.record({
        // Most people have a phone, some only an e-mail address, and a few neither.
        way: fc.nat(9).map((number) => (number === 0 ? 'none' : number < 3 ? 'mail' : 'phone')),
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
      name: 'role:nurse',
      goal: isGmm && !hasGoal ? null : goal,
      levels,
      opened: 0,
      waveAt: null,
    }));
    const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
    return {
      settings: { ...standardSettings(generic), ...given, expiryMinutes: 60 },
      tasks,
      people: people.map(({ way, of }, place) =>
        newPerson({
          place,
          phone: way === 'phone' ? `4670000000${place}` : null,
          ...(way === 'mail' ? { email: `p${place}@care.example` } : {}),
          name: `P${place}`,
          contactId: `${place}`,
          candidacies: of.map(([task, at]) => [task % tasks.length, isGmm ? 0 : at % levels.length] as const),
        }),
      ),
    };
  });

type Happening = {
  readonly afterMinutes: number;
  readonly who: number;
  /** What the node does at that time: it makes a step, dies before the step is stored, or is away and does nothing. */
  readonly node: 'steps' | 'dies' | 'isAway';
} & (
  | { readonly kind: 'yes' | 'no' | 'query' | 'comment' | 'failed' | 'nothing' | 'accept' | 'decline' }
  | { readonly kind: 'escalate' | 'cancel' | 'extend' | 'tell' | 'unclear' | 'stopped' }
);

export const happening: fc.Arbitrary<Happening> = fc.record({
  // Clocks are sometimes set back, too.
  afterMinutes: fc.constantFrom(0, 0, 0, 0, 1, 3, 10, 70, -5),
  who: fc.nat(11),
  node: fc.constantFrom(
    'steps' as const,
    'steps' as const,
    'steps' as const,
    'dies' as const,
    'isAway' as const,
  ),
  kind: fc.constantFrom(
    ...(['yes', 'yes', 'yes', 'yes', 'no', 'no', 'query', 'comment', 'failed', 'nothing'] as const),
    ...(['accept', 'decline', 'escalate', 'extend', 'tell', 'unclear', 'stopped'] as const),
  ),
});

export function newRun({ settings, tasks, people }: Shape): RunWithPeople {
  return { run: testRun({ settings, tasks, startAt: start }), people };
}

export function eventOf({ kind, who }: Happening, { people }: RunWithPeople): RunEvent | undefined {
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
    case 'stopped':
      return { kind, phone, text: 'STOP' };
    case 'unclear': {
      const choices = [61, 62].map((code) => ({ runId: code, code, job: `Job ${code}` }));
      const unclear = { choices, wasAsked: false };
      return { kind: 'answer', phone, answer: { meaning: 'yes' }, text: 'Yes', unclear };
    }
    default:
      if (person.email !== undefined)
        return kind === 'yes' || kind === 'no'
          ? { kind: 'answered', place: person.place, meaning: kind }
          : undefined;
      // Only people who were asked answer, except some who dial a wrong number.
      return { kind: 'answer', phone, answer: { meaning: kind }, text: kind };
  }
}

/** Some people share their number with another run; only questions to them name this run's code for answers. */
function checkCodes({ run, texts }: Advanced, codes: ReadonlyMap<string, number>): void {
  for (const { phone, text, isQuestion } of texts.filter((one) => one.isQuestion)) {
    const code = codes.get(phone ?? '');
    expect({ text, isQuestion, hasCode: /YES [0-9]+/.test(text) }).toMatchObject({
      hasCode: code !== undefined,
      text: expect.stringContaining(code === undefined ? run.message : `YES ${code} or NO ${code}`),
    });
  }
}

/** An answer that could be for several runs does not count for this run. */
function checkUnclear(before: RunWithPeople, after: Advanced, happened: readonly Happened[]): void {
  for (const { event } of happened) {
    if (event.kind !== 'answer' || event.unclear === undefined) continue;
    const others = happened.filter(({ event: one }) => ['act', 'answer', 'stopped'].includes(one.kind));
    // Another event in the same step may have been the answer that counted, or may have given the place.
    if (others.length > 1) continue;
    const of = ({ people }: RunWithPeople) => people.find(({ phone }) => phone === event.phone)?.state;
    const hasAnswered = ['yes', 'no'].includes(of(before) ?? '');
    expect(['yes', 'no'].includes(of(after) ?? '')).toBe(hasAnswered);
  }
}

/** Checks what must hold for a run after any step. */
function check(before: RunWithPeople, after: Advanced): void {
  const { run, people, entries } = after;
  const held = countHeld(after);
  const free = (task: number) => placesFree(run.tasks[task] as Task, held[task] as number);
  for (const [place, { goal }] of run.tasks.entries())
    if (goal !== null) expect(held[place]).toBeLessThanOrEqual(goal);
  for (const { task, reserve, state, phone, email } of people) {
    if (task !== null) expect({ state, reserve }).toEqual({ state: 'yes', reserve: null });
    if (reserve !== null) expect(state).toBe('yes');
    if (phone === null && email === undefined) expect(state).not.toBe('asked');
  }
  const isOver = before.run.phase === 'ended';
  if (isOver) {
    const still: readonly string[] = ['reply', 'notSent', 'withdraw', 'tell', 'act'];
    expect(entries.filter(({ kind }) => !still.includes(kind))).toEqual([]);
  }
  // Each person whom this step asks or reminds is needed: one of their tasks still has a free place afterwards.
  const asked = entries.filter(({ kind }) => kind === 'ask' || kind === 'remind');
  for (const place of asked.flatMap(({ people: of = [] }) => of))
    expect(isNeeded(people[place] as Person, run.tasks, free)).toBe(true);
  // No one gets two texts in one step.
  expect(new Set(after.texts.map(({ place }) => place)).size).toBe(after.texts.length);
  // Reserves move up in order, provided they are eligible for the place at all.
  const passed = entries.filter(({ kind, by }) => kind === 'assign' && by === 'system');
  for (const { people: [place = -1] = [], task = -1 } of passed) {
    const turn = before.people[place]?.reserve ?? null;
    if (turn === null) continue;
    const skipped = people.filter(
      (other) =>
        other.reserve !== null && other.reserve < turn && isCandidate(other, task, run.tasks[task] as Task),
    );
    expect(skipped).toEqual([]);
  }
}

/** Conditions that a run meets while it goes on. */
export interface World {
  /** People whose questions have not reached a carrier yet. */
  readonly unsent: ReadonlySet<number>;
  /** People to whom nothing can be sent. */
  readonly blocked: ReadonlySet<number>;
  /** How many texts may be sent per minute. */
  readonly limit: number | undefined;
  /** People who share their number with another run. */
  readonly sharing: ReadonlySet<number>;
}

interface Sent {
  readonly place: number;
  readonly text: string;
}

const smsOf = ({ texts }: Advanced) => texts.filter(({ phone }) => phone !== null);

function whoSaidYes(event: RunEvent, { people }: RunWithPeople): readonly number[] {
  if (event.kind === 'answered') return event.meaning === 'yes' ? [event.place] : [];
  if (event.kind !== 'answer' || event.answer.meaning !== 'yes' || event.unclear !== undefined) return [];
  return people.filter(({ phone }) => phone === event.phone).map(({ place }) => place);
}

/** How many events a step takes in. */
const maxTaken = 3;

/** A run with its node and people's phones. Every step is computed twice from what was stored, as after a crash. */
export class Play {
  state: RunWithPeople;
  dueAt: number | null = start;
  now = start;
  readonly timeline: Entry[] = [];
  readonly callbacks: JobCallback[] = [];
  readonly sent: Sent[] = [];
  /** When each person's YES was taken in. */
  readonly saidYes: { readonly place: number; readonly at: number; readonly isOver: boolean }[] = [];
  readonly #world: World;
  readonly #codes: ReadonlyMap<string, number>;
  readonly #usedInMinutes = new Map<number, number>();
  #inbox: Happened[] = [];

  constructor(first: Shape, world: World) {
    this.state = newRun(first);
    this.#world = world;
    this.#codes = new Map(
      first.people.flatMap(({ place, phone }) =>
        phone !== null && world.sharing.has(place) ? [[phone, 61 + place] as const] : [],
      ),
    );
  }

  arrive(event: RunEvent): void {
    this.#inbox.push({ at: this.now, event });
    this.#inbox.sort((a, b) => a.at - b.at);
  }

  /** Steps until there is nothing left to do. */
  settle(): void {
    let turns = 0;
    do {
      expect(turns++).toBeLessThan(200);
      this.#keep(this.#workOut());
    } while (this.#inbox.length > 0 || (this.dueAt ?? this.now + 1) <= this.now);
    if (this.state.run.heldUntil !== undefined) return;
    // Until time passes or something happens, the only work left is to give up people whose turn the last step has brought.
    const { entries } = this.#workOut();
    if (entries.every(({ kind }) => kind !== 'unreached')) expect(entries).toEqual([]);
  }

  /** Computes a step without storing it. */
  crash(): void {
    this.#workOut();
  }

  #workOut(): Advanced {
    const stored = () => JSON.parse(JSON.stringify(this.state)) as RunWithPeople;
    const happened = this.#inbox.slice(0, maxTaken);
    const news = { happened, hasMore: this.#inbox.length >= maxTaken };
    const phones = new Map(
      [...this.#world.blocked].flatMap((place) => {
        const phone = this.state.people[place]?.phone;
        return phone ? [[phone, 'country_not_allowed'] as const] : [];
      }),
    );
    for (let held: Held | undefined; ; ) {
      const unsendable: Unsendable = { phones, codes: this.#codes, ...(held && { held }) };
      const before = stored();
      const after = advance(before, news, this.now, unsendable);
      expect(JSON.stringify(before)).toBe(JSON.stringify(this.state));
      expect(JSON.stringify(advance(before, news, this.now, unsendable))).toBe(JSON.stringify(after));
      const texts = smsOf(after);
      if (texts.length <= this.#left()) return after;
      const until = (1 + Math.floor(this.now / minute)) * minute;
      held = { why: 'rate_exceeded', until, atMost: Math.floor(texts.length / 2) };
    }
  }

  #left(): number {
    const used = this.#usedInMinutes.get(Math.floor(this.now / minute)) ?? 0;
    return (this.#world.limit ?? Number.POSITIVE_INFINITY) - used;
  }

  #keep(after: Advanced): void {
    check(this.state, after);
    checkCodes(after, this.#codes);
    checkUnclear(this.state, after, this.#inbox.slice(0, maxTaken));
    this.timeline.push(...after.entries);
    this.callbacks.push(
      ...after.entries.flatMap((entry) => callbackOf(after.run, after.people, entry) ?? []),
    );
    expect(after.run.entries).toBe(this.timeline.length);
    this.sent.push(...after.texts);
    const inMinute = Math.floor(this.now / minute);
    this.#usedInMinutes.set(inMinute, (this.#usedInMinutes.get(inMinute) ?? 0) + smsOf(after).length);
    for (const { at, event } of this.#inbox.splice(0, maxTaken))
      for (const place of whoSaidYes(event, this.state))
        this.saidYes.push({
          place,
          at: Math.min(at, this.now),
          isOver: this.state.run.phase === 'ended',
        });
    this.state = after;
    this.dueAt = after.dueAt;
    if (after.withdraw.length === 0) return;
    // An e-mail cannot be recalled.
    const isSms = (place: number) => after.people[place]?.phone !== null;
    const withdrawn = after.withdraw.filter((place) => this.#world.unsent.has(place) && isSms(place));
    this.arrive({ kind: 'withdrawn', asked: after.withdraw, withdrawn });
  }
}

/** Plays a run to its end, until everything is sent. */
export function play(first: Shape, happenings: readonly Happening[], world: World): Play {
  const played = new Play(first, world);
  played.settle();
  for (const one of happenings) {
    const at = played.now + one.afterMinutes * minute;
    const due = played.dueAt;
    // Timers due in between get their own steps, unless the node was away.
    if (due !== null && due < at && one.node === 'steps') {
      played.now = Math.max(played.now, due);
      played.settle();
    }
    played.now = Math.max(start, at);
    const event = eventOf(one, played.state);
    if (event !== undefined) played.arrive(event);
    if (one.node === 'dies') played.crash();
    if (one.node === 'steps') played.settle();
  }
  played.settle();
  for (let turns = 0; ; turns++) {
    expect(turns).toBeLessThan(500);
    const due = played.dueAt;
    if (due === null) return played;
    played.now = Math.max(played.now, due);
    played.settle();
  }
}
