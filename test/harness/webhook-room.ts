/** A company with webhooks on a fresh store, a receiver, and nodes that post to it, to test what is posted and when. */
import type { ServerResponse } from 'node:http';
import { BlockList } from 'node:net';
import { afterEach, beforeEach, vi } from 'vitest';
import { type Clock, systemClock } from '../../src/foundation/clock.ts';
import { Sealing } from '../../src/foundation/sealing.ts';
import { News } from '../../src/storage/news.ts';
import type { Store } from '../../src/storage/store.ts';
import type { JobEventName } from '../../src/webhooks/endpoint.ts';
import { type ListedEndpoint, listEndpoints } from '../../src/webhooks/management/administration-store.ts';
import { Poster } from '../../src/webhooks/posting/post.ts';
import { WebhookWork } from '../../src/webhooks/sending/webhook-work.ts';
import { fillStore } from './delivery-store.ts';
import { putMessages } from './delivery-verbs.ts';
import { provisioningOf } from './provisioning.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import type { Engine, FreshStore } from './stores.ts';
import { tellOfJob } from './webhook-verbs.ts';

export const secret = `whsec_${Buffer.from('s'.repeat(32)).toString('base64')}`;
export const patience = { timeout: 100_000, interval: 25 };

interface WorkOptions {
  readonly nodeId?: number;
  /** By default, the room's store. */
  readonly store?: Store;
  /** The time limit of a post. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** One room for a whole block of tests. */
export class WebhookRoom {
  fresh!: FreshStore;
  receiver!: Receiver;
  /** Warnings sent to the log, and how often an endpoint was disabled. */
  readonly warnings: string[] = [];
  disabled = 0;
  /** Closed after each test. */
  readonly opened: { close(): Promise<void> }[] = [];

  constructor(engine: Engine) {
    beforeEach(async () => {
      this.fresh = await engine.openFreshStore();
      await fillStore(this.store);
      this.receiver = await startReceiver();
      this.opened.push(this.receiver);
    });
    afterEach(async () => {
      for (const one of this.opened.splice(0).reverse()) await one.close();
      this.warnings.length = 0;
      this.disabled = 0;
    });
  }

  get store(): Store {
    return this.fresh.store;
  }

  readonly hook = (id: string, more = '', url = this.receiver.url) =>
    `{ id: ${id}, url: "${url}", secrets: [${secret}], events: [message.status, job.start, job.reply], filter: { statuses: [QUEUED] } ${more} }`;

  readonly provision = (...hooks: readonly string[]) =>
    provisioningOf(() => this.store).linesOf(`companies: [{ name: Company, webhooks: [${hooks.join(', ')}],
        systemUsers: [{ username: jobs, id: 900, callback: { type: POST, url: "${this.receiver.url}/job", secret: ${secret} } }] }]`);

  /** Starts a node that posts. */
  readonly work = async (options: WorkOptions = {}): Promise<WebhookWork> => {
    const { nodeId = 7, store = this.store, timeoutMs = 60_000, clock = systemClock } = options;
    const news = new News(store);
    await news.start();
    const allowed = new BlockList();
    allowed.addAddress('127.0.0.1', 'ipv4');
    const poster = new Poster({ clock: systemClock, allowed, timeoutMs });
    const note = (_: object, message: string) => this.warnings.push(message);
    const begun = new WebhookWork({
      store,
      news,
      poster,
      clock,
      sealing: new Sealing('of a test'),
      nodeId: () => nodeId,
      chance: () => 0.5,
      tried: () => undefined,
      log: { warn: note, error: note, info: () => undefined },
      disabled: () => {
        this.disabled += 1;
      },
    });
    this.opened.push({ close: async () => news.stop() }, poster, { close: () => begun.stop() });
    await begun.start();
    return begun;
  };

  /** The receiver refuses one post and holds the next ones until the returned function is called; then it accepts all. */
  readonly failOnce = (): (() => void) => {
    const held: ServerResponse[] = [];
    let isFirst = true;
    this.receiver.answer = (_, response) => {
      if (isFirst) response.writeHead(503).end('as told');
      else held.push(response);
      isFirst = false;
    };
    return () => {
      this.receiver.answer = 200;
      for (const response of held.splice(0)) response.writeHead(200).end();
    };
  };

  readonly put = (...ids: readonly number[]) =>
    this.store.write(
      putMessages,
      ids.map((id) => ({ id, listened: true })),
    );

  readonly until = (check: () => void | Promise<void>) => vi.waitFor(check, patience);

  readonly endpoint = async (name: string): Promise<ListedEndpoint> => {
    const [found] = await this.store.read(listEndpoints, { company: 'Company', name });
    return found as ListedEndpoint;
  };

  readonly tellOf = (runtimeId: number, ...names: readonly JobEventName[]) =>
    this.store.write(tellOfJob, {
      events: names.map((name) => ({
        companyId: 1,
        systemUserId: 900,
        name,
        runtimeId,
        at: 5_000,
        body: { eventtype: name, jobid: String(runtimeId) },
      })),
      now: systemClock.now(),
    });
}
