/**
 * Decides whether this server takes on one more request. Refusing early, with Retry-After, keeps memory bounded and the
 * answers to what was taken on quick (API: errors, overload).
 *
 *   serving ──stop()──▶ stopping
 *
 * How many requests may be under way follows from how long they wait. When that is too long, their number is cut in the
 * same proportion; while it is not, it grows.
 */
import type { ServerResponse } from 'node:http';
import { ServiceError } from '../foundation/errors.ts';
import { Slots } from '../foundation/slots.ts';
import { BodyRoom, type BodyRoomLimits } from './body-room.ts';

export interface AdmissionLimits extends BodyRoomLimits {
  /** Requests that may be under way at once, beside those whose bodies are still coming. */
  readonly maxRequests: number;
  /** So many are taken on however long they wait: a single long task, of the disk say, is no overload. */
  readonly minRequests: number;
  /** For its turn, for the store, and for another turn to be answered. */
  readonly maxWaitMs: number;
}

const mebibyte = 1024 * 1024;

const standardAdmissionLimits: AdmissionLimits = {
  maxRequests: 2_000,
  maxBodyBytes: 512 * mebibyte,
  largeBodyBytes: 10 * mebibyte,
  reservedBodyBytes: 128 * mebibyte,
  maxStrangersBodyBytes: 128 * mebibyte,
  maxStrangersOtherBytes: 64 * mebibyte,
  minRequests: 256,
  maxWaitMs: 160,
};

/** However large a body the operator allows, there is room for one of a stranger beside one of a known caller. */
export function admissionLimitsFor(maxBodyBytes: number): AdmissionLimits {
  const { reservedBodyBytes } = standardAdmissionLimits;
  const least = 2 * maxBodyBytes + reservedBodyBytes;
  return {
    ...standardAdmissionLimits,
    maxBodyBytes: Math.max(standardAdmissionLimits.maxBodyBytes, least),
    maxStrangersBodyBytes: Math.max(standardAdmissionLimits.maxStrangersBodyBytes, maxBodyBytes),
  };
}

/** Short against what may be waited: looks are as far apart as the turns of a busy event loop last. */
const lookIntervalMs = 20;
/** From one look to the next without too long a wait, so much more is taken on. */
const growth = 1.1;
const leastGrowth = 8;
/** More than so many at once must have proved, one step after the other, to be answered in time. */
const unprovedRequests = 500;

/** Made once: under overload, to refuse must cost little. */
export const overloaded = new ServiceError(
  'overloaded',
  'The service has as much work as it can take. Nothing was done; try again in a moment.',
);

const slot = Symbol('slot');
const isTaken = Symbol('isTaken');

/** A response as admission knows it. */
type Admitted = ServerResponse & { [slot]?: number | undefined; [isTaken]?: boolean };

export class Admission {
  readonly bodies: BodyRoom;
  readonly #limits: AdmissionLimits;
  readonly #waitMs: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #underWay = new Slots<ServerResponse>();
  /** How many of those under way were taken on: not the probes, nor what was refused. */
  #taken = 0;
  #isStopping = false;
  #mostRequests: number;
  /** Of those taken on at the same time since the last look. */
  #mostTaken = 0;
  #lookedAtMs = performance.now();
  /** What was cut takes its time to show. */
  #nextChangeMs = 0;
  #whenIdle: (() => void)[] = [];

  /** `waitMs` is how long those that wait longest, for their turn and for the store, have waited. */
  constructor(limits: AdmissionLimits, waitMs: () => number = () => 0) {
    this.#limits = limits;
    this.bodies = new BodyRoom(limits);
    this.#waitMs = waitMs;
    this.#mostRequests = Math.min(limits.maxRequests, unprovedRequests);
    this.#timer = setInterval(() => this.#look(), lookIntervalMs).unref();
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** What comes now would not be taken on. */
  get isFull(): boolean {
    return this.#taken >= this.#mostRequests && !this.#isStopping;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** Those under way, begun or not. */
  get answers(): Iterable<ServerResponse> {
    return this.#underWay;
  }

  /** Takes on a request that has begun, or says why not. */
  take(response: ServerResponse): ServiceError | undefined {
    if (this.#isStopping) {
      return new ServiceError('shutting_down', 'This server is stopping. Try again in a moment.');
    }
    return this.#takeOn(response);
  }

  /**
   * While its body or the check of its password is awaited it does not count: slow senders and guessers, however many, must
   * not shut others out.
   */
  beginWaiting(response: ServerResponse): void {
    this.#letGo(response);
  }

  /** It goes on: it is taken on again where it was not. Throws when for want of room it can't be. */
  takeAgain(response: ServerResponse): void {
    const overload = this.#takeOn(response);
    if (overload !== undefined) throw overload;
  }

  begin(response: Admitted): void {
    response[slot] = this.#underWay.add(response);
    if (this.#isStopping) response.shouldKeepAlive = false;
  }

  /** False when it had ended before. */
  end(response: Admitted): boolean {
    const wasUnderWay = response[slot] !== undefined;
    if (wasUnderWay) this.#underWay.remove(response[slot] as number);
    response[slot] = undefined;
    this.#letGo(response);
    if (this.#underWay.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    return wasUnderWay;
  }

  /** From now on nothing is taken on. */
  stop(): void {
    this.#isStopping = true;
    clearInterval(this.#timer);
    // Each caller is told to come back on another connection.
    for (const response of this.#underWay) response.shouldKeepAlive = false;
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    if (this.#underWay.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #takeOn(response: Admitted): ServiceError | undefined {
    if (response[isTaken] === true || response[slot] === undefined) return undefined;
    if (this.#taken >= this.#mostRequests) return overloaded;
    response[isTaken] = true;
    this.#taken += 1;
    if (this.#taken > this.#mostTaken) this.#mostTaken = this.#taken;
    return undefined;
  }

  #letGo(response: Admitted): void {
    if (response[isTaken] !== true) return;
    response[isTaken] = false;
    this.#taken -= 1;
  }

  #look(): void {
    const { minRequests, maxRequests, maxWaitMs } = this.#limits;
    const nowMs = performance.now();
    const turnMs = nowMs - this.#lookedAtMs;
    const waitMs = 2 * turnMs + this.#waitMs();
    const mostTaken = this.#mostTaken;
    this.#lookedAtMs = nowMs;
    this.#mostTaken = this.#taken;
    if (nowMs < this.#nextChangeMs) return;
    if (waitMs > maxWaitMs) {
      this.#mostRequests = Math.max(minRequests, mostTaken * (maxWaitMs / waitMs));
      this.#nextChangeMs = nowMs + waitMs;
    } else if (mostTaken >= this.#mostRequests || this.#mostRequests < unprovedRequests) {
      this.#mostRequests = this.#mostRequests * growth + leastGrowth;
    }
    this.#mostRequests = Math.min(maxRequests, this.#mostRequests);
  }
}
