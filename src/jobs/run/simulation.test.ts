/** Simulates thousands of random runs on a fake clock: whatever happens, in any order, a goal is never exceeded. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertRuns } from '../../../test/harness/runs.ts';
import {
  eventOf,
  happening,
  newRun,
  type Play,
  play,
  shape,
  type World,
} from '../../../test/harness/simulated-runs.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { type Progress, type State, stateOf } from './progress.ts';
import { type Event, reduce } from './reduce.ts';
import { maxReplies } from './run.ts';

const placeNotice = /you are on( now)?\.$/i;

/** Checks what must hold for a run when everything is over. */
function checkEnd({ state, timeline, callbacks, sent, saidYes }: Play, world: World): void {
  const { run, people } = state;
  expect(run.phase).toBe('ended');
  expect(run.outcome).not.toBeNull();
  // The callbacks are the timeline in the same order, without the entries that are internal.
  const posted: readonly string[] = ['start', 'assign', 'unassign', 'reply', 'warning', 'escalate', 'finish'];
  const names = timeline.flatMap(({ kind }) => (posted.includes(kind) ? [`JOB_${kind.toUpperCase()}`] : []));
  expect(callbacks.map(({ eventtype }) => eventtype)).toEqual(names);
  const byPeople = callbacks.filter(({ agent }) => agent !== 'system');
  expect(byPeople).toMatchObject([{ eventtype: 'JOB_START', agent: 'alice' }]);
  const expiryAt = run.outcome === 'CANCELED' ? 0 : (run.expiryAt as number);
  const failed = new Set(timeline.flatMap(({ kind, people: of = [] }) => (kind === 'unreached' ? of : [])));
  for (const { place, phone, task, late, state: is, unsent, replies } of people) {
    // Nothing is left to send, whatever the limits.
    expect(unsent).toBeUndefined();
    if (is === 'unreachable') expect(failed.has(place)).toBe(true);
    const ownYes = saidYes.filter((one) => one.place === place);
    const isByOwner = timeline.some(
      ({ kind, why, people: of = [] }) =>
        kind === 'act' && why === storedReason({ sentence: 'run_act', act: 'accept' }) && of.includes(place),
    );
    // The time of an answer decides, no matter when it is processed.
    if (late) expect(ownYes.some(({ at, isOver }) => isOver || at >= expiryAt)).toBe(true);
    if (task !== null && !isByOwner && expiryAt > 0)
      expect(ownYes.some(({ at }) => at < expiryAt)).toBe(true);
    // Everyone who has a place has been told so.
    if (task !== null && phone !== null && !world.blocked.has(place) && replies < maxReplies)
      expect(sent.some((one) => one.place === place && placeNotice.test(one.text))).toBe(true);
    // Every text from the owner reaches everyone, or the record says why not.
    const boots = ({ text }: { readonly text?: string }) => text === 'Bring boots';
    const wanted = timeline.filter((one) => one.kind === 'tell' && boots(one) && one.people?.includes(place));
    const got = sent.filter((one) => one.place === place && boots(one));
    const not = timeline.filter((one) => one.kind === 'notSent' && boots(one) && one.people?.includes(place));
    if (phone !== null) expect(got.length + not.length).toBe(wanted.length);
  }
}

test('[JOB-4] [JOB-5] [JOB-6] [JOB-7] [JOB-12] However a run goes, no goal is exceeded, nobody holds two places, reserves move up in order, and the run ends', async () => {
  const property = fc.asyncProperty(
    shape,
    fc.array(happening, { maxLength: 40 }),
    fc.record({
      unsent: fc.uniqueArray(fc.nat(11), { maxLength: 4 }).map((places) => new Set(places)),
      blocked: fc.uniqueArray(fc.nat(11), { maxLength: 2 }).map((places) => new Set(places)),
      sharing: fc.uniqueArray(fc.nat(11), { maxLength: 4 }).map((places) => new Set(places)),
      limit: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    }),
    async (first, happenings, world) => {
      const played = play(first, happenings, world);
      checkEnd(played, world);
      if (first.settings.generic !== 'GMA') return;
      // Places assigned minus places taken back are the places held.
      const held = new Map<number, number>();
      for (const { kind, people: [place = -1] = [], task = -1 } of played.timeline) {
        if (kind === 'assign') expect(held.set(place, task).get(place)).toBe(task);
        if (kind === 'unassign') held.delete(place);
      }
      const holding = played.state.people.filter(({ task }) => task !== null);
      expect([...held].sort()).toEqual(holding.map(({ place, task }) => [place, task]).sort());
    },
  );
  await assertRuns(property, 3_000);
});

const minuteMs = 60_000;
const unsendable = { phones: new Map() };

/** Any write to the state throws. */
function frozen<Of extends State>(state: Of): Of {
  const freeze = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  };
  freeze(state);
  return state;
}

/** Checks what must hold after each event, whatever came before it. */
function checkReduced(before: State, after: Progress): void {
  const { held, waitlist, pending } = stateOf({ run: after.run, people: after.people.all() });
  expect([after.held, after.waitlist]).toEqual([held, waitlist]);
  expect([...after.pending].sort((a, b) => a - b)).toEqual(pending);
  for (const { task, reserve, spare } of after.people.all()) {
    const roles = [task, reserve, spare].filter((one) => typeof one === 'number');
    expect(roles.length).toBeLessThan(2);
  }
  if (before.run.phase !== 'ended') return;
  const lasting = ({ phase, outcome, expiryAt, tasks, turns, warned }: State['run']) => {
    return { phase, outcome, expiryAt, tasks, turns, warned };
  };
  const counted = ({ people }: State) =>
    people.all().map(({ task, reserve, spare }) => [task, reserve, spare]);
  expect([lasting(after.run), counted(after)]).toEqual([lasting(before.run), counted(before)]);
  expect(after.effects.filter((effect) => effect.kind === 'send' && effect.isQuestion)).toEqual([]);
}

/** A second `time` event at the same moment resends nothing that was just sent, only what was waiting for its turn. */
function checkRepeated(after: Progress, event: Event): void {
  const waits = (place: number, text: string) =>
    after.people.at(place)?.unsent?.some((one) => one.text === text) === true;
  const textsIn = ({ effects }: Progress) =>
    effects.flatMap((effect) => (effect.kind === 'send' ? [`${effect.place} ${effect.text}`] : []));
  const sent = new Set(textsIn(after));
  const again = reduce(after, event).effects.filter(
    (effect) => effect.kind === 'send' && !waits(effect.place, effect.text),
  );
  expect(
    again.filter((effect) => effect.kind === 'send' && sent.has(`${effect.place} ${effect.text}`)),
  ).toEqual([]);
}

test('[JOB-6] [JOB-12] With events in any order, a person counts once, nobody gets a text twice, and an ended run never moves', async () => {
  const kinds = fc.constantFrom('start', 'time', 'happened', 'happened', 'happened');
  const events = fc.array(fc.tuple(kinds, happening, fc.boolean(), fc.boolean()), { maxLength: 40 });
  const property = fc.asyncProperty(shape, events, async (first, all) => {
    let state = frozen(stateOf(newRun(first)));
    let now = state.run.startAt;
    for (const [kind, one, isPushed, hasMore] of all) {
      now += one.afterMinutes * minuteMs;
      const happened = eventOf(one, { run: state.run, people: state.people.all() });
      if (kind === 'happened' && happened === undefined) continue;
      const event = { now, unsendable, kind, at: now, event: happened, isPushed, hasMore } as Event;
      const after = reduce(state, event);
      checkReduced(state, after);
      if (kind === 'time') checkRepeated(after, event);
      state = frozen(after);
      const { places: asked = [] } = after.effects.findLast((effect) => effect.kind === 'withdraw') ?? {};
      const withdrawn = {
        kind: 'withdrawn',
        asked,
        withdrawn: asked.filter((place) => place % 2 === 0),
      } as const;
      const reduced = reduce(state, { now, unsendable, kind: 'happened', at: now, event: withdrawn });
      checkReduced(state, reduced);
      state = frozen(reduced);
    }
  });
  await assertRuns(property, 500);
});
