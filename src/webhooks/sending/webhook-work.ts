/**
 * What a node that dispatches does for webhooks and callbacks. Of several nodes one does it all: whoever holds the reader
 * of the journal fills the queues from it, and posts what is in them.
 */
import type { Advanced } from '../../changes/change-reader.ts';
import { HeldWork } from '../../changes/held-reader.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Sealing } from '../../foundation/sealing.ts';
import type { News } from '../../storage/news.ts';
import type { Store } from '../../storage/store.ts';
import { keyOfSecret, placeOfCallbackSecret, placeOfSecret } from '../endpoint.ts';
import { webhookReader } from '../endpoint-records.ts';
import { queueChanges } from '../outbox/queue-changes.ts';
import { webhookTopic } from '../outbox/queue-job-events.ts';
import type { Posted, Poster } from '../posting/post.ts';
import { beginListening, keepWebhookReader } from './begin-listening.ts';
import { EndpointSender } from './endpoint-sender.ts';
import { type EndpointRow, listActiveEndpoints, listQueueEnds } from './sending-store.ts';

interface WebhookWorkOptions {
  readonly store: Store;
  readonly news: News;
  readonly clock: Clock;
  readonly sealing: Sealing;
  readonly poster: Poster;
  /** The id of this node; undefined while it may not act. */
  readonly nodeId: () => number | undefined;
  readonly chance: () => number;
  readonly tried: (posted: Posted, events: number) => void;
  /** Is told of each endpoint that is disabled for what its receiver did. */
  readonly disabled: () => void;
  readonly log: {
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}

const leastPauseMs = 200;
const page = 1_000;
/** Of thousands of endpoints, so many begin at a time. */
const openAtOnce = 20;

interface Work {
  readonly nodeId: number;
  readonly senders: Map<number, { readonly sender: EndpointSender; readonly settings: string }>;
  readonly ending: AbortController;
}

export class WebhookWork {
  readonly #options: WebhookWorkOptions;
  readonly #held: HeldWork<Work>;
  /** Those that are disabled as well: what they are not told of is counted. */
  #endpoints: readonly EndpointRow[] = [];
  readonly #beginning = new Set<number>();
  #willFollow = false;
  readonly #failed = (error: unknown) => this.#options.log.warn({ error }, 'webhooks wait for the store');

  constructor(options: WebhookWorkOptions) {
    this.#options = options;
    const { store, nodeId, log } = options;
    this.#held = new HeldWork({
      store,
      nodeId,
      log,
      leastPauseMs,
      name: webhookReader,
      isWanted: () => this.#endpoints.length > 0,
      keep: () => store.write(keepWebhookReader, null),
      advance: (holder, to) => this.#advance(holder, to),
      dropped: () => this.#dropped(),
      begin: (holder) => this.#begin(holder),
      look: (work) => this.#look(work),
      end: (work) => this.#end(work),
      failed: this.#failed,
    });
    store.onAnnouncement((topic) => {
      if (topic === webhookTopic) this.#followSoon();
    });
  }

  async start(): Promise<void> {
    const { news, store } = this.#options;
    news.on('webhooks', async () => {
      this.#endpoints = await store.read(listActiveEndpoints, null);
      const senders = this.#held.work?.senders;
      for (const { id, failing_since } of this.#endpoints)
        if (failing_since === null) senders?.get(id)?.sender.notFailing();
    });
    this.#endpoints = await store.read(listActiveEndpoints, null);
    this.#held.start();
  }

  stop(): Promise<void> {
    return this.#held.stop();
  }

  async #look(work: Work): Promise<void> {
    await this.#alignSenders(work);
    this.#beginListening(work, postedTo(this.#endpoints));
    // Others may write to the queues as well.
    await this.#followQueues();
  }

  #begin(nodeId: number): Work {
    this.#options.log.info({ endpoints: postedTo(this.#endpoints).length }, 'this node posts to webhooks');
    return { nodeId, senders: new Map(), ending: new AbortController() };
  }

  #dropped(): void {
    this.#options.log.error(
      {},
      'webhooks were too far behind: what happened meanwhile is not told; messages have their statuses',
    );
  }

  async #end({ senders, ending }: Work): Promise<void> {
    ending.abort();
    this.#beginning.clear();
    await Promise.all([...senders.values()].map(({ sender }) => sender.stop()));
  }

  async #advance(nodeId: number, to: number): Promise<Advanced | 'notHeld'> {
    const { store, clock } = this.#options;
    const queued = await store.write(queueChanges, { nodeId, to, now: clock.now(), limit: page });
    if (queued.kind !== 'moved') return queued.kind;
    if (queued.endpointIds.length > 0) this.#followSoon();
    return queued;
  }

  /** Who is new or has changed begins anew; who has gone, or was disabled, ends. */
  async #alignSenders(work: Work): Promise<void> {
    const wanted = new Map(
      postedTo(this.#endpoints).map((row) => [row.id, { row, settings: settingsOf(row) }]),
    );
    const ending = [...work.senders].filter(([id, { settings }]) => wanted.get(id)?.settings !== settings);
    await Promise.all(ending.map(([, { sender }]) => sender.stop()));
    for (const [id] of ending) work.senders.delete(id);
    const missing = [...wanted.values()].filter(({ row }) => !work.senders.has(row.id));
    if (missing.length === 0) return;
    // How far each has come by now.
    const active = await this.#options.store.read(listActiveEndpoints, null);
    const rows = new Map(postedTo(active).map((row) => [row.id, row]));
    for (let first = 0; first < missing.length; first += openAtOnce) {
      const some = missing.slice(first, first + openAtOnce);
      const opened = await Promise.allSettled(
        some.map(({ row, settings }) => this.#open(work, rows.get(row.id), settings)),
      );
      // When all have ended: the next look would begin those again that are still opening.
      for (const one of opened) if (one.status === 'rejected') throw one.reason;
    }
  }

  async #open(work: Work, row: EndpointRow | undefined, settings: string): Promise<void> {
    if (row === undefined) return;
    const { store, poster, clock, chance, tried, disabled, log } = this.#options;
    const keys = this.#keysOf(row);
    const names = { webhook: row.name, company: row.company };
    if (keys === undefined)
      log.error(
        names,
        'the secrets of a webhook were sealed under another secret of the server: apply the provisioning file that has them once more',
      );
    const sender = await EndpointSender.open({
      row,
      keys,
      nodeId: work.nodeId,
      store,
      poster,
      clock,
      chance,
      tried,
      log,
      isHeld: () => this.#options.nodeId() === work.nodeId,
      ended: (reason) => {
        work.senders.delete(row.id);
        if (reason === undefined) return;
        disabled();
        log.error({ ...names, reason }, 'a webhook was disabled: carillon webhooks enable');
        const disabled_at = clock.now();
        this.#endpoints = this.#endpoints.map((one) => (one.id === row.id ? { ...one, disabled_at } : one));
      },
    });
    work.senders.set(row.id, { sender, settings });
  }

  #keysOf({ company, name, system_user_id, secrets }: EndpointRow): readonly Buffer[] | undefined {
    const place = system_user_id === null ? placeOfSecret({ company, name }) : placeOfCallbackSecret(name);
    const keys = (JSON.parse(secrets) as string[]).map((sealed) =>
      keyOfSecret(this.#options.sealing.open(sealed, place) ?? ''),
    );
    return keys.every((key) => key !== undefined) ? keys : undefined;
  }

  #beginListening(work: Work, rows: readonly EndpointRow[]): void {
    const fresh = rows.filter(
      ({ id, begun, system_user_id }) => begun === 0 && system_user_id === null && !this.#beginning.has(id),
    );
    if (fresh.length === 0) return;
    for (const { id } of fresh) this.#beginning.add(id);
    const { store, clock, log } = this.#options;
    const { signal } = work.ending;
    beginListening({ store, now: clock.now(), signal }, fresh)
      .then(
        () => this.#begun(fresh),
        (error: unknown) => {
          if (!signal.aborted)
            log.warn({ error }, 'what was under way before a webhook is not listened to yet');
        },
      )
      .finally(() => {
        for (const { id } of fresh) this.#beginning.delete(id);
      });
  }

  #begun(endpoints: readonly EndpointRow[]): void {
    this.#endpoints = this.#endpoints.map((row) =>
      endpoints.some(({ id }) => id === row.id) ? { ...row, begun: 1 } : row,
    );
  }

  /** However often it is asked meanwhile. */
  #followSoon(): void {
    if (this.#willFollow) return;
    this.#willFollow = true;
    this.#held
      .inTurn(() => {
        this.#willFollow = false;
        return this.#followQueues();
      })
      .catch(this.#failed);
  }

  async #followQueues(): Promise<void> {
    const senders = this.#held.work?.senders;
    if (senders === undefined || senders.size === 0) return;
    for (const end of await this.#options.store.read(listQueueEnds, null))
      senders.get(end.endpoint_id)?.sender.follow(end);
  }
}

function postedTo(endpoints: readonly EndpointRow[]): readonly EndpointRow[] {
  return endpoints.filter(({ disabled_at }) => disabled_at === null);
}

/** What a sender is made of: with other settings it is another one. */
function settingsOf({ url, secrets, batch }: EndpointRow): string {
  return JSON.stringify([url, secrets, batch]);
}
