/**
 * Live hints: whoever looks at the lists of a company hears, at most twice a second, which of them have changed, on whatever
 * node that was. A hint brings nothing to show: what may be seen is read again, by the rights of whoever looks.
 */
import { randomUUID } from 'node:crypto';
import { timeIn } from '../foundation/clock.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { listenToLatest } from '../messages/listened.ts';
import type { Context } from '../storage/context.ts';
import { ChangeReader, changesTopic, readingAlone } from './change-reader.ts';
import { type Change, nameOf, type Topic, topicOf, topics } from './journal.ts';
import { listen } from './listening.ts';

export interface Hint {
  readonly companyId: number;
  readonly topic: Topic;
  /** The time of the latest change. */
  readonly at: number;
  /** What has become of how many; empty where that is not known, since the reader fell too far behind. */
  readonly counts: ReadonlyMap<string, number>;
}

interface LiveHintsOptions extends Context {
  readonly log: { warn(details: object, message: string): void };
}

/** A company is listened to for so long after somebody has looked. */
const listenedForMs = 15 * 60_000;
const renewEveryMs = 5 * 60_000;
/** A process that was killed keeps the journal from being trimmed for so long. */
const patienceMs = 5 * 60_000;

/** However much changes, a hint of each list comes no sooner after the one before. */
const leastBetweenMs = 500;

type Listeners = Set<(hint: Hint) => void>;

export class LiveHints {
  readonly #options: LiveHintsOptions;
  readonly #listeners = new Map<number, Listeners>();
  /** What has changed since the latest hints. */
  readonly #gathered = new Map<
    string,
    { companyId: number; topic: Topic; at: number; counts: Map<string, number> }
  >();
  #told = Number.NEGATIVE_INFINITY;
  #telling: NodeJS.Timeout | undefined;
  #renewal: WokenLoop | undefined;
  #reader: ChangeReader | undefined;
  /** The reader comes and goes with those who listen, one step at a time. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: LiveHintsOptions) {
    this.#options = options;
    options.store.onAnnouncement((topic) => {
      if (topic === changesTopic) this.#reader?.wake();
    });
  }

  /**
   * Resolves when the listener hears of what happens from now on, but for what other nodes accept before they know of it,
   * within a second. Returns what ends it.
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
      await this.#options.store.write(listenToLatest, companyId);
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
    const failed = (error: unknown) => log.warn({ error }, 'the live lists of companies wait for the store');
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

  #gather(changes: readonly Change[]): void {
    for (const change of changes) {
      const { companyId, changedAt } = change;
      if (!this.#listeners.has(companyId)) continue;
      const { counts } = this.#hintOf(companyId, topicOf(change), changedAt);
      const name = nameOf(change);
      counts.set(name, (counts.get(name) ?? 0) + 1);
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
    const dueMs = Math.max(0, this.#told + leastBetweenMs - performance.now());
    this.#telling ??= setTimeout(() => this.#tell(), dueMs);
    return hint;
  }

  #tell(): void {
    this.#told = performance.now();
    this.#telling = undefined;
    const hints = [...this.#gathered.values()];
    this.#gathered.clear();
    for (const hint of hints)
      for (const listener of this.#listeners.get(hint.companyId) ?? []) listener(hint);
  }
}
