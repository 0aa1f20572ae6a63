import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { expect, test, vi } from 'vitest';
import { putMessages } from '../../../test/harness/delivery-verbs.ts';
import { checkedPost } from '../../../test/harness/posted-schemas.ts';
import { eventsIn, type Receiver, startReceiver } from '../../../test/harness/receiver.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { patience, secret, WebhookRoom } from '../../../test/harness/webhook-room.ts';
import { byOperator } from '../../../test/harness/webhook-verbs.ts';
import { changesTopic } from '../../changes/change-reader.ts';
import { leaveReader } from '../../changes/journal.ts';
import { systemClock } from '../../foundation/clock.ts';
import type { Store } from '../../storage/store.ts';
import { webhookReader } from '../endpoint-records.ts';
import {
  beginReplay,
  enableEndpoint,
  listAttempts,
  listEndpoints,
  queueTest,
} from '../management/administration-store.ts';
import { describedPosts } from '../management/posted-bodies.ts';
import { purgeQueues } from '../outbox/purge.ts';
import { webhookTopic } from '../outbox/queue-job-events.ts';
import { listActiveEndpoints, readRetries, recordProgress } from './sending-store.ts';

eachStore('the work for webhooks', (engine) => {
  const room = new WebhookRoom(engine);
  const { hook, provision, work, put, until, endpoint, tellOf, opened } = room;
  const idsIn = (posts: Receiver['received']) => eventsIn(posts).map(({ data }) => Number(data.id));

  test('[HOOK-3] [CONV-2] A webhook event is posted as signed JSON, as the OpenAPI document has it, or with many in one post if the endpoint asks for it', async () => {
    await provision(hook('one'));
    await work();
    await put(1);
    await until(() => expect(idsIn(room.receiver.received)).toEqual([1]));
    const [post] = room.receiver.received;
    const parsed = new Webhook(secret).verify(post?.body ?? '', post?.headers ?? {});
    expect(parsed).toEqual({
      type: 'message.status',
      timestamp: new Date(1_000).toISOString(),
      seq: 1,
      data: expect.objectContaining({ id: '1', status: 'QUEUED' }),
    });
    expect(checkedPost(post?.body ?? '')).toBe('message.status');
    for (const header of Object.keys(describedPosts.headers)) expect(post?.headers).toHaveProperty(header);
    const { id } = await endpoint('one');
    expect(post?.headers['webhook-id']).toBe(`evt_${id}_1`);
    await provision(hook('one', ', batch: true'));
    await until(() => room.store.read(listEndpoints, { company: null, name: 'one' }).then(() => undefined));
    const ids = Array.from({ length: 1_200 }, (_, place) => place + 2);
    await vi.waitFor(async () => {
      await put(...ids.splice(0, 1));
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(room.receiver.received.at(-1)?.body).toContain('"type":"events"');
    }, patience);
    await put(...ids);
    await until(() => expect(new Set(idsIn(room.receiver.received)).size).toBe(1_201));
    const sizes = room.receiver.received.map(
      ({ body }) => eventsIn([{ url: '', body, headers: {}, at: 0 }]).length,
    );
    expect(new Set(room.receiver.received.map(({ body }) => checkedPost(body)))).toEqual(
      new Set(['message.status', 'events']),
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
    expect(Math.max(...sizes)).toBeGreaterThan(100);
    expect(
      eventsIn(room.receiver.received)
        .map(({ seq }) => seq)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 1_201 }, (_, place) => place + 1));
  });

  test('[EVT-1] [EVT-2] Callbacks are posted as they are, soon after they are committed', async () => {
    await provision(hook('one'));
    await work();
    await tellOf(71, 'JOB_START');
    room.store.announce(webhookTopic);
    await until(() => expect(room.receiver.received).toHaveLength(2));
    const callback = room.receiver.received.find(({ body }) => body.startsWith('{"eventtype"'));
    expect(callback?.body).toBe('{"eventtype":"JOB_START","jobid":"71"}');
    expect(new Webhook(secret).verify(callback?.body ?? '', callback?.headers ?? {})).toBeTruthy();
    const other = room.receiver.received.find((post) => post !== callback);
    expect(JSON.parse(other?.body ?? '')).toMatchObject({ type: 'job.start', data: { jobid: '71' } });
  });

  test('[HOOK-4] [HOOK-5] Each webhook attempt is kept, and a post that was not accepted is retried with the same id', async () => {
    await provision(hook('one'));
    const recover = room.failOnce();
    await work();
    await put(1);
    await until(async () => expect((await endpoint('one')).failures).toBe(1));
    recover();
    await until(async () => expect((await endpoint('one')).failures).toBe(0));
    expect(room.receiver.received).toHaveLength(2);
    expect(new Set(room.receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const { id } = await endpoint('one');
    await until(async () => {
      const attempts = await room.store.read(listAttempts, { endpointId: id, limit: 10 });
      expect(attempts.length).toBe(room.receiver.received.length);
      expect(attempts.at(-1)).toMatchObject({
        status: 503,
        tries: 1,
        events: 1,
        address: '127.0.0.1',
        answer: 'as told',
        error: null,
      });
      expect(attempts[0]).toMatchObject({ status: 200, tries: room.receiver.received.length });
    });
    await until(async () =>
      expect(await endpoint('one')).toMatchObject({ waiting: 0, doneSeq: 1, lastSeq: 1 }),
    );
  });

  test('[HOOK-4] [PORT-4] A hint goes out when a receiver begins to fail or recovers, and enabling a webhook tries its receiver at once', async () => {
    const heard: string[] = [];
    room.store.onAnnouncement((topic) => heard.push(topic));
    // Announcements of the previous test in this database come first.
    room.store.announce('begins');
    await until(() => expect(heard).toContain('begins'));
    heard.length = 0;
    const hints = () => heard.filter((topic) => /^hint \d+ webhooks$/.test(topic));
    await provision(hook('one'));
    const recover = room.failOnce();
    await work();
    await put(1);
    await until(() => expect(hints()).toHaveLength(1));
    recover();
    await until(() => expect(hints()).toHaveLength(2));
    room.receiver.answer = (_, response) => response.writeHead(503, { 'retry-after': '3600' }).end();
    await put(2);
    await until(() => expect(hints()).toHaveLength(3));
    room.receiver.answer = 200;
    const { id } = await endpoint('one');
    await room.store.write(enableEndpoint, byOperator(id));
    await until(async () =>
      expect(await endpoint('one')).toMatchObject({ failures: 0, doneSeq: 2, waiting: 0 }),
    );
    expect(idsIn(room.receiver.received)).toEqual([1, 1, 2, 2]);
  });

  test('[HOOK-4] A webhook endpoint that hangs or is down holds up no other', async () => {
    const hanging = await startReceiver();
    opened.push(hanging);
    hanging.answer = () => undefined;
    await provision(hook('hangs', '', hanging.url), hook('down', '', 'http://127.0.0.1:9/'), hook('works'));
    await work();
    const ids = Array.from({ length: 60 }, (_, place) => place + 1);
    await put(...ids);
    await until(() => expect(idsIn(room.receiver.received).sort((a, b) => a - b)).toEqual(ids));
    await until(async () => {
      expect((await endpoint('down')).failures).toBeGreaterThanOrEqual(5);
      expect((await endpoint('down')).doneSeq).toBeLessThan(60);
    });
    expect(await endpoint('works')).toMatchObject({ failures: 0 });
  });

  test('[HOOK-4] A clock that is set back by two hours holds up neither a receiver that is back nor the node that posts next', async () => {
    const clock = { aheadMs: 4 * 3_600_000, now: () => Date.now() + clock.aheadMs };
    await provision(hook('one'));
    const first = await work({ clock });
    const failBefore = async (...ids: readonly number[]) => {
      room.receiver.answer = 503;
      await put(...ids);
      await until(async () => expect((await endpoint('one')).failures).toBeGreaterThanOrEqual(5));
    };
    const takesAll = (doneSeq: number) =>
      until(async () => expect(await endpoint('one')).toMatchObject({ failures: 0, waiting: 0, doneSeq }));
    await failBefore(1, 2, 3, 4, 5);
    clock.aheadMs -= 2 * 3_600_000;
    room.receiver.answer = 200;
    await takesAll(5);
    await failBefore(6, 7, 8, 9, 10);
    await first.stop();
    clock.aheadMs -= 2 * 3_600_000;
    room.receiver.answer = 200;
    await work({ clock });
    await takesAll(10);
  });

  test('[HOOK-4] A response of 410 disables a webhook, which is reported, and no earlier event is lost', async () => {
    await provision(hook('one'));
    room.receiver.answer = 410;
    await work();
    await put(1);
    await until(async () =>
      expect((await endpoint('one')).disabledReason).toBe(
        'the receiver has answered 410: it wants no more posts',
      ),
    );
    await until(() => {
      expect(room.disabled).toBe(1);
      expect(room.warnings).toContain('a webhook was disabled; to resume: carillon webhooks enable');
    });
    room.receiver.answer = 200;
    const { id } = await endpoint('one');
    await room.store.write(enableEndpoint, byOperator(id));
    await until(() => expect(room.receiver.received.length).toBeGreaterThan(1));
    expect(room.receiver.received.at(-1)?.headers['webhook-id']).toBe(`evt_${id}_1`);
  });

  test('[HOOK-5] A webhook can be sent a test event, and a range of events again', async () => {
    await provision(hook('one'));
    const before = systemClock.now();
    await work();
    await put(1, 2, 3);
    await until(() => expect(room.receiver.received).toHaveLength(3));
    const { id } = await endpoint('one');
    expect(await room.store.write(queueTest, byOperator(id, systemClock.now()))).toBe(4);
    await until(() =>
      expect(eventsIn(room.receiver.received).at(-1)).toMatchObject({ type: 'webhook.test', seq: 4 }),
    );
    // The messages were changed at time 1,000.
    expect(await room.store.write(beginReplay, { ...byOperator(id), from: 0, to: before })).toBe(3);
    await until(() => expect(room.receiver.received).toHaveLength(7));
    const again = room.receiver.received.slice(4).map(({ headers }) => headers['webhook-id']);
    expect(again).toEqual([1, 2, 3].map((seq) => `evt_${id}_${seq}`));
    await until(async () => expect((await endpoint('one')).replayNext).toBe(null));
    expect(
      await room.store.write(beginReplay, {
        ...byOperator(id),
        from: before + 600_000,
        to: before + 700_000,
      }),
    ).toBe(0);
  });

  test('[HOOK-1] [HOOK-2] A new webhook gets events of messages that were under way before it', async () => {
    await room.store.write(putMessages, [{ id: 1 }, { id: 2, stage: null, status: 2 }]);
    await provision(hook('one'));
    await work();
    await until(() => expect(idsIn(room.receiver.received)).toEqual([1]));
  });

  test('[EVT-2] [HOOK-4] Webhook posting goes on after a restart where it was, and each event comes at least once', async () => {
    await provision(hook('one', ', batch: true'));
    const first = await work();
    const ids = Array.from({ length: 2_000 }, (_, place) => place + 1);
    await put(...ids.slice(0, 1_000));
    await until(() => expect(room.receiver.received.length).toBeGreaterThan(0));
    await first.stop();
    await put(...ids.slice(1_000));
    await work();
    await until(() => expect(new Set(idsIn(room.receiver.received)).size).toBe(2_000));
    const seqs = new Set(eventsIn(room.receiver.received).map(({ seq }) => seq));
    expect(Math.max(...seqs)).toBe(2_000);
  });

  test('[HOOK-2] Webhook events begin at the end of the journal when its reader was dropped, and go on from there', async () => {
    await provision(hook('one'));
    await work();
    await put(1);
    await until(() => expect(idsIn(room.receiver.received)).toEqual([1]));
    await room.store.write(leaveReader, webhookReader);
    let id = 1;
    await vi.waitFor(async () => {
      id += 1;
      await put(id);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(room.receiver.received.length).toBeGreaterThan(1);
    }, patience);
  });

  test('[HOOK-3] Each webhook event is posted once, even if the store failed for one endpoint while another was opened', async () => {
    await provision(hook('fails'), hook('slow'));
    const names = new Map<unknown, string>();
    for (const name of ['fails', 'slow']) names.set((await endpoint(name)).id, name);
    const asked: string[] = [];
    const read: Store['read'] = async (verb, input) => {
      const name = verb.name === readRetries.name ? names.get(input) : undefined;
      if (name === undefined) return room.store.read(verb, input);
      const isFirst = !asked.includes(name);
      asked.push(name);
      if (isFirst && name === 'fails') throw new Error('the store is away');
      // This delay lasts beyond the next check.
      if (isFirst) await delay(2_500);
      return room.store.read(verb, input);
    };
    const store = new Proxy(room.store, {
      get(target, key) {
        const value: unknown = key === 'read' ? read : Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await work({ store });
    await put(1);
    await until(async () => {
      expect(await endpoint('fails')).toMatchObject({ doneSeq: 1, lastSeq: 1 });
      expect(await endpoint('slow')).toMatchObject({ doneSeq: 1, lastSeq: 1 });
    });
    expect(asked).toEqual(['fails', 'slow', 'fails']);
    expect(idsIn(room.receiver.received)).toEqual([1, 1]);
  });

  test('[HOOK-3] Each webhook event is posted once, however fast events come', async () => {
    await provision(hook('one', ', batch: true'));
    await work();
    const ids = Array.from({ length: 3_000 }, (_, place) => place + 1);
    for (let start = 0; start < ids.length; start += 20) {
      await put(...ids.slice(start, start + 20));
      room.store.announce(changesTopic);
      room.store.announce(webhookTopic);
    }
    await until(() => expect(new Set(idsIn(room.receiver.received)).size).toBe(ids.length));
    expect(idsIn(room.receiver.received)).toHaveLength(ids.length);
  });

  test('[EVT-2] A post that is accepted while a node stops is not posted again', async () => {
    await provision(hook('one'));
    let taking = 0;
    room.receiver.answer = (_, response) => {
      taking += 1;
      setTimeout(() => response.writeHead(200).end(), 1_000);
    };
    const first = await work();
    await put(1);
    await until(() => expect(taking).toBe(1));
    await first.stop();
    expect(await endpoint('one')).toMatchObject({ doneSeq: 1, lastSeq: 1 });
  });

  test('[HOOK-2] A webhook that is enabled again gets events of messages under way, and of those that have just ended', async () => {
    await provision(hook('one'));
    await work();
    await until(async () => {
      const open = await room.store.read(listActiveEndpoints, null);
      expect(open.find(({ name }) => name === 'one')?.begun).toBe(1);
    });
    await provision(hook('one', ', active: false'));
    await room.store.write(putMessages, [{ id: 1 }]);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await provision(hook('one'));
    await room.store.write(putMessages, [{ id: 2, stage: null, createdAt: systemClock.now() }]);
    await until(() => expect(idsIn(room.receiver.received).sort()).toEqual([1, 2]));
  });

  test('[HOOK-1] [HOOK-5] A webhook that a file gives to another user starts over, without its earlier events', async () => {
    await provision(hook('one', ', user: first'));
    await work();
    await put(1);
    await until(async () => expect(await endpoint('one')).toMatchObject({ doneSeq: 1, lastSeq: 1 }));
    const { id } = await endpoint('one');
    await provision(hook('one', ', user: first, batch: true'));
    expect(await endpoint('one')).toMatchObject({ id, lastSeq: 1 });
    await provision(hook('one', ', user: second'));
    const given = await endpoint('one');
    expect(given.id).not.toBe(id);
    expect(given).toMatchObject({ doneSeq: 0, lastSeq: 0 });
    expect(await room.store.read(listAttempts, { endpointId: given.id, limit: 10 })).toEqual([]);
    const all = { from: 0, to: systemClock.now() };
    expect(await room.store.write(beginReplay, { ...byOperator(given.id), ...all })).toBe(0);
    await room.store.write(putMessages, [{ id: 2, userId: 11, listened: true }]);
    await until(() => expect(idsIn(room.receiver.received)).toEqual([1, 2]));
    expect(room.receiver.received.at(-1)?.headers['webhook-id']).toBe(`evt_${given.id}_1`);
    await provision(hook('one'));
    expect([id, given.id]).not.toContain((await endpoint('one')).id);
  });

  test('[HOOK-5] Nothing is kept of a post whose webhook endpoint was removed meanwhile', async () => {
    await provision(hook('one'));
    await work();
    await put(1);
    await until(async () => expect((await endpoint('one')).doneSeq).toBe(1));
    const { id } = await endpoint('one');
    await provision('{ id: one, remove: true }');
    const purging = {
      store: room.store,
      clock: systemClock,
      log: { error: () => undefined },
      lost: () => undefined,
    };
    await purgeQueues(purging);
    const attempt = {
      number: 9,
      at: 1,
      firstSeq: 1,
      events: 1,
      tries: 1,
      address: null,
      status: 200,
      durationMs: 1,
      error: null,
      answer: '',
      seqs: [1],
    };
    const progress = {
      endpointId: id,
      nodeId: 7,
      timesEnabled: 0,
      doneSeq: 1,
      failures: 0,
      failingSince: null,
      nextAt: 0,
      replayNext: undefined,
      put: [],
      removed: [],
      disabled: undefined,
      now: 1,
      attempt,
    };
    expect(await room.store.write(recordProgress, progress)).toBe(null);
    expect(await room.store.read(listAttempts, { endpointId: id, limit: 10 })).toEqual([]);
  });

  test('[EVT-2] Webhook posting works, and stops, while another client’s transaction is open', async (context) => {
    if (engine.name !== 'postgres') return context.skip();
    await provision(hook('one'));
    const client = new pg.Client({ connectionString: room.fresh.place });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT pg_current_xact_id()');
    opened.push({ close: () => client.end() });
    const begun = await work();
    await tellOf(71, 'JOB_START');
    await until(() => expect(room.receiver.received).toHaveLength(2));
    await begun.stop();
  });
});
