/**
 * Group commit: while one transaction is being made durable, the calls that arrive gather and share the next one. There is no
 * timer: an idle store commits at once, a busy one commits in ever larger groups.
 *
 *   write() ──▶ waiting ──(room in the lane)──▶ under way ──▶ answered
 *     │            └──(the group before fails)──▶ unavailable
 *     ├──(bound reached, refusable)──▶ overloaded
 *     └──(the lane stands still)──▶ unavailable
 *
 * A call that is larger than a whole group waits in a separate queue, so that the others wait for at most one such
 * transaction.
 */
import { awakeTime } from '../foundation/clock.ts';
import { ServiceError } from '../foundation/errors.ts';
import { storeUnavailable } from './store.ts';
import type { WriteVerb } from './verb.ts';

export interface VerbCall {
  // biome-ignore lint/suspicious/noExplicitAny: calls of all verbs wait in one line; each verb meets its own input only.
  readonly verb: WriteVerb<any, any>;
  readonly input: unknown;
  readonly weight: number;
  readonly arrivedAt: number;
  readonly resolve: (output: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The outcome of one call in a group. */
export type CallResult = { readonly output: unknown } | { readonly error: unknown };

export interface GroupCommitOptions {
  /** Makes one group durable. A throw counts as a failure of the whole group. */
  readonly commit: (group: readonly VerbCall[]) => Promise<readonly CallResult[]>;
  /** Maximum number of groups under way in a lane. */
  readonly depth: number;
  /**
   * Calls in the same lane share transactions. SQLite has a single lane. PostgreSQL has one per verb, and another for the
   * verb's calls that fill a transaction alone.
   */
  readonly lane: (verb: { readonly name: string }, size: Size) => string;
  /**
   * An idle lane starts once this many calls have arrived, before the current turn of the event loop ends. Otherwise, all
   * callers end up in one group, and the event loop and an in-process store take turns instead of working side by side.
   */
  readonly earlyGroup?: number;
  /**
   * Turns of the event loop between the end of a group and the start of the next, so that callers who have just been answered
   * and call again are included. The wait pays off if a transaction is expensive and each further call in it is cheap.
   */
  readonly gatherTurns?: number;
  /** Maximum number of rows per group, unless a single call exceeds it. */
  readonly maxGroupWeight: number;
  /** Maximum number of rows waiting in total. Beyond that, a call of a refusable verb is refused as overload. */
  readonly maxWaitingWeight: number;
}

/** Whether a call shares a transaction or fills one alone. */
type Size = 'usual' | 'large';

interface GroupUnderWay {
  readonly group: readonly VerbCall[];
  /** Measured in awake time: after a pause of this process, the store's answer may only be waiting to be read. */
  readonly startedAt: number;
}

interface Lane {
  waiting: VerbCall[];
  /** Calls that fill a transaction alone. Only one is under way at a time, with a group between two of them. */
  readonly large: VerbCall[];
  isLargeNext: boolean;
  /** In start order. */
  readonly underWay: GroupUnderWay[];
  /** Whether the lane is waiting between two groups. */
  isGathering: boolean;
}

/** A lane whose oldest group takes longer than this counts as stalled, and new calls are refused instead of queued. */
const stallMs = 2_000;
/** When a group fails because of the store, the calls that have waited this long behind it fail too. */
const sharedFaultMs = 1_000;

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #failures = new WriteFailures();
  /** Calls that share a transaction and calls that fill one alone have separate limits, so neither takes the other's room. */
  readonly #waitingWeight = { usual: 0, large: 0 };
  #underWay = 0;
  #whenIdle: (() => void)[] = [];

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Number of rows touched by calls that are waiting for their transaction. */
  get waitingWeight(): number {
    return this.#waitingWeight.usual + this.#waitingWeight.large;
  }

  /** How long the oldest call of usual size in the verb's lane has been waiting for its answer, in milliseconds. */
  waitMs(verb: { readonly name: string }): number {
    const lane = this.#lanes.get(this.#options.lane(verb, 'usual'));
    if (lane === undefined) return 0;
    const usual = lane.underWay.find(({ group }) => !this.#isLarge(group[0]));
    const first = usual?.group[0] ?? lane.waiting[0];
    return first === undefined ? 0 : performance.now() - first.arrivedAt;
  }

  /** False while calls of the verb fail because of the store, or while their lane is stalled. */
  worksFor(verb: { readonly name: string }): boolean {
    if (this.#failures.has(verb.name)) return false;
    const lane = this.#lanes.get(this.#options.lane(verb, 'usual'));
    return lane === undefined || !isStalled(lane);
  }

  write<Input, Output>(verb: WriteVerb<Input, Output>, input: Input): Promise<Output> {
    const weight = Math.max(1, verb.weight(input));
    const size = this.#sizeOf({ weight });
    const waitingWeight = this.#waitingWeight[size];
    const isFull = waitingWeight > 0 && waitingWeight + weight > this.#options.maxWaitingWeight;
    if (isFull && verb.refusable === true) {
      return Promise.reject(
        new ServiceError('overloaded', 'The queue of the store is full. Try again in a moment.', {
          headers: { 'retry-after': '1' },
        }),
      );
    }
    return new Promise<Output>((resolve, reject) => {
      const arrivedAt = performance.now();
      const call: VerbCall = {
        verb,
        input,
        weight,
        arrivedAt,
        resolve: resolve as VerbCall['resolve'],
        reject,
      };
      const lane = this.#laneOf(this.#options.lane(verb, size));
      if (isStalled(lane)) {
        reject(storeUnavailable(new Error(`${verb.name} is stalled`)));
        return;
      }
      const line = size === 'large' ? lane.large : lane.waiting;
      line.push(call);
      this.#waitingWeight[size] += weight;
      this.#attend(lane, line);
    });
  }

  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void> {
    if (this.waitingWeight === 0 && this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #laneOf(name: string): Lane {
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const lane: Lane = { waiting: [], large: [], isLargeNext: false, underWay: [], isGathering: false };
    this.#lanes.set(name, lane);
    return lane;
  }

  /** Ensures that a call that has just started waiting is eventually run. */
  #attend(lane: Lane, line: readonly VerbCall[]): void {
    if (lane.isGathering) return;
    if (line.length === 1 && lane.underWay.length < this.#options.depth) {
      // All calls that arrive in this turn of the event loop go together, since one turn reads from many connections.
      setImmediate(() => this.#advance(lane));
    } else if (lane.waiting.length === this.#options.earlyGroup && lane.underWay.length === 0) {
      this.#advance(lane);
    }
  }

  #gather(lane: Lane, turns: number): void {
    lane.isGathering = turns > 0;
    if (turns > 0) setImmediate(() => this.#gather(lane, turns - 1));
    else this.#advance(lane);
  }

  #advance(lane: Lane): void {
    while (lane.underWay.length < this.#options.depth) {
      const group = this.#takeLarge(lane) ?? this.#takeGroup(lane);
      if (group === undefined) return;
      const underWay = { group, startedAt: awakeTime.elapsed() };
      lane.underWay.push(underWay);
      this.#underWay += 1;
      void this.#commit(lane, underWay);
    }
  }

  #isLarge(call: VerbCall | undefined): boolean {
    return call !== undefined && this.#sizeOf(call) === 'large';
  }

  #sizeOf({ weight }: Pick<VerbCall, 'weight'>): Size {
    return weight > this.#options.maxGroupWeight ? 'large' : 'usual';
  }

  #takeLarge(lane: Lane): readonly VerbCall[] | undefined {
    const isTurn = lane.isLargeNext || lane.waiting.length === 0;
    if (!isTurn || lane.underWay.some(({ group }) => this.#isLarge(group[0]))) return undefined;
    const call = lane.large.shift();
    if (call === undefined) return undefined;
    this.#waitingWeight.large -= call.weight;
    lane.isLargeNext = false;
    return [call];
  }

  #takeGroup(lane: Lane): readonly VerbCall[] | undefined {
    if (lane.waiting.length === 0) return undefined;
    lane.isLargeNext = true;
    let weight = 0;
    let count = 0;
    for (const call of lane.waiting) {
      if (count > 0 && weight + call.weight > this.#options.maxGroupWeight) break;
      weight += call.weight;
      count += 1;
    }
    const group = count === lane.waiting.length ? lane.waiting : lane.waiting.slice(0, count);
    lane.waiting = count === lane.waiting.length ? [] : lane.waiting.slice(count);
    this.#waitingWeight.usual -= weight;
    return group;
  }

  async #commit(lane: Lane, underWay: GroupUnderWay): Promise<void> {
    const { group } = underWay;
    try {
      const settled = await this.#options.commit(group);
      for (let index = 0; index < group.length; index++)
        this.#settle(lane, group[index] as VerbCall, settled[index]);
    } catch (error) {
      for (const call of group) this.#fail(lane, call, error);
    }
    lane.underWay.splice(lane.underWay.indexOf(underWay), 1);
    this.#underWay -= 1;
    this.#gather(lane, this.#options.gatherTurns ?? 0);
    if (this.#underWay === 0 && this.waitingWeight === 0) {
      const waiters = this.#whenIdle;
      this.#whenIdle = [];
      for (const resolve of waiters) resolve();
    }
  }

  #settle(lane: Lane, call: VerbCall, settled: CallResult | undefined): void {
    if (settled === undefined) call.reject(new Error(`the store gave no answer to ${call.verb.name}`));
    else if ('error' in settled) this.#fail(lane, call, settled.error);
    else {
      this.#failures.over(call.verb.name);
      call.resolve(settled.output as never);
    }
  }

  #fail(lane: Lane, call: VerbCall, error: unknown): void {
    call.reject(error);
    if (!(error instanceof ServiceError) || error.code !== 'store_unavailable') return;
    this.#failures.add(call.verb.name);
    const now = performance.now();
    for (const line of [lane.waiting, lane.large]) {
      while (now - (line[0]?.arrivedAt ?? now) > sharedFaultMs) {
        const waited = line.shift() as VerbCall;
        this.#waitingWeight[this.#sizeOf(waited)] -= waited.weight;
        this.#failures.add(waited.verb.name);
        waited.reject(storeUnavailable(error));
      }
    }
  }
}

function isStalled({ underWay }: Lane): boolean {
  const [oldest] = underWay;
  return oldest !== undefined && awakeTime.elapsed() - oldest.startedAt > stallMs;
}

/** Splits the calls into one run per verb, in order of each verb's first call. Each run is one step over a set. */
export function byVerb<Named extends { readonly name: string }>(
  group: readonly { readonly verb: Named }[],
): readonly { readonly verb: Named; readonly indexes: readonly number[] }[] {
  const steps = new Map<string, { verb: Named; indexes: number[] }>();
  for (let index = 0; index < group.length; index++) {
    const { verb } = group[index] as { verb: Named };
    const step = steps.get(verb.name);
    if (step === undefined) steps.set(verb.name, { verb, indexes: [index] });
    else step.indexes.push(index);
  }
  return [...steps.values()];
}

/** Longer than a node's heartbeat interval, so that while heartbeats fail, the store counts as failing without a break. */
const rememberMs = 5_000;

/**
 * Remembers which verbs have recently failed because of the store. Each verb is counted separately because it may use other
 * tables.
 */
class WriteFailures {
  readonly #failedAt = new Map<string, number>();

  has(verb: string): boolean {
    const failedAt = this.#failedAt.get(verb);
    // If there has been no call since, only the next call can show whether the store works.
    return failedAt !== undefined && performance.now() - failedAt <= rememberMs;
  }

  add(verb: string): void {
    this.#failedAt.set(verb, performance.now());
  }

  /** Records that a call of the verb has succeeded. */
  over(verb: string): void {
    if (this.#failedAt.size > 0) this.#failedAt.delete(verb);
  }
}
