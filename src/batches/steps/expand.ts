/**
 * Advances batches: makes the next steps of each in turn until none has a next step. It is woken when a batch is accepted,
 * here or at another node, and polls now and then, so that nothing is lost when a process dies.
 *
 *   wake, poll ──▶ list ──▶ make a step ──▶ wake carriers
 *                   ▲            │
 *                   └────────────┴──failed: its batch pauses, ever longer, and ends when that does not help──▶ 10
 */
import { ServiceError } from '../../foundation/errors.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { type NextPass, WokenLoop } from '../../foundation/woken-loop.ts';
import type { Observer } from '../../messages/observer.ts';
import type { Context } from '../../storage/context.ts';
import { type Store, StoreDamaged } from '../../storage/store.ts';
import { batchCode } from '../batch.ts';
import { parseSendHours } from '../hours/send-hours.ts';
import { sendWindow } from '../hours/send-window.ts';
import {
  advanceBatch,
  type BatchStep,
  type BatchUnderWay,
  type CurrentSendHours,
  failBatch,
  listUnderWay,
} from './advance-store.ts';
import type { BatchKey } from './batch-in-steps.ts';

interface ExpansionOptions extends Context {
  /** How long the steps of a batch may fail before it ends; ten minutes by default. */
  readonly patienceMs?: number;
  /** How long it waits without a wake-up before it checks anyway. */
  readonly pollMs?: number;
  /** Whether other calls are waiting for the store now. */
  readonly othersWait?: () => boolean;
  /** Receives expanded messages, which count as accepted from then on. */
  readonly observer?: Pick<Observer, 'accepted'>;
  /** See `Sending`. */
  readonly isTracked?: (companyId: number) => boolean;
  /** Called when messages wait for this carrier. */
  readonly wakeCarrier: (carrierId: number) => void;
  readonly log: {
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

const standardPollMs = 1_000;
/** The pause when other nodes are working on every batch that has a next step. */
const allTakenMs = 20;
/**
 * How many of the least advanced batches, and of the oldest, are listed: more than can fail or be busy elsewhere at
 * once.
 */
const maxListed = 25;
/** How long the steps of a batch may fail before it ends, because the fault may be this node's and gone after a restart. */
const standardPatienceMs = 10 * 60_000;
const minFailures = 5;
const firstPauseMs = 100;
const passedMs = 500;

interface FailingBatch {
  failures: number;
  /** When the batch first failed, by `performance.now()`. */
  readonly since: number;
  /** A time of `performance.now()`, like the one above. */
  pausedUntil: number;
}

/** Steps of a batch that run at the same time while nothing else waits for the store; a transaction then takes two of them. */
const parallelSteps = 2;
/** Steps that each of these series takes before another batch has its turn. */
const stepsPerTurn = 4;

export class Expansion {
  readonly #options: ExpansionOptions;
  readonly #pollMs: number;
  readonly #steps: WokenLoop;
  readonly #advance: Advance;
  readonly #fair = new FairOrder();
  readonly #failing = new Map<number, FailingBatch>();

  constructor(options: ExpansionOptions) {
    this.#options = options;
    this.#pollMs = options.pollMs ?? standardPollMs;
    // The store is unreachable or full, which is no batch's fault, so all of them wait.
    const failed = (error: unknown) => options.log.warn({ error }, 'batches wait for the store');
    this.#steps = new WokenLoop({ pauseMs: this.#pollMs, firstMs: 0, failed }, () => this.#proceed());
    this.#advance = new Advance(options.store, options.isTracked);
  }

  start(): void {
    this.#steps.start();
  }

  /** Called when a batch may have a next step. Cheap, and called often. */
  wake(): void {
    this.#steps.wake();
  }

  /** Resolves when the current step has ended. */
  stop(): Promise<void> {
    return this.#steps.stop();
  }

  /** Takes one step of each batch; returns how long to wait before the next pass. */
  async #proceed(): Promise<NextPass> {
    const { store, clock } = this.#options;
    const keys = await store.read(listUnderWay, { now: clock.now(), limit: maxListed });
    const ready = keys.filter(({ id }) => (this.#failing.get(id)?.pausedUntil ?? 0) <= performance.now());
    for (const key of this.#fair.order(ready)) {
      if (!(await this.#stepsOf(key))) continue;
      return { pauseMs: 0 };
    }
    if (keys.length === 0) return { pauseMs: this.#pollMs };
    return { pauseMs: ready.length > 0 ? allTakenMs : this.#shortestPause(keys) };
  }

  #shortestPause(keys: readonly BatchKey[]): number {
    const now = performance.now();
    const pauses = keys.map(({ id }) => (this.#failing.get(id)?.pausedUntil ?? now) - now);
    return Math.min(this.#pollMs, Math.max(allTakenMs, Math.min(...pauses)));
  }

  /** Takes the batch's next step, and a few more while it is being expanded; false when no step could be taken. */
  async #stepsOf(key: BatchKey): Promise<boolean> {
    let made = 0;
    const go = async (): Promise<void> => {
      for (let turn = 0; turn < stepsPerTurn && !this.#steps.signal.aborted; turn++) {
        const step = await this.#step(key);
        if (step.kind === 'passed') return;
        made += 1;
        const { messages = 0, parts = 0 } = step.expanded ?? {};
        if (messages > 0) this.#options.observer?.accepted(messages, parts);
        for (const carrierId of step.carrierIds) this.#options.wakeCarrier(carrierId);
        if (step.code !== batchCode.processing) return;
      }
    };
    const ends = await Promise.allSettled(
      Array.from({ length: this.#options.othersWait?.() ? 1 : parallelSteps }, go),
    );
    if (made > 0) this.#fair.made(key.id, made);
    const broken = ends.find(({ status }) => status === 'rejected');
    if (broken !== undefined) throw (broken as PromiseRejectedResult).reason;
    return made > 0;
  }

  async #step(key: BatchKey): Promise<Exclude<BatchStep, { kind: 'asks' }>> {
    try {
      const step = await this.#advance.step(key, this.#options.clock.now());
      if (step.kind === 'made') this.#failing.delete(key.id);
      return step;
    } catch (error) {
      if (error instanceof ServiceError && !(error instanceof StoreDamaged)) {
        this.#postpone(key);
        throw error;
      }
      await this.#failed(key, error);
      return { kind: 'passed' };
    }
  }

  /** Lets the other batches go first for a moment, since only the rows of this batch may be blocked. */
  #postpone(key: BatchKey): void {
    const now = performance.now();
    const { failures, since } = this.#failing.get(key.id) ?? { failures: 0, since: now };
    this.#failing.set(key.id, { failures, since, pausedUntil: now + passedMs });
  }

  async #failed(key: BatchKey, error: unknown): Promise<void> {
    const { store, clock, log } = this.#options;
    const known = this.#failing.get(key.id);
    const failures = (known?.failures ?? 0) + 1;
    const since = known?.since ?? performance.now();
    const pausedUntil = performance.now() + firstPauseMs * 2 ** Math.min(failures, 8);
    this.#failing.set(key.id, { failures, since, pausedUntil });
    const details = { batch: key.id, error, failures };
    const isPatient = performance.now() - since < (this.#options.patienceMs ?? standardPatienceMs);
    if (failures < minFailures || isPatient)
      return log.warn(details, 'a step of a batch failed; trying again');
    const wrong = (error as Error).message;
    const reason = storedReason({ sentence: 'batch_step_failed', failures, wrong });
    const ended = await store.write(failBatch, { ...key, now: clock.now(), reason });
    if (ended) this.#failing.delete(key.id);
    if (ended) log.error(details, 'a batch was ended by an unexpected error');
    else log.error(details, 'the rest of a batch cannot be taken back; trying again');
  }
}

/**
 * Takes steps of batches, and works out the send hours of a company when a step asks for them. Steps ask only once while a
 * company's hours stay the same.
 */
export class Advance {
  readonly #store: Store;
  /** The stored form of the hours by company, from the last time that a step asked. */
  readonly #sendHours = new Map<number, string>();
  readonly #isTracked: (companyId: number) => boolean;

  constructor(store: Store, isTracked: (companyId: number) => boolean = () => false) {
    this.#store = store;
    this.#isTracked = isTracked;
  }

  async step(key: BatchKey, now: number): Promise<Exclude<BatchStep, { kind: 'asks' }>> {
    for (;;) {
      const hours = hoursAt(this.#sendHours.get(key.companyId), now);
      const listened = this.#isTracked(key.companyId);
      const step = await this.#store.write(advanceBatch, { ...key, now, hours, listened });
      if (step.kind !== 'asks') return step;
      this.#sendHours.set(key.companyId, step.sendHours);
    }
  }
}

function hoursAt(stored: string | undefined, now: number): CurrentSendHours | undefined {
  const sendHours = parseSendHours(stored ?? null);
  if (stored === undefined || sendHours === undefined) return undefined;
  return { sendHours: stored, window: sendWindow(sendHours, now) };
}

/**
 * Decides which batch takes the next step: the one that has taken the fewest steps recently. A small batch therefore does
 * not wait for a large one to end, and a large one keeps going however many small ones arrive: the oldest batch has half
 * the weight of all batches, so it gets at least a third of the steps. Each batch has a clock that advances with its own
 * steps, and a common clock advances with the steps of all batches, divided among them; a new batch starts at the common
 * time (weighted fair queueing, after Demers, Keshav and Shenker 1989).
 */
export class FairOrder {
  /** Clocks of the batches in the last list, by batch id. */
  #clocks = new Map<number, number>();
  #common = 0;
  #oldestId = 0;

  /** Withdrawals come first; otherwise the order is kept. */
  order(batches: readonly BatchUnderWay[]): readonly BatchUnderWay[] {
    this.#clocks = new Map(batches.map(({ id }) => [id, this.#clocks.get(id) ?? this.#common]));
    this.#oldestId = Math.min(...this.#clocks.keys());
    const clockOf = ({ id }: BatchUnderWay) => this.#clocks.get(id) as number;
    return [...batches].sort((a, b) => b.clearing - a.clearing || clockOf(a) - clockOf(b));
  }

  /** Records steps of a batch, which must be among those ordered last. */
  made(id: number, steps: number): void {
    const count = this.#clocks.size;
    const oldestWeight = Math.max(1, count / 2);
    const weight = id === this.#oldestId ? oldestWeight : 1;
    this.#clocks.set(id, (this.#clocks.get(id) ?? this.#common) + steps / weight);
    this.#common += steps / (oldestWeight + count - 1);
  }
}
