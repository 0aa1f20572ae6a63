import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, type TestContext, test } from 'vitest';
import { leaseMs } from '../../src/messages/nodes/lease.ts';
import { deadNodesEveryMs } from '../../src/messages/upkeep/upkeep.ts';
import { NpmSmsc } from '../carriers/npm-smsc.ts';
import type { Answer } from '../harness/api-client.ts';
import {
  alice,
  standardProvisioning,
  startWholeApp,
  type WholeApp,
  type WholeAppOptions,
} from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { batchBecomes } from '../harness/batch-calls.ts';
import { CarrierLedger } from '../harness/carrier-ledger.ts';
import {
  allMessages,
  expectBooksInOrder,
  expectHandedOnce,
  expectNothingLost,
  expectNothingTwice,
  untilAllEnded,
} from '../harness/delivery-books.ts';
import { describePostgres } from '../harness/engines.ts';
import { HeldTime, type TimerRange } from '../harness/held-server-time.ts';
import { Load } from '../harness/load.ts';
import {
  acceptedOf,
  query,
  recipient,
  sendOne,
  sendPath,
  statusesOf,
  whenAllAre,
} from '../harness/messaging.ts';

const hourMs = 3_600_000;
const provisioning = standardProvisioning.replace(
  'submitDelayMs: 0, receiptDelayMs: 20',
  'submitDelayMs: 10, receiptDelayMs: 60, window: 200',
);

/**
 * Resolves when all threads of the process have stopped; on a busy machine some keep running for a while after the signal.
 */
async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const threads = `/proc/${pid}/task`;
  const isStill = (thread: string) =>
    /^\d+ \(.*\) T/s.test(readFileSync(join(threads, thread, 'stat'), 'latin1'));
  await until(async () => readdirSync(threads).every(isStill));
}

/** The nodes of one test, which share their own store. */
class Nodes {
  readonly ledger = new CarrierLedger();
  readonly #apps: WholeApp[] = [];
  readonly #times: HeldTime[] = [];

  constructor({ onTestFinished }: TestContext) {
    onTestFinished(async () => {
      // The first node owns the database that all of them use.
      for (const app of this.#apps.reverse()) await app.close();
      for (const time of this.#times) time.remove();
      this.ledger.remove();
    });
  }

  /** A held clock for the nodes that are started with it. */
  time(endless?: TimerRange): HeldTime {
    const time = new HeldTime(endless);
    this.#times.push(time);
    return time;
  }

  async start(
    options: Partial<Pick<WholeAppOptions, 'serve' | 'env' | 'provisioning'>> = {},
  ): Promise<WholeApp> {
    const [besides] = this.#apps;
    const app = await startWholeApp({
      engine: 'postgres',
      provisioning,
      ...options,
      ...(besides && { besides }),
      env: { ...this.ledger.env, ...options.env },
    });
    this.#apps.push(app);
    return app;
  }
}

describePostgres('nodes that share a PostgreSQL', () => {
  const alive = 'SELECT id FROM nodes WHERE ended = 0';

  /** On a machine shared by many servers, PostgreSQL may take longer to respond than a node waits for it. */
  async function untilServed(app: WholeApp, body: object, key: string): Promise<Answer> {
    let answer: Answer | undefined;
    await until(async () => {
      answer = await app.as(alice).post(sendPath, body, { 'idempotency-key': key });
      return answer.status !== 503;
    }, 100_000);
    return answer as Answer;
  }

  /** Schedules four messages for each of these times. Returns the id and recipient of each. */
  async function schedule(app: WholeApp, times: readonly number[]): Promise<ReadonlyMap<string, string>> {
    const answers = await Promise.all(
      times.map((time, index) => {
        const to = [2, 3, 4, 5].map((digit) => `467${digit}${String(index).padStart(5, '0')}20`);
        const scheduletime = new Date(time).toISOString();
        return untilServed(app, { to, message: 'At its time', scheduletime }, `scheduled ${time} ${to[0]}`);
      }),
    );
    return new Map(answers.flatMap(acceptedOf).map(({ id, to }) => [id, to]));
  }

  test('[RUN-2] A node that only accepts messages wakes one that only dispatches, at once', async (context) => {
    const nodes = new Nodes(context);
    const front = await nodes.start({ serve: ['--roles', 'http'] });
    const id = await sendOne(front.as(alice));
    expect(await statusesOf(front.as(alice), [id])).toMatchObject([{ status: 'QUEUED' }]);
    // Without a wake-up, the sweep, which runs four times a second, would find the messages too; its timer never fires here.
    const { env } = nodes.time([250, 250]);
    await nodes.start({ serve: ['--roles', 'dispatch'], env });
    await whenAllAre(front.as(alice), [id], 'DELIVERED');
    for (let count = 0; count < 5; count++)
      await whenAllAre(front.as(alice), [await sendOne(front.as(alice))], 'DELIVERED');
  });

  test('[RUN-2] [SEND-12] Of many messages scheduled for one moment, each is sent once and not before, by whichever node', async (context) => {
    const nodes = new Nodes(context);
    const time = nodes.time();
    // The carrier is so slow that one node still has messages left when the other looks for work.
    const slowly = provisioning.replace('submitDelayMs: 10', 'submitDelayMs: 100').replace('200', '40');
    const first = await nodes.start({ env: time.env, provisioning: slowly });
    const second = await nodes.start({ env: time.env, provisioning: slowly });
    const dueAt = new Map<string, number>();
    let shares: readonly unknown[] = [];
    // Repeats until both nodes have had a share, which shows that they competed.
    for (let hour = 1; hour <= 10 && shares.length < 2; hour++) {
      const at = Date.now() + hour * hourMs;
      const times = Array<number>(50).fill(at);
      const ids = [first, second].map((app) => schedule(app, times));
      for (const scheduled of await Promise.all(ids)) for (const id of scheduled.keys()) dueAt.set(id, at);
      time.setClock(hour * hourMs);
      await untilAllEnded(first, 180_000);
      shares = await query(
        first,
        `SELECT DISTINCT split_part(carrier_message_id, '-', 2) AS life FROM message_parts`,
      );
    }
    expect(shares).toHaveLength(2);
    await whenAllAre(first.as(alice), [...dueAt.keys()], 'DELIVERED');
    const handed = nodes.ledger.read();
    expect(handed.size).toBe(dueAt.size);
    for (const [id, at] of dueAt) {
      expect(handed.get(id)).toMatchObject({ times: 1, accepted: 1 });
      expect(handed.get(id)?.firstAt).toBeGreaterThanOrEqual(at);
    }
  }, 300_000);

  test('[RUN-2] [RUN-4] A node that is stopped hands over at once, and leaves nothing in doubt', async (context) => {
    const nodes = new Nodes(context);
    const first = await nodes.start();
    const second = await nodes.start();
    const load = new Load(second.baseUrl, alice, { connections: 10 });
    load.start();
    await load.accepting(150);
    const stopping = second.stop();
    await load.stop();
    expect(await stopping).toBe(0);
    // The other node need not wait for the stopped node to fall silent.
    expect(await query(first, alive)).toHaveLength(1);
    await untilAllEnded(first, 180_000);
    const messages = await allMessages(first);
    expectNothingLost(messages, load.accepted);
    expect(messages.filter(({ inDoubt }) => inDoubt > 0)).toEqual([]);
    expectHandedOnce(messages, nodes.ledger);
    await expectBooksInOrder(first, messages);
  }, 300_000);

  /** Waits until the frozen node, whose row was removed, has a row again, so that both nodes count as alive. */
  async function whenItHasBegunAnew(app: WholeApp): Promise<void> {
    await until(async () => (await query(app, alive)).length === 2);
  }

  /**
   * Freezes the newest node at a moment when its carrier has messages, so that another node has to find out their outcome.
   */
  async function freezeWithMessages(newest: WholeApp, other: WholeApp): Promise<void> {
    const held = 'SELECT id FROM messages WHERE stage = 1 AND node_id = (SELECT MAX(id) FROM nodes) LIMIT 1';
    await until(async () => {
      await freeze(newest.pid as number);
      // Whatever the node had committed before the freeze is visible now.
      await delay(200);
      if ((await query(other, held)).length > 0) return true;
      process.kill(newest.pid as number, 'SIGCONT');
      await delay(50);
      return false;
    }, 300_000);
  }

  describe('that mostly wait for a lease to end', { concurrent: true }, () => {
    test('[RUN-2] [DLV-6] [SEND-12] Another node takes over from a killed one within 30 s, with nothing lost and only doubtful messages sent twice', async (context) => {
      const nodes = new Nodes(context);
      const first = await nodes.start();
      const second = await nodes.start();
      // Due before, at and after the kill, and accepted by the node that dies.
      const around = Array.from({ length: 120 }, (_, index) => Date.now() + index * 20);
      const scheduled = await schedule(second, around);
      const loads = [first, second].map((app) => new Load(app.baseUrl, alice, { connections: 10 }));
      for (const load of loads) load.start();
      for (const load of loads) await load.accepting(150);
      await second.kill();
      await loads[1]?.stop();
      // The survivor keeps serving, so takeover is not its only work.
      await loads[0]?.accepting(250);
      await loads[0]?.stop();
      const accepted = new Map([...scheduled, ...loads.flatMap((load) => [...load.accepted])]);
      for (const { status } of loads[0]?.refusals ?? []) expect(status).toBe(503);
      expect(loads[0]?.unanswered).toBe(0);
      await until(async () => (await query(first, 'SELECT id FROM nodes')).length === 1);
      // The longest a takeover takes: until a sweep sees the node's last heartbeat, then one lease, then until the next
      // sweep.
      const promisedMs = 30_000;
      expect(deadNodesEveryMs + leaseMs + deadNodesEveryMs).toBeLessThan(promisedMs);
      await untilAllEnded(first, 180_000);
      const messages = await allMessages(first);
      expect(accepted.size).toBeGreaterThan(500);
      expectNothingLost(messages, accepted);
      await expectNothingTwice(first, messages);
      expectHandedOnce(messages, nodes.ledger);
      await expectBooksInOrder(first, messages);
      // At most the simulator's window, and as many again that wait for it.
      expect(messages.filter(({ inDoubt }) => inDoubt > 0).length).toBeLessThanOrEqual(400);
      expect(await query(first, 'SELECT id FROM nodes')).toHaveLength(1);
    }, 300_000);

    test('[RUN-2] [DLV-6] A node that freezes and comes back after its work was taken over sends nothing twice, and goes on working', async (context) => {
      const nodes = new Nodes(context);
      const first = await nodes.start();
      const second = await nodes.start();
      // Waits for the calls that were sent to the node before it froze.
      const load = new Load(second.baseUrl, alice, { connections: 10, patienceMs: 150_000 });
      const scheduled = await schedule(
        second,
        Array.from({ length: 60 }, (_, index) => Date.now() + index * 50),
      );
      load.start();
      await load.accepting(150);
      const frozen = second.pid as number;
      await freezeWithMessages(second, first);
      const stopping = load.stop();
      await untilAllEnded(first, 180_000);
      // The node counted as dead by that time.
      expect(await query(first, alive)).toHaveLength(1);
      process.kill(frozen, 'SIGCONT');
      // The node now responds to the calls that it received before it froze.
      await stopping;
      expect(load.unanswered).toBe(0);
      for (const { status } of load.refusals) expect(status).toBe(503);
      const id = await sendOne(second.as(alice));
      await whenAllAre(second.as(alice), [id], 'DELIVERED');
      await whenItHasBegunAnew(first);
      await untilAllEnded(first, 180_000);
      expect(second.pid).toBe(frozen);
      const messages = await allMessages(first);
      expectNothingLost(messages, new Map([...scheduled, ...load.accepted]));
      await expectNothingTwice(first, messages);
      expectHandedOnce(messages, nodes.ledger);
      await expectBooksInOrder(first, messages);
      expect(messages.filter(({ inDoubt }) => inDoubt > 0).length).toBeLessThanOrEqual(400);
    }, 300_000);

    test('[RUN-2] [DLV-6] A node that freezes with its window full submits nothing more after its work was taken over', async (context) => {
      const smsc = await NpmSmsc.listen();
      context.onTestFinished(() => smsc.close());
      const nodes = new Nodes(context);
      const bySmpp = standardProvisioning.replace(
        /^ {2}- \{ name: sim, .*$/m,
        `  - { name: sim, type: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: me, password: pw, window: 10 }`,
      );
      const front = await nodes.start({ serve: ['--roles', 'http'], provisioning: bySmpp });
      const frozen = await nodes.start({ serve: ['--roles', 'dispatch'], provisioning: bySmpp });
      await until(async () => smsc.binds.length === 1);
      const to = Array.from({ length: 60 }, (_, index) => recipient(index));
      smsc.holdsAnswers = true;
      const accepted = acceptedOf(await front.as(alice).post(sendPath, { to, message: 'Hello' }));
      // Ten more parts are queued in its link.
      await until(async () => smsc.taken.length === 10);
      const ids = accepted.map(({ id }) => id);
      await until(async () => (await query(front, 'SELECT id FROM messages WHERE stage = 1')).length >= 20);
      await freeze(frozen.pid as number);
      // The released responses free ten more slots, which the node only learns of when it wakes.
      smsc.releaseAnswers();
      await nodes.start({ serve: ['--roles', 'dispatch'], provisioning: bySmpp });
      await untilAllEnded(front, 180_000);
      await whenAllAre(front.as(alice), ids, 'DELIVERED');
      const byFrozen = () => smsc.taken.filter(({ bind }) => bind === 0).length;
      expect(byFrozen()).toBe(10);
      process.kill(frozen.pid as number, 'SIGCONT');
      await whenItHasBegunAnew(front);
      await until(async () => smsc.binds.length === 3);
      expect(byFrozen()).toBe(10);
      const messages = await allMessages(front);
      expect(smsc.taken).toHaveLength(70);
      expect(messages.filter(({ inDoubt }) => inDoubt > 0).length).toBeLessThanOrEqual(30);
    }, 300_000);

    test('[BATCH-5] [RUN-2] A paused batch stays paused at each node, even when the node that sent it is gone', async (context) => {
      const nodes = new Nodes(context);
      const slowly = provisioning.replace('window: 200', 'throughput: 40, window: 1');
      const first = await nodes.start({ provisioning: slowly });
      const second = await nodes.start({ provisioning: slowly });
      const batch = Array.from({ length: 300 }, (_, index) => ({ t: recipient(index) }));
      const sent = await second.as(alice).post('/api/v1/batches', { message: 'Hello', batch });
      const id: string = sent.body.batchid;
      await batchBecomes(first.as(alice), id, ({ totals }) => totals.delivered > 5);
      const path = `/api/v1/batches/${id}`;
      expect((await first.as(alice).post(`${path}/pause`, {})).body.state).toBe('paused');
      expect((await second.as(alice).get(path)).body.state).toBe('paused');
      await second.kill();
      await until(async () => (await query(first, 'SELECT id FROM nodes')).length === 1);
      // Messages that the other node had at its carrier come back and are put aside with the rest.
      const goesOn = `SELECT 1 FROM messages WHERE batch_id = ${id} AND stage IS NOT NULL AND stage <> 5
        UNION SELECT 1 FROM batches WHERE id = ${id} AND clearing > 0`;
      await until(async () => (await query(first, goesOn)).length === 0);
      const paused = (await first.as(alice).get(path)).body;
      expect(paused).toMatchObject({ state: 'paused', totals: { waiting: expect.any(Number) } });
      expect(paused.totals.waiting).toBeGreaterThan(100);
      expect((await first.as(alice).post(`${path}/resume`, {})).body.state).toBe('sending');
      await batchBecomes(first.as(alice), id, ({ state }) => state === 'done');
      const messages = await allMessages(first);
      expect(messages).toHaveLength(300);
      await expectNothingTwice(first, messages);
      expectHandedOnce(messages, nodes.ledger);
      await expectBooksInOrder(first, messages);
    }, 300_000);

    test('[RUN-2] Of two nodes on one data folder, the first takes the operator’s commands, and the other only once the first has ended', async (context) => {
      const nodes = new Nodes(context);
      const first = await nodes.start();
      const { CARILLON_DATA } = first.env as { CARILLON_DATA: string };
      const second = await nodes.start({ env: { CARILLON_DATA } });
      const words = ['--to', '46731230001', '--from', '46701740605', '--text', 'Hello'];
      const answerer = async () => {
        const { stdout, stderr } = await second.run('simulate', 'incoming', ...words);
        return /is stored by server process (\d+)/.exec(stdout)?.[1] ?? stderr;
      };
      /** Waits until this node answers. Before that there may be no answer, but never one from another node. */
      const untilAnswers = async (app: WholeApp) => {
        const others = new Set<string>();
        await until(async () => others.add(await answerer()).has(String(app.pid)));
        others.delete(String(app.pid));
        for (const other of others)
          expect(other).toMatch(/^No Carillon server accepts commands at .*control\.sock\./);
      };
      expect(await answerer()).toBe(String(first.pid));
      await first.kill();
      await untilAnswers(second);
      await first.restart();
      expect(await answerer()).toBe(String(second.pid));
      expect(await second.stop()).toBe(0);
      await untilAnswers(first);
    }, 300_000);
  });
});
