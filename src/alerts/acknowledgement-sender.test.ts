import { BlockList } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Alertmanager, alertmanagerVersion } from '../../test/alerts/alertmanager.ts';
import {
  listAcknowledgements,
  putAlertReceiver,
  queueAcknowledgements,
  type StoredAcknowledgement,
} from '../../test/harness/alert-verbs.ts';
import { until } from '../../test/harness/awake.ts';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { type Receiver, startReceiver } from '../../test/harness/receiver.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { systemClock } from '../foundation/clock.ts';
import { readReason } from '../foundation/sentences.ts';
import { Poster } from '../webhooks/posting/post.ts';
import { type AcknowledgementRequest, acknowledgementsOf } from './acknowledgement.ts';
import { AcknowledgementSender } from './acknowledgement-sender.ts';
import { claimAcknowledgements } from './acknowledgement-store.ts';
import type { Labels } from './alert.ts';

const dayMs = 86_400_000;

eachStore('acknowledgements for sources of alerts', (engine) => {
  let fresh: FreshStore;
  let receiver: Receiver;
  /** Closed after each test. */
  const opened: { close(): Promise<void> }[] = [];
  const warnings: string[] = [];

  beforeEach(async () => {
    fresh = await engine.openFreshStore();
    await fillStore(fresh.store);
    receiver = await startReceiver();
    opened.push(receiver);
  });
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
    warnings.length = 0;
  });

  /** Starts a node that sends; it opens every secret that begins with `sealed:`. */
  function send({ now = systemClock.now, allowed = true } = {}): AcknowledgementSender {
    const networks = new BlockList();
    if (allowed) networks.addAddress('127.0.0.1', 'ipv4');
    const poster = new Poster({ clock: systemClock, allowed: networks });
    const note = (_: object, message: string) => warnings.push(message);
    const sender = new AcknowledgementSender({
      store: fresh.store,
      clock: { now },
      poster,
      chance: () => 0.5,
      openSecret: (sealed) => (sealed.startsWith('sealed:') ? sealed.slice(7) : undefined),
      log: { warn: note, error: note, info: () => undefined },
    });
    opened.push(poster, { close: () => sender.stop() });
    sender.wake();
    return sender;
  }

  const target = (id: number, more: object = {}) =>
    fresh.store.write(putAlertReceiver, { id, target: { url: receiver.url, ...more } });
  const queue = (receiverId: number, requests: readonly AcknowledgementRequest[], more: object = {}) =>
    fresh.store.write(queueAcknowledgements, {
      receiverId,
      id: receiverId * 1_000,
      requests,
      now: Date.now(),
      ...more,
    });
  const stored = () => fresh.store.read(listAcknowledgements, null);
  const one = async (): Promise<StoredAcknowledgement> => (await stored())[0] as StoredAcknowledgement;
  const plain: AcknowledgementRequest = { path: '', body: { type: 'alerts.acknowledged' } };
  const rpc: AcknowledgementRequest = { path: '/api_jsonrpc.php', body: { id: 1 }, isRpc: true };

  test('[ALERT-3] An acknowledgement is posted once, with the login of the receiver', async () => {
    await target(1, { token: 'sealed:t0ken' });
    await target(2, { url: `${receiver.url}/`, username: 'carillon', password: 'sealed:secret' });
    await queue(1, [plain]);
    await queue(2, [{ ...plain, path: '/there' }]);
    send();
    await until(async () => (await stored()).every(({ state }) => state === 1));
    expect((await one()).result).toBe('as told');
    const calls = receiver.received.map(({ url, headers, body }) => [url, headers.authorization, body]);
    expect(calls.toSorted()).toEqual([
      ['/hook', 'Bearer t0ken', '{"type":"alerts.acknowledged"}'],
      ['/hook/there', `Basic ${Buffer.from('carillon:secret').toString('base64')}`, expect.any(String)],
    ]);
  });

  test('[ALERT-3] A source that is away is asked again later, all its acknowledgements wait as long, and others go on', async () => {
    const other = await startReceiver();
    opened.push(other);
    receiver.answer = (_, response) => void response.writeHead(503, { 'retry-after': '60' }).end();
    await target(1);
    await target(2, { url: other.url });
    await queue(1, [plain, plain, plain]);
    await queue(2, [plain]);
    const before = Date.now();
    let ahead = 0;
    const sender = send({ now: () => Date.now() + ahead });
    await until(
      async () => (await stored()).some(({ reason }) => reason !== null) && other.received.length === 1,
    );
    const waiting = (await stored()).filter(({ id }) => id < 2_000);
    expect(receiver.received).toHaveLength(1);
    expect(waiting.map(({ state, attempts }) => [state, attempts])).toEqual([
      [0, 1],
      [0, 0],
      [0, 0],
    ]);
    for (const { due_at } of waiting) expect(due_at).toBeGreaterThanOrEqual(before + 60_000);
    expect(readReason(waiting[0]?.reason ?? '').text).toBe('the source answered 503');
    receiver.answer = 200;
    ahead = 120_000;
    sender.wake();
    await until(async () => (await stored()).every(({ state }) => state === 1));
    expect(receiver.received).toHaveLength(4);
  });

  test('[ALERT-3] What a source refuses is not sent again, and says why; an error of JSON-RPC counts as refused', async () => {
    receiver.answer = (_, response) => void response.writeHead(422).end('no\n such alert');
    await target(1);
    await queue(1, [plain]);
    const sender = send();
    await until(async () => (await one()).state === 2);
    expect(readReason((await one()).reason ?? '').text).toBe('the source answered 422: “no such alert”');
    expect((await one()).due_at).toBe(null);
    const rpcAnswer = (answer: object) => {
      receiver.answer = (_, response) =>
        void response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }));
    };
    const ended = async (id: number) => {
      await fresh.store.write(queueAcknowledgements, { receiverId: 1, id, requests: [rpc], now: Date.now() });
      sender.wake();
      await until(async () =>
        (await stored()).some(
          (row) => row.id === id && row.attempts > 0 && (row.state > 0 || row.reason !== null),
        ),
      );
      return (await stored()).find((row) => row.id === id);
    };
    rpcAnswer({ error: { code: -32_602, message: 'Invalid params.', data: 'No permissions.' } });
    const refused = await ended(2_000);
    expect(refused?.state).toBe(2);
    expect(readReason(refused?.reason ?? '').text).toBe(
      'the source answered 200: “Invalid params. No permissions.”',
    );
    rpcAnswer({ result: { eventids: Array.from({ length: 500 }, (_, id) => String(id)) } });
    expect((await ended(3_000))?.state).toBe(1);
    rpcAnswer({ error: { code: -32_603, message: 'Internal error.' } });
    expect(await ended(4_000)).toMatchObject({ state: 0, attempts: 1 });
    expect(warnings).toHaveLength(2);
  });

  test('[ALERT-3] What may pass is tried again: a proxy that answers for a source that restarts, and a login that has expired', async () => {
    await target(1);
    await queue(1, [plain]);
    let ahead = 0;
    const sender = send({ now: () => Date.now() + ahead });
    for (const [place, status] of [302, 401, 403, 404, 407].entries()) {
      receiver.answer = status;
      ahead += 3_600_000;
      sender.wake();
      await until(async () => (await one()).reason?.includes(String(status)) === true);
      expect(await one()).toMatchObject({ state: 0, attempts: place + 1 });
    }
    receiver.answer = 200;
    ahead += 3_600_000;
    sender.wake();
    await until(async () => (await one()).state === 1);
    expect(receiver.received).toHaveLength(6);
  });

  test('[ALERT-3] An acknowledgement that a source does not know keeps no other from it', async () => {
    receiver.answer = (_, response) =>
      void response.writeHead(receiver.received.length === 1 ? 404 : 200).end();
    await target(1);
    await queue(1, [plain, plain, plain]);
    send();
    const states = async () => (await stored()).map(({ state, attempts }) => [state, attempts]);
    await until(async () => (await states()).every(([, attempts]) => attempts === 1));
    await until(async () => (await states()).filter(([state]) => state === 1).length === 2);
    expect(await states()).toEqual([
      [0, 1],
      [1, 1],
      [1, 1],
    ]);
  });

  test('[ALERT-3] A Zabbix that reads no header for its API gets the token in the body', async () => {
    // Answers of Zabbix 6.0.14, whose API takes the token in the body only.
    const isTrue = (body: string) => (JSON.parse(body) as { auth?: string }).auth === 't0ken';
    receiver.answer = ({ body }, response) =>
      void response.end(
        isTrue(body)
          ? '{"jsonrpc":"2.0","result":{"eventids":["24"]},"id":1}'
          : '{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params.","data":"Not authorized."},"id":1}',
      );
    await target(1, { token: 'sealed:t0ken' });
    await target(2, { token: 'sealed:wrong' });
    for (const id of [1, 2]) await queue(id, [rpc]);
    send();
    await until(async () => (await stored()).every(({ state }) => state > 0));
    const [taken, refused] = await stored();
    expect(taken).toMatchObject({
      state: 1,
      result: '{"jsonrpc":"2.0","result":{"eventids":["24"]},"id":1}',
    });
    expect(refused?.state).toBe(2);
    expect(readReason(refused?.reason ?? '').text).toBe(
      'the source answered 200: “Invalid params. Not authorized.”',
    );
    const posted = receiver.received.map(({ headers, body }) => [headers.authorization, body]);
    expect(posted.toSorted()).toEqual([
      ['Bearer t0ken', '{"id":1,"auth":"t0ken"}'],
      ['Bearer t0ken', '{"id":1}'],
      ['Bearer wrong', '{"id":1,"auth":"wrong"}'],
      ['Bearer wrong', '{"id":1}'],
    ]);
  });

  test('[ALERT-3] After a day an acknowledgement is given up, as is one whose receiver is gone or whose login can’t be opened', async () => {
    receiver.answer = 500;
    await target(1);
    await target(2, { token: 'of another server' });
    await fresh.store.write(putAlertReceiver, { id: 3, target: null });
    await queue(1, [plain], { now: Date.now() - dayMs });
    for (const id of [2, 3, 4]) await queue(id, [plain]);
    send();
    await until(async () => (await stored()).every(({ state }) => state === 2));
    expect((await stored()).map(({ reason }) => readReason(reason ?? '').text)).toEqual([
      'given up after 24 hours; the source answered 500: “as told”',
      'the login for the source can’t be opened: set it again',
      'the receiver no longer tells its source',
      'the receiver no longer tells its source',
    ]);
  });

  test('[ALERT-3] An address that is not public is not called, and redirects are not followed', async () => {
    await target(1);
    await queue(1, [plain]);
    send({ allowed: false });
    await until(async () => (await one()).reason !== null);
    expect(readReason((await one()).reason ?? '').text).toBe('the address is not allowed');
    expect(receiver.received).toEqual([]);
    const location = `${receiver.url}/elsewhere`;
    receiver.answer = (_, response) => void response.writeHead(302, { location }).end();
    await target(2);
    await queue(2, [plain]);
    send();
    await until(async () => (await stored())[1]?.reason?.includes('302') === true);
    expect([...new Set(receiver.received.map(({ url }) => url))]).toEqual(['/hook']);
  });

  test('[ALERT-3] Two nodes never claim the same acknowledgement, and one that a crash has left is claimed again', async () => {
    await target(1);
    await queue(
      1,
      Array.from({ length: 30 }, () => plain),
    );
    const now = Date.now();
    const claim = { now, until: now + 1_000, busy: [], limit: 20 };
    const claims = await Promise.all([1, 2, 3].map(() => fresh.store.write(claimAcknowledgements, claim)));
    const ids = claims.flat().map(({ id }) => id);
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(30);
    expect(await fresh.store.write(claimAcknowledgements, { ...claim, now: now + 1_000, busy: [1] })).toEqual(
      [],
    );
    const again = await fresh.store.write(claimAcknowledgements, { ...claim, now: now + 1_000 });
    expect(again.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 20 }, () => 2));
  });

  describe('silences', () => {
    const silence = async (labels: Labels): Promise<AcknowledgementRequest> => {
      const [request] = await acknowledgementsOf(
        'alertmanager',
        { hours: 4 },
        {
          id: 7,
          receiver: 'ops',
          runId: 71,
          by: 'Anna Berg',
          at: Date.now(),
          alerts: [{ fingerprint: 'c6eadffa33fcdf37', title: 'Disk full', labels }],
        },
      );
      return request as AcknowledgementRequest;
    };

    test('[ALERT-3] A try after an unknown end looks for the silence, and makes it only if it is not there', async () => {
      await target(1);
      const request = await silence({ alertname: 'DiskFull' });
      const comment = request.made?.comment;
      let listed: readonly object[] = [
        { id: 'old', comment, status: { state: 'expired' } },
        { id: 'other', comment: 'by hand', status: { state: 'active' } },
      ];
      receiver.answer = ({ url }, response) =>
        void response.end(url.includes('?') ? JSON.stringify(listed) : '{"silenceID":"made"}');
      await queue(1, [request], { attempts: 1 });
      const sender = send();
      await until(async () => (await one()).state === 1);
      expect(receiver.received.map(({ body }) => body === '')).toEqual([true, false]);
      expect((await one()).result).toBe('{"silenceID":"made"}');
      listed = [...listed, { id: 'mine', comment, status: { state: 'active' } }];
      await fresh.store.write(queueAcknowledgements, {
        receiverId: 1,
        id: 2_000,
        requests: [request],
        now: Date.now(),
        attempts: 1,
      });
      sender.wake();
      await until(async () => (await stored())[1]?.state === 1);
      expect((await stored())[1]?.result).toBe('mine');
      expect(receiver.received).toHaveLength(3);
    });

    test.runIf(alertmanagerVersion)(
      '[ALERT-3] A silence appears in Alertmanager itself for exactly the alert, and not twice after an unknown end',
      async () => {
        const alertmanager = await Alertmanager.start({ url: receiver.url });
        opened.push(alertmanager);
        const labels = { alertname: 'DiskFull', instance: 'db1:9100', path: 'C:\\"x" é\n' };
        const now = new Date().toISOString();
        await alertmanager.post(
          { labels, startsAt: now },
          { labels: { ...labels, instance: 'db2:9100' }, startsAt: now },
        );
        await target(1, { url: alertmanager.url });
        const request = await silence(labels);
        await queue(1, [request]);
        const sender = send();
        await until(async () => (await one()).state === 1);
        const [made] = await alertmanager.silences();
        expect(made).toMatchObject({
          createdBy: 'Anna Berg',
          comment: request.made?.comment,
          status: { state: 'active' },
          matchers: expect.arrayContaining([
            { name: 'path', value: labels.path, isRegex: false, isEqual: true },
          ]),
        });
        expect((await one()).result).toContain(made?.id);
        await until(async () => (await alertmanager.silenced()).length === 1);
        await fresh.store.write(queueAcknowledgements, {
          receiverId: 1,
          id: 2_000,
          requests: [request],
          now: Date.now(),
          attempts: 1,
        });
        sender.wake();
        await until(async () => (await stored())[1]?.state === 1);
        expect((await stored())[1]?.result).toBe(made?.id);
        expect(await alertmanager.silences()).toHaveLength(1);
      },
    );
  });
});
