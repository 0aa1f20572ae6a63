/** Brings erasures on, a step at a time: between two of them whoever else waits for the store has his turn. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../foundation/clock.ts';
import { Periodic } from '../foundation/periodic.ts';
import { announceHint } from '../storage/hints.ts';
import type { Store } from '../storage/store.ts';
import { eraseStep, listDueErasures } from './erasure-store.ts';

export interface ErasureWorkOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: { warn(details: object, message: string): void };
}

const pauseMs = 1_000;
const mostAtOnce = 20;
const leastRestMs = 5;
/** What a walk has changed may show on any page. */
const lists = ['messages', 'conversations', 'contacts', 'people'];

export class ErasureWork {
  readonly #options: ErasureWorkOptions;
  readonly #runs: Periodic;
  #isStopped = false;

  constructor(options: ErasureWorkOptions) {
    this.#options = options;
    const failed = (error: unknown) =>
      options.log.warn({ error }, 'a step of an erasure failed; it is tried again');
    this.#runs = new Periodic({ pauseMs, failed }, () => this.run());
  }

  start(): void {
    this.#runs.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#runs.stop();
  }

  /** Until nothing is due: several take turns. */
  async run(): Promise<void> {
    const { store, clock } = this.#options;
    for (;;) {
      const due = await store.read(listDueErasures, { now: clock.now(), limit: mostAtOnce });
      if (due.length === 0) return;
      for (const id of due) {
        if (this.#isStopped) return;
        await this.#step(id);
      }
    }
  }

  async #step(id: number): Promise<void> {
    const { store, clock } = this.#options;
    const begun = performance.now();
    const step = await store.write(eraseStep, { id, now: clock.now() });
    if (step.kind === 'waits' || step.kind === 'done') {
      store.forgetDeleted();
      for (const list of lists) announceHint(store, step.companyId, list);
    }
    await delay(Math.max(leastRestMs, performance.now() - begun));
  }
}
