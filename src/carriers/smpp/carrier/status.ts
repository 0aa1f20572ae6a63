/** Describes the state of a link to an SMSC, in figures and in a sentence that its operator can act on. */
import type { CarrierStatus } from '../../carrier.ts';
import type { StallTimes } from '../../stall-times.ts';
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
  if (stallTimes.isNotable('throttled', now))
    return 'throttled: the SMSC refuses what is beyond its limit; set throughput to what the operator allows, or ask for more';
  if (!stallTimes.isNotable('window', now)) return null;
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
    ...stallTimes.figures(now),
    ...counted,
  };
}
