/** Describes the state of a link to an SMSC, in figures and in a sentence that its operator can act on. */
import type { CarrierStatus } from '../../carrier.ts';
import type { Bind } from '../link/bind.ts';
import type { LinkCounters } from '../link/counters.ts';

export interface LinkState {
  /** How many submitted parts each bind may have without a response. */
  readonly window: number;
  readonly binds: readonly Pick<Bind, 'role' | 'isBound' | 'reason'>[];
  readonly counters: LinkCounters;
  readonly stallTimes: StallTimes;
  /** Undefined until the SMSC's first response. */
  readonly roundTripMs: number | undefined;
  /** Parts in the windows; `waiting` counts the parts that wait for a place in a window. */
  readonly underWay: number;
  readonly waiting: number;
  readonly isStopping: boolean;
}

/** A cause that held submissions up for more than this share of the last seconds is mentioned. */
const notableShare = 0.5;

/** `last` is the previous status, `time` the current time of day. */
export function smppStatus(last: CarrierStatus, time: number, link: LinkState): CarrierStatus {
  const state = stateOf(last, link);
  return {
    state,
    since: state === last.state ? last.since : time,
    reason: reasonOf(state, link),
    figures: figuresOf(link),
    ...(link.counters.damage === undefined ? {} : { damage: link.counters.damage }),
  };
}

function stateOf(last: CarrierStatus, { binds, isStopping }: LinkState): CarrierStatus['state'] {
  if (isStopping) return 'down';
  const outgoing = binds.filter(({ role }) => role !== 'receiver');
  if (outgoing.some(({ isBound }) => isBound)) return 'up';
  const hasFailed = last.state !== 'starting' || outgoing.every(({ reason }) => reason !== null);
  return hasFailed ? 'down' : 'starting';
}

function reasonOf(state: CarrierStatus['state'], link: LinkState): string | null {
  const { binds, isStopping } = link;
  if (isStopping) return 'it was stopped';
  const failed = binds.filter(({ isBound, reason }) => !isBound && reason !== null);
  const why = failed[0]?.reason ?? null;
  if (state !== 'up') return why;
  if (why !== null) return `${failed.length} of ${binds.length} binds are not up: ${why}`;
  return slowness(link);
}

function slowness({ window, stallTimes, roundTripMs, binds }: LinkState): string | null {
  const now = performance.now();
  if (stallTimes.share('throttled', now) > notableShare)
    return 'throttled: the SMSC refuses what is beyond its limit; set throughput to what the operator allows, or ask for more';
  if (stallTimes.share('window', now) <= notableShare) return null;
  const submitting = binds.filter(({ role, isBound }) => isBound && role !== 'receiver').length;
  const pace =
    roundTripMs === undefined
      ? ''
      : `, and a response takes about ${roundTripMs.toFixed(0)} ms: no more than ${Math.floor((submitting * window * 1_000) / Math.max(1, roundTripMs))} parts/s`;
  return `window-limited: ${submitting} × ${window} parts may await a response${pace}; ask the operator for a larger window or more binds`;
}

function figuresOf({ window, binds, counters, stallTimes, roundTripMs, underWay, waiting }: LinkState) {
  const now = performance.now();
  const submitting = binds.filter(({ role, isBound }) => isBound && role !== 'receiver').length;
  const { damage: _, ...counted } = counters;
  return {
    binds: binds.length,
    bindsUp: binds.filter(({ isBound }) => isBound).length,
    windowParts: submitting * window,
    windowUsed: underWay,
    waitingParts: waiting,
    ...(roundTripMs === undefined ? {} : { roundTripSeconds: roundTripMs / 1_000 }),
    windowLimitedShare: stallTimes.share('window', now),
    windowLimitedSeconds: stallTimes.seconds('window', now),
    throughputLimitedSeconds: stallTimes.seconds('throughput', now),
    throttledSeconds: stallTimes.seconds('throttled', now),
    ...counted,
  };
}

export type StallCause =
  /** The window is full. */
  | 'window'
  /** The carrier's throughput setting is reached. */
  | 'throughput'
  /** The SMSC throttles us. */
  | 'throttled'
  /** Data written earlier has not been sent yet. */
  | 'network'
  /** No bind is up. */
  | 'link'
  /** The node's lease has expired. */
  | 'lease'
  | 'none';

const intervalMs = 10_000;

function noTimes(): Record<StallCause, number> {
  return { window: 0, throughput: 0, throttled: 0, network: 0, link: 0, lease: 0, none: 0 };
}

/** Measures how long submissions were held up, and by which cause: the answer to "why is it so slow?". */
export class StallTimes {
  readonly #total = noTimes();
  #current: StallCause = 'none';
  #since: number;
  #interval = noTimes();
  #intervalBegan: number;
  #lastInterval = noTimes();

  constructor(now: number) {
    this.#since = now;
    this.#intervalBegan = now;
  }

  get current(): StallCause {
    return this.#current;
  }

  /** Sets the cause from now on. Cheap when nothing changes. */
  note(cause: StallCause): void {
    if (cause === this.#current) return;
    this.#settle(performance.now());
    this.#current = cause;
  }

  /** The total since the start. */
  seconds(cause: StallCause, now: number): number {
    this.#settle(now);
    return this.#total[cause] / 1_000;
  }

  /** The share of about the last ten seconds, from 0 to 1. */
  share(cause: StallCause, now: number): number {
    this.#settle(now);
    const age = now - this.#intervalBegan;
    // The previous interval stands in for the missing part of the current one.
    const lacking = Math.max(0, 1 - age / intervalMs);
    return Math.min(1, this.#interval[cause] / intervalMs + this.#lastInterval[cause] * lacking);
  }

  #settle(now: number): void {
    const elapsed = now - this.#since;
    this.#since = now;
    this.#total[this.#current] += elapsed;
    this.#interval[this.#current] += elapsed;
    const age = now - this.#intervalBegan;
    if (age < intervalMs) return;
    for (const cause of Object.keys(this.#interval) as StallCause[]) {
      this.#lastInterval[cause] = this.#interval[cause] / age;
    }
    this.#interval = noTimes();
    this.#intervalBegan = now;
  }
}
