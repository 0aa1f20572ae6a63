/**
 * The webhook work of a dispatching node: it fills the endpoints' queues from the journal, and runs a sender for each
 * endpoint that posts what is in its queue.
 */
import type { Advanced } from '../../changes/change-reader.ts';
import type { Sealing } from '../../foundation/sealing.ts';
import { type Holder, Outbox } from '../../outbox/outbox.ts';
import type { News } from '../../storage/news.ts';
import { keyOfSecret, placeOfCallbackSecret, placeOfCallbackUrlSecret, placeOfSecret } from '../endpoint.ts';
import { webhookReader } from '../endpoint-records.ts';
import { queueChanges } from '../outbox/queue-changes.ts';
import { webhookTopic } from '../outbox/queue-job-events.ts';
import { beginTracking, keepWebhookReader } from './begin-tracking.ts';
import { EndpointSender, type PostingOptions } from './endpoint-sender.ts';
import { type EndpointRow, listActiveEndpoints, listQueueEnds } from './sending-store.ts';

interface WebhookWorkOptions extends PostingOptions {
  readonly news: News;
  readonly sealing: Sealing;
  /** Called for each endpoint that is disabled because of its receiver. */
  readonly disabled: () => void;
}

const page = 1_000;
/** With thousands of endpoints, this many are opened at a time. */
const maxConcurrentOpens = 20;

interface Work {
  readonly holder: Holder;
  readonly senders: Map<number, { readonly sender: EndpointSender; readonly settings: string }>;
  readonly ending: AbortController;
}

export class WebhookWork {
  readonly #options: WebhookWorkOptions;
  readonly #outbox: Outbox<Work>;
  /** Includes disabled endpoints, because the events that they miss are counted. */
  #endpoints: readonly EndpointRow[] = [];
  readonly #beginning = new Set<number>();

  constructor(options: WebhookWorkOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options, {
      reader: webhookReader,
      keep: keepWebhookReader,
      advance: (nodeId, to) => this.#advance(nodeId, to),
      missed: 'webhooks were too far behind: events were skipped; the statuses of messages are complete',
      isWanted: () => this.#endpoints.length > 0,
      begin: (holder) => this.#begin(holder),
      look: (work) => this.#look(work),
      topic: webhookTopic,
      queued: (work) => this.#followQueues(work),
      end: (work) => this.#end(work),
      failed: (error) => options.log.warn({ error }, 'webhooks wait for the store'),
    });
  }

  async start(): Promise<void> {
    const { news, store } = this.#options;
    news.on('webhooks', async () => {
      this.#endpoints = await store.read(listActiveEndpoints, null);
      const senders = this.#outbox.work?.senders;
      for (const { id, failing_since } of this.#endpoints)
        if (failing_since === null) senders?.get(id)?.sender.notFailing();
    });
    this.#endpoints = await store.read(listActiveEndpoints, null);
    this.#outbox.start();
  }

  stop(): Promise<void> {
    return this.#outbox.stop();
  }

  async #look(work: Work): Promise<void> {
    await this.#alignSenders(work);
    this.#beginTracking(work, postedTo(this.#endpoints));
    // Other nodes may add to the queues too.
    await this.#followQueues(work);
  }

  #begin(holder: Holder): Work {
    this.#options.log.info({ endpoints: postedTo(this.#endpoints).length }, 'this node posts to webhooks');
    return { holder, senders: new Map(), ending: new AbortController() };
  }

  async #end({ senders, ending }: Work): Promise<void> {
    ending.abort();
    this.#beginning.clear();
    await Promise.all([...senders.values()].map(({ sender }) => sender.stop()));
  }

  async #advance(nodeId: number, to: number): Promise<Advanced | 'notHeld'> {
    const { store, clock } = this.#options;
    const input = { nodeId, to, now: clock.now(), limit: page };
    const { advanced, endpointIds } = await store.write(queueChanges, input);
    if (endpointIds.length > 0) this.#outbox.wake();
    return advanced;
  }

  /** New or changed endpoints get a new sender. The senders of removed or disabled endpoints end. */
  async #alignSenders(work: Work): Promise<void> {
    const wanted = new Map(
      postedTo(this.#endpoints).map((row) => [row.id, { row, settings: settingsOf(row) }]),
    );
    const ending = [...work.senders].filter(([id, { settings }]) => wanted.get(id)?.settings !== settings);
    await Promise.all(ending.map(([, { sender }]) => sender.stop()));
    for (const [id] of ending) work.senders.delete(id);
    const missing = [...wanted.values()].filter(({ row }) => !work.senders.has(row.id));
    if (missing.length === 0) return;
    // The current progress of each endpoint.
    const active = await this.#options.store.read(listActiveEndpoints, null);
    const rows = new Map(postedTo(active).map((row) => [row.id, row]));
    for (let first = 0; first < missing.length; first += maxConcurrentOpens) {
      const some = missing.slice(first, first + maxConcurrentOpens);
      const opened = await Promise.allSettled(
        some.map(({ row, settings }) => this.#open(work, rows.get(row.id), settings)),
      );
      // All openings must have settled first; otherwise the next pass would open those endpoints again that are still
      // being opened.
      for (const one of opened) if (one.status === 'rejected') throw one.reason;
    }
  }

  async #open(work: Work, row: EndpointRow | undefined, settings: string): Promise<void> {
    if (row === undefined) return;
    const { clock, disabled, log } = this.#options;
    const keys = this.#keysOf(row);
    const names = { webhook: row.name, company: row.company };
    if (keys === undefined)
      log.error(
        names,
        'the secrets of a webhook were encrypted under another server secret: apply its provisioning file again',
      );
    const sender = await EndpointSender.open({
      ...this.#options,
      row,
      keys,
      holder: work.holder,
      ended: (reason) => {
        work.senders.delete(row.id);
        if (reason === undefined) return;
        disabled();
        log.error({ ...names, reason }, 'a webhook was disabled; to resume: carillon webhooks enable');
        const disabled_at = clock.now();
        this.#endpoints = this.#endpoints.map((one) => (one.id === row.id ? { ...one, disabled_at } : one));
      },
    });
    work.senders.set(row.id, { sender, settings });
  }

  #keysOf({ company, name, system_user_id, caller_id, secrets }: EndpointRow): readonly Buffer[] | undefined {
    const ofUser =
      caller_id === null ? placeOfSecret({ company, name }) : placeOfCallbackUrlSecret(caller_id);
    const place = system_user_id === null ? ofUser : placeOfCallbackSecret(name);
    const keys = (JSON.parse(secrets) as string[]).map((sealed) =>
      keyOfSecret(this.#options.sealing.open(sealed, place) ?? ''),
    );
    return keys.every((key) => key !== undefined) ? keys : undefined;
  }

  #beginTracking(work: Work, rows: readonly EndpointRow[]): void {
    const fresh = rows.filter(
      ({ id, begun, system_user_id }) => begun === 0 && system_user_id === null && !this.#beginning.has(id),
    );
    if (fresh.length === 0) return;
    for (const { id } of fresh) this.#beginning.add(id);
    const { store, clock, log } = this.#options;
    const { signal } = work.ending;
    beginTracking({ store, now: clock.now(), signal }, fresh)
      .then(
        () => this.#begun(fresh),
        (error: unknown) => {
          if (!signal.aborted)
            log.warn({ error }, 'messages under way before a webhook was created are not reported yet');
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

  async #followQueues({ senders }: Work): Promise<void> {
    if (senders.size === 0) return;
    for (const end of await this.#options.store.read(listQueueEnds, null))
      senders.get(end.endpoint_id)?.sender.follow(end);
  }
}

function postedTo(endpoints: readonly EndpointRow[]): readonly EndpointRow[] {
  return endpoints.filter(({ disabled_at }) => disabled_at === null);
}

/** The settings that a sender is built from. If they change, the sender is replaced. */
function settingsOf({ url, secrets, batch }: EndpointRow): string {
  return JSON.stringify([url, secrets, batch]);
}
