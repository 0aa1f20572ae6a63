/**
 * Live hints: a client that watches a company's lists learns, at most twice a second, which of them have changed, whichever
 * node made the change. A hint carries no data; the client reads the lists again with its own rights.
 */
import { randomUUID } from 'node:crypto';
import { timeIn } from '../foundation/clock.ts';
import { groupedBy } from '../foundation/grouped.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { trackLatest } from '../messages/tracked.ts';
import type { Context } from '../storage/context.ts';
import { ChangeReader, changesTopic, readingAlone } from './change-reader.ts';
import { type Change, changeKind, nameOf, type Topic, topicOf, topics } from './journal.ts';
import { listen } from './tracking.ts';

export interface Hint {
  readonly companyId: number;
  readonly topic: Topic;
  /** The time of the latest change. */
  readonly at: number;
  /** The number of items by new state; empty when this is unknown because the reader fell too far behind. */
  readonly counts: ReadonlyMap<string, number>;
}

interface LiveHintsOptions extends Context {
  /** Whether messages whose status has changed are questions of runs that go on, which show the status too. */
  readonly concernsRuns?: (messages: QuestionsQuery) => Promise<boolean>;
  readonly log: { warn(details: object, message: string): void };
}

export interface QuestionsQuery {
  readonly companyId: number;
  readonly messageIds: readonly number[];
}

/** A company is listened to for this long after a client's last look. */
const listenedForMs = 15 * 60_000;
const renewEveryMs = 5 * 60_000;
/** A killed process keeps the journal from being trimmed for this long. */
const patienceMs = 5 * 60_000;

/** However much changes, hints for a list are at least this far apart. */
const leastBetweenMs = 500;

type Listeners = Set<(hint: Hint) => void>;

export class LiveHints {
  readonly #options: LiveHintsOptions;
  readonly #listeners = new Map<number, Listeners>();
  /** Changes since the latest hints. */
  readonly #gathered = new Map<
    string,
    { companyId: number; topic: Topic; at: number; counts: Map<string, number> }
  >();
  #sentAt = Number.NEGATIVE_INFINITY;
  #telling: NodeJS.Timeout | undefined;
  #renewal: WokenLoop | undefined;
  #reader: ChangeReader | undefined;
  /** The reader starts and stops with its listeners, one step at a time. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: LiveHintsOptions) {
    this.#options = options;
    options.store.onAnnouncement((topic) => {
      if (topic === changesTopic) this.#reader?.wake();
    });
  }

  /**
   * Resolves when the listener receives everything from now on, except, for up to a second, messages accepted by nodes that
   * don't know of the listener yet. Returns a function that ends the subscription.
   */
  async subscribe(companyId: number, listener: (hint: Hint) => void): Promise<() => Promise<void>> {
    const listeners = this.#listeners.get(companyId) ?? new Set();
    this.#listeners.set(companyId, listeners.add(listener));
    const end = () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(companyId);
      return this.#follow();
    };
    try {
      await this.#follow();
      await this.#listenTo(companyId);
      await this.#options.store.write(trackLatest, companyId);
    } catch (error) {
      await end();
      throw error;
    }
    return end;
  }

  async stop(): Promise<void> {
    this.#listeners.clear();
    await this.#follow();
  }

  async #listenTo(companyId: number): Promise<void> {
    const { store, clock } = this.#options;
    await store.write(listen, { companyId, listener: 'hints', until: timeIn(clock, listenedForMs) });
  }

  #follow(): Promise<void> {
    const step = () => (this.#listeners.size > 0 ? this.#begin() : this.#end());
    this.#turn = this.#turn.then(step, step);
    return this.#turn;
  }

  async #begin(): Promise<void> {
    if (this.#reader !== undefined) return;
    const { store, log } = this.#options;
    const name = `hints ${randomUUID()}`;
    const reader = new ChangeReader({
      store,
      log,
      name,
      ...readingAlone({ store, name, patienceMs, take: (changes) => this.#gather(changes) }),
      dropped: () => this.#gatherAll(),
    });
    await reader.start();
    this.#reader = reader;
    const failed = (error: unknown) => log.warn({ error }, 'live lists in the portal wait for the store');
    this.#renewal = new WokenLoop({ pauseMs: renewEveryMs, failed }, () => this.#renew()).start();
  }

  async #end(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.#gathered.clear();
    await this.#renewal?.stop();
    await reader?.leave();
  }

  async #renew(): Promise<void> {
    for (const companyId of this.#listeners.keys()) await this.#listenTo(companyId);
  }

  async #gather(changes: readonly Change[]): Promise<void> {
    const heard = changes.filter(({ companyId }) => this.#listeners.has(companyId));
    for (const change of heard) {
      const { counts } = this.#hintOf(change.companyId, topicOf(change), change.changedAt);
      const name = nameOf(change);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const { concernsRuns } = this.#options;
    if (concernsRuns === undefined) return;
    const ofMessages = heard.filter(({ kind, batchId }) => kind === changeKind.message && batchId === null);
    for (const [companyId, some] of groupedBy(ofMessages, (one) => one.companyId)) {
      const messageIds = some.map(({ subjectId }) => subjectId);
      if (!(await concernsRuns({ companyId, messageIds }))) continue;
      this.#hintOf(companyId, 'runs', Math.max(...some.map(({ changedAt }) => changedAt)));
    }
  }

  #gatherAll(): void {
    const at = this.#options.clock.now();
    for (const companyId of this.#listeners.keys())
      for (const topic of topics) this.#hintOf(companyId, topic, at);
  }

  #hintOf(companyId: number, topic: Topic, at: number) {
    const key = `${companyId}/${topic}`;
    const hint = this.#gathered.get(key) ?? { companyId, topic, at, counts: new Map<string, number>() };
    hint.at = Math.max(hint.at, at);
    this.#gathered.set(key, hint);
    const dueMs = Math.max(0, this.#sentAt + leastBetweenMs - performance.now());
    this.#telling ??= setTimeout(() => this.#tell(), dueMs);
    return hint;
  }

  #tell(): void {
    this.#sentAt = performance.now();
    this.#telling = undefined;
    const hints = [...this.#gathered.values()];
    this.#gathered.clear();
    for (const hint of hints)
      for (const listener of this.#listeners.get(hint.companyId) ?? []) listener(hint);
  }
}
