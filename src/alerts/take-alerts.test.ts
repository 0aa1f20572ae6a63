import { beforeEach, expect, test } from 'vitest';
import { damageAlerts, listAcknowledgements, putAlertReceiver } from '../../test/harness/alert-verbs.ts';
import { until } from '../../test/harness/awake.ts';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { JobsRoom } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { byUser } from '../audit/audit-log.ts';
import { systemClock } from '../foundation/clock.ts';
import { steer } from '../jobs/steer.ts';
import { Ids } from '../storage/ids.ts';
import { theNode } from '../storage/verb.ts';
import type { ReceivedAlert } from './alert.ts';
import { type Assigned, assignAlerts, assignWaiting } from './assign-store.ts';
import { FollowIncidents } from './follow-incidents.ts';
import { hourMs, type Incident, maxPerHour, minuteMs } from './incident.ts';
import { listIncidents } from './incident-lists.ts';
import {
  claimIncidents,
  type IncidentChange,
  keepIncident,
  noteRun,
  readAlertsOf,
} from './incident-store.ts';
import { type ReceiverSettings, receiverDefaults } from './receiver.ts';
import { readAlerts } from './sources/read-alerts.ts';
import { maxInSet, takeAlerts } from './take-store.ts';

const receiverId = 5;
const at = Date.UTC(2026, 10, 30, 3);
const settings: ReceiverSettings = { start: 71, text: '', ownAlerts: false, ...receiverDefaults };

eachStore('alerts in the store', (engine) => {
  let fresh: FreshStore;
  beforeEach(async () => {
    fresh = await engine.openFreshStore();
    await fillStore(fresh.store);
    await fresh.store.write(putAlertReceiver, { id: receiverId, target: null, settings });
  });

  interface Posted {
    readonly now: number;
    readonly hasMore?: boolean;
    readonly leftOut?: number;
  }

  const alertNamed = (fingerprint: string, state: ReceivedAlert['state']): ReceivedAlert => ({
    fingerprint,
    state,
    title: fingerprint,
    labels: {},
    annotations: {},
    startedAt: null,
    url: null,
  });
  const take = (alerts: readonly ReceivedAlert[], { hasMore = false, leftOut = 0, now }: Posted) =>
    fresh.store.write(takeAlerts, { companyId: 1, receiverId, now, alerts, place: 0, hasMore, leftOut });
  const fire = (names: readonly string[], posted: Posted) =>
    take(
      names.map((name) => alertNamed(name, 'firing')),
      posted,
    );
  const resolve = (names: readonly string[], now: number) =>
    take(
      names.map((name) => alertNamed(name, 'resolved')),
      { now },
    );
  /** All that is due, as the loop does it. */
  const assign = async (now: number): Promise<readonly Assigned['kind'][]> => {
    const kinds: Assigned['kind'][] = [];
    for (;;) {
      const { kind } = await fresh.store.write(assignAlerts, { now, failed: 0 });
      if (kind === 'nothing') return kinds;
      kinds.push(kind);
    }
  };
  /** The latest first. */
  const incidents = () =>
    fresh.store.read(listIncidents, {
      visible: { companyId: 1, userId: null },
      receiver: null,
      state: null,
      before: Number.MAX_SAFE_INTEGER,
      limit: 100,
    });
  const latest = async () => (await incidents())[0] as Incident;
  const namesOf = async ({ id }: Incident) =>
    (await fresh.store.read(readAlertsOf, { incidentId: id, since: 0, limit: 5_000 })).map(
      ({ fingerprint }) => fingerprint,
    );
  const claim = async (now: number) =>
    (await fresh.store.write(claimIncidents, now)).map((one) => one.incident);
  const keep = (incident: Incident, change: Omit<IncidentChange, 'incident'>) =>
    fresh.store.write(keepIncident, { incident, ...change });
  /** Fires alerts for which a run starts. */
  const open = async (names: readonly string[], now: number): Promise<Incident> => {
    await fire(names, { now });
    await assign(now + 1_000);
    for (const incident of await claim(now + 1_000))
      await keep(incident, { now: now + 1_000, state: 'open', runId: 7, dueAt: null, isDone: true });
    return latest();
  };
  const runOf = (incident: Incident, now: number, by: string | null) => {
    const acknowledged = by === null ? null : { by, requests: [], silencedAt: now };
    return fresh.store.write(noteRun, { incident, now, runVersion: 2, isEnded: true, acknowledged });
  };
  const acknowledge = (incident: Incident, now: number) => runOf(incident, now, 'Anna');

  test('[ALERT-2] An alert that is repeated wakes nobody again, until its run has ended without an answer and hours have passed', async () => {
    const incident = await open(['disk'], at);
    for (const minutes of [1, 10, 600])
      expect(await fire(['disk'], { now: at + minutes * minuteMs })).toEqual({
        accepted: 1,
        ignored: 0,
        leftOut: 0,
        hasNews: false,
      });
    await runOf(incident, at + 11 * hourMs, null);
    await fire(['disk'], { now: at + 12 * hourMs });
    expect(await assign(at + 12 * hourMs + 1_000)).toEqual(['assigned']);
    const [again, before, ...others] = await incidents();
    expect([again?.firing, before?.firing, before?.state, others]).toEqual([1, 0, 'ended', []]);
  });

  test('[ALERT-3] [ALERT-2] After a storm the source is told of all alerts that fire, though many others joined before', async () => {
    const { store } = fresh;
    const target = { url: 'https://zabbix.example' };
    await store.write(putAlertReceiver, { id: receiverId, target, settings, source: 'zabbix' });
    await store.write(putPool, ['4610001']);
    const clock = { time: at + minuteMs, now: () => clock.time };
    const room = new JobsRoom(store, clock);
    await room.start({ id: 7, people: 1 });
    await room.settle(7);
    const events = Array.from({ length: 1_700 }, (_, index) => String(index));
    await fire(events.slice(0, maxInSet), { now: at });
    await open(events.slice(maxInSet), at);
    await resolve(events.slice(0, 600), at + 2_000);
    const owner = theNode();
    const by = byUser({ username: 'first', session: undefined });
    const yes = { kind: 'accept', whom: { contactId: '0' }, countsComment: false } as const;
    await steer(store, clock, { runId: 7, owner, by }, yes);
    await room.settle(7);
    const starting = {
      sending: room.sending,
      ids: new Ids(store, 'jobRun', 100),
      wake: () => undefined,
    };
    const log = { info: () => undefined, warn: () => undefined };
    const follow = new FollowIncidents({ starting, log, went: () => undefined });
    follow.start();
    await until(async () => (await latest()).acknowledgedAt !== null);
    await follow.stop();
    const requests = (await store.read(listAcknowledgements, null)).map(
      ({ request }) =>
        (JSON.parse(request) as { body: { params: { eventids: string[] } } }).body.params.eventids,
    );
    expect(requests.map(({ length }) => length)).toEqual([500, 500, 100]);
    expect(requests.flat().toSorted()).toEqual(events.slice(600).toSorted());
    const { silencedAt, grownAt } = await latest();
    expect(silencedAt).toBe(grownAt);
  });

  test('[ALERT-1] [ALERT-2] An alert that was resolved for long wakes people when it fires again, though others of its incident still fire', async () => {
    const incident = await open(['a', 'b'], at);
    await acknowledge(incident, at + minuteMs);
    await resolve(['a'], at + hourMs);
    const twoNightsLater = at + 48 * hourMs;
    expect(await fire(['a', 'b'], { now: twoNightsLater })).toMatchObject({ accepted: 2, hasNews: true });
    expect(await assign(twoNightsLater + 1_000)).toEqual(['assigned']);
    const [again, before] = await incidents();
    expect(await namesOf(again as Incident)).toEqual(['a']);
    expect([before?.id, before?.firing, before?.state]).toEqual([incident.id, 1, 'open']);
  });

  test('[ALERT-2] A flapping alert stays in its incident, but people are woken again as for one that fires all the time', async () => {
    const incident = await open(['a'], at);
    for (let minutes = 1; minutes < 60; minutes += 2) {
      await resolve(['a'], at + minutes * minuteMs);
      await fire(['a'], { now: at + (minutes + 1) * minuteMs });
      expect(await assign(at + (minutes + 1) * minuteMs + 1_000)).toEqual([]);
    }
    expect(await latest()).toMatchObject({ id: incident.id, alerts: 1, firing: 1, state: 'open' });
    await runOf(incident, at + hourMs, null);
    await resolve(['a'], at + 5 * hourMs);
    await fire(['a'], { now: at + 5 * hourMs + minuteMs });
    expect(await assign(at + 5 * hourMs + minuteMs + 1_000)).toEqual(['assigned']);
    expect(await incidents()).toHaveLength(2);
  });

  test('[ALERT-2] The sets of a post become one incident, and posts without a pause don’t put off the waking', async () => {
    const names = Array.from({ length: 3 * maxInSet }, (_, index) => `n${index}`);
    for (const set of [0, 1, 2]) {
      await fire(names.slice(set * maxInSet, (set + 1) * maxInSet), {
        now: at + set * 2_000,
        hasMore: set < 2,
      });
      if (set < 2) expect(await assign(at + set * 2_000 + 1_000)).toEqual([]);
    }
    expect(await assign(at + 5_000)).toEqual(['assigned', 'assigned', 'assigned']);
    const [incident, ...others] = await incidents();
    expect([incident?.alerts, incident?.dueAt, others]).toEqual([names.length, at + 5_000, []]);
    const later = at + hourMs;
    for (let seconds = 0; seconds < 60; seconds++)
      await fire([`later${seconds}`], { now: later + seconds * 1_000, hasMore: true });
    expect(await assign(later + 30_000)).toEqual(['assigned']);
  });

  test('[ALERT-2] What is resolved before it is given to an incident wakes nobody', async () => {
    await fire(['short'], { now: at });
    await resolve(['short'], at + 500);
    expect(await assign(at + 2_000)).toEqual(['resolved']);
    expect(await resolve(['short', 'unknown'], at + 3_000)).toMatchObject({ accepted: 0, ignored: 2 });
    expect(await incidents()).toEqual([]);
  });

  test('[ALERT-2] A receiver has so many incidents in an hour; what comes then waits for the next, and none is lost', async () => {
    await fresh.store.write(putAlertReceiver, {
      id: 6,
      target: null,
      settings: { ...settings, groupMinutes: 0 },
    });
    const fireOne = (name: string, now: number) =>
      fresh.store.write(takeAlerts, {
        companyId: 1,
        receiverId: 6,
        now,
        place: 0,
        hasMore: false,
        leftOut: 0,
        alerts: [alertNamed(name, 'firing')],
      });
    const kinds: string[] = [];
    for (let minute = 0; minute < maxPerHour + 3; minute++) {
      await fireOne(`n${minute}`, at + minute * minuteMs);
      kinds.push(...(await assign(at + minute * minuteMs + 1_000)));
    }
    expect(kinds).toEqual([
      ...Array.from({ length: maxPerHour }, () => 'assigned'),
      'waits',
      'waits',
      'waits',
    ]);
    expect(await incidents()).toHaveLength(maxPerHour);
    expect(await assign(at + hourMs + 1_000)).toEqual(['assigned']);
    expect(await namesOf(await latest())).toEqual([
      `n${maxPerHour}`,
      `n${maxPerHour + 1}`,
      `n${maxPerHour + 2}`,
    ]);
  });

  test('[ALERT-2] What was left out is told with the next incident, up to a bound', async () => {
    for (const index of [0, 1, 2, 3]) await fire([`n${index}`], { now: at + index, leftOut: 1_000_000 });
    await assign(at + 2_000);
    const { leftOut } = await latest();
    expect(leftOut).toBe(1_000_000);
    await fire(['other'], { now: at + hourMs, leftOut: 3 });
    await assign(at + hourMs + 1_000);
    expect((await latest()).leftOut).toBe(3);
  });

  test('[ALERT-1] [ALERT-2] Alerts without a fingerprint, from a clock of 1970, are told apart by their labels, and wake people', async () => {
    const [down, up] = ['firing', 'resolved'].map((status) => ({
      alerts: ['a', 'b'].map((host) => ({ status, labels: { host }, startsAt: '1970-01-01T00:00:09Z' })),
    }));
    const read = (body: unknown) => {
      const result = readAlerts('alertmanager', body, { now: at });
      return result.ok ? result.value.alerts : [];
    };
    for (const now of [at, at + 100])
      expect(await take(read(down), { now })).toMatchObject({ accepted: 2, ignored: 0 });
    await assign(at + 1_000);
    expect(await latest()).toMatchObject({ alerts: 2, firing: 2, first: { startedAt: null } });
    expect(await take(read(up), { now: at + 2_000 })).toMatchObject({ accepted: 2 });
    expect(await latest()).toMatchObject({ alerts: 2, firing: 0 });
  });

  test('[ALERT-2] A receiver whose alerts cannot be given to an incident holds up no other, and is tried again', async () => {
    await fire(['a'], { now: at });
    await fresh.store.write(damageAlerts, receiverId);
    const [id, name] = [6, 'b'];
    await fresh.store.write(putAlertReceiver, { id, target: null, settings });
    const alerts = [alertNamed(name, 'firing')];
    const set = { companyId: 1, receiverId: id, place: 0, hasMore: false, leftOut: 0 };
    await fresh.store.write(takeAlerts, { ...set, now: at + 1, alerts });
    const context = { store: fresh.store, clock: { ...systemClock, now: () => at + 2_000 } };
    const [kinds, errors]: [string[], unknown[]] = [[], []];
    const assignAll = () =>
      assignWaiting(
        context,
        new AbortController().signal,
        ({ kind }) => kinds.push(kind),
        (error) => errors.push(error),
      );
    await assignAll();
    expect([kinds, errors.length]).toEqual([['assigned'], 1]);
    expect(await latest()).toMatchObject({ receiverId: id, alerts: 1 });
    await assignAll();
    expect(errors.length).toBe(2);
  });

  test('[ALERT-2] Nodes that work at the same time never give one alert to two incidents, and tell of every alert', async () => {
    const other = await fresh.openAnother();
    const nodes = [fresh.store, other];
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    let woken: Incident | undefined;
    for (const [index, name] of names.entries()) {
      const now = at + index * 2_000;
      await fire([name], { now });
      const assigning = nodes.map((node) => node.write(assignAlerts, { now: now + 1_000, failed: 0 }));
      const [claimed] = await other.write(claimIncidents, now + 1_000);
      woken ??= claimed?.incident;
      await Promise.all(assigning);
    }
    while ((await assign(at + hourMs)).length > 0);
    const [incident, ...others] = await incidents();
    expect(others).toEqual([]);
    const untold = names.length - (woken as Incident).alerts;
    expect(incident).toMatchObject({ alerts: names.length, firing: names.length, untold });
    expect(await namesOf(incident as Incident)).toEqual(names);
  });

  test('[ALERT-2] What happens while a node wakes people leaves the incident to that node, which sees it when it is done', async () => {
    await fire(['a'], { now: at });
    await assign(at + 1_000);
    const [claimed] = await claim(at + 1_000);
    const { dueAt } = await latest();
    await fire(['b'], { now: at + 2_000 });
    await assign(at + 3_000);
    expect(await latest()).toMatchObject({ dueAt, untold: 1, untoldAt: at + 3_000 });
    await resolve(['a', 'b'], at + 4_000);
    expect(await latest()).toMatchObject({ dueAt, firing: 0 });
    expect(await claim(at + 5_000)).toEqual([]);
    const done = { now: at + 6_000, state: 'open', runId: 7, dueAt: null, isDone: true } as const;
    expect(await keep(claimed as Incident, done)).toBe(true);
    expect(await claim(at + 6_000)).toMatchObject([{ firing: 0, untold: 1, runId: 7 }]);
  });
});
