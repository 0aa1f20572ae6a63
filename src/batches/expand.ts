/**
 * Brings batches on: makes the next step of the least advanced, again and again, until none has a next step. Woken when
 * a batch is accepted, here or at another node, and looking by itself now and then: nothing is lost with a process.
 *
 *   wake, poll ──▶ list ──▶ make a step ──▶ wake carriers
 *                   ▲            │
 *                   └────────────┴──failed: its batch pauses, ever longer, and ends when that does not help──▶ 10
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../foundation/clock.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { Store } from '../storage/store.ts';
import { advanceBatch, failBatch, listUnderWay, type Step } from './advance-store.ts';
import { batchCode } from './batch.ts';
import type { BatchKey } from './batch-in-steps.ts';

export interface ExpansionOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Messages wait for this carrier. */
  readonly wakeCarrier: (carrierId: number) => void;
  readonly log: {
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/** Announced when a batch has a next step that another node may make. */
export const batchTopic = 'batches';

const pollMs = 1_000;
/** Other nodes are at all batches that have a step to make. */
const allTakenMs = 20;
/** More than can fail or be with other nodes at once. */
const listed = 50;
const maxFailures = 5;
const firstPauseMs = 100;

interface Failing {
  failures: number;
  /** By the stopwatch. */
  pausedUntil: number;
}

/** So many steps of a batch are with the store, so that the next is there when a transaction begins. */
const atOnce = 2;
/** Of each of these, before the least advanced batch is looked for anew. */
const turns = 4;

export class Expansion {
  readonly #options: ExpansionOptions;
  readonly #failing = new Map<number, Failing>();
  #wanted = false;
  #stopped = false;
  #running: Promise<void> = Promise.resolve();
  #endPause: () => void = () => undefined;

  constructor(options: ExpansionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** A batch may have a next step. Cheap, and called often. */
  wake(): void {
    this.#wanted = true;
    this.#endPause();
  }

  /** Resolves when the step that is being made has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#endPause();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#wanted = false;
      let pauseMs = pollMs;
      try {
        pauseMs = await this.#proceed();
      } catch (error) {
        // The store is away, or full: it is no batch's fault, and all of them wait.
        this.#options.log.warn({ error }, 'batches wait for the store');
      }
      if (pauseMs > 0 && !this.#wanted && !this.#stopped) await this.#pause(pauseMs);
    }
  }

  /** Makes one step; answers with how long to wait for the next. */
  async #proceed(): Promise<number> {
    const { store, clock } = this.#options;
    const keys = await store.read(listUnderWay, { now: clock.now(), limit: listed });
    const ready = keys.filter(({ id }) => (this.#failing.get(id)?.pausedUntil ?? 0) <= performance.now());
    for (const key of ready) {
      if (!(await this.#stepsOf(key))) continue;
      return 0;
    }
    return keys.length === 0 ? pollMs : allTakenMs;
  }

  /** Its next step, and while it becomes messages a few more; false when none could be made. */
  async #stepsOf(key: BatchKey): Promise<boolean> {
    let made = 0;
    const go = async (): Promise<void> => {
      for (let turn = 0; turn < turns && !this.#stopped; turn++) {
        const step = await this.#step(key);
        if (step.kind === 'passed') return;
        made += 1;
        for (const carrierId of step.carrierIds) this.#options.wakeCarrier(carrierId);
        if (step.code !== batchCode.processing) return;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, go));
    return made > 0;
  }

  async #step(key: BatchKey): Promise<Step> {
    const { store, clock } = this.#options;
    try {
      const step = await store.write(advanceBatch, { ...key, now: clock.now() });
      if (step.kind === 'made') this.#failing.delete(key.id);
      return step;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      await this.#failed(key, error);
      return { kind: 'passed' };
    }
  }

  async #failed(key: BatchKey, error: unknown): Promise<void> {
    const { store, clock, log } = this.#options;
    const failures = (this.#failing.get(key.id)?.failures ?? 0) + 1;
    const pausedUntil = performance.now() + firstPauseMs * 2 ** Math.min(failures, 8);
    this.#failing.set(key.id, { failures, pausedUntil });
    const details = { batch: key.id, error, failures };
    if (failures < maxFailures) return log.warn(details, 'a step of a batch failed; it is tried again');
    const reason = `a step failed ${failures} times: ${(error as Error).message}`;
    const ended = await store.write(failBatch, { ...key, now: clock.now(), reason });
    if (ended) this.#failing.delete(key.id);
    if (ended) log.error(details, 'a batch ended by an unexpected error');
    else log.error(details, 'what is left of a batch can not be taken back; it is tried again');
  }

  async #pause(pauseMs: number): Promise<void> {
    const abort = new AbortController();
    this.#endPause = () => abort.abort();
    await delay(pauseMs, undefined, { signal: abort.signal, ref: false }).catch(() => undefined);
    this.#endPause = () => undefined;
  }
}
