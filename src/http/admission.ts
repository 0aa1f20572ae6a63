/**
 * Decides whether this server accepts one more request. Refusing early, with Retry-After, keeps memory bounded and the
 * answers to accepted requests quick (API: errors, overload).
 *
 *   serving ──stop()──▶ stopping
 *
 * The number of concurrent requests is controlled by how long they wait: when waits are too long, the number is cut in
 * proportion; otherwise it grows.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '../foundation/errors.ts';
import { Slots } from '../foundation/slots.ts';
import { BodyRoom, type BodyRoomLimits, PacedReads } from './body-room.ts';

export interface AdmissionLimits extends BodyRoomLimits {
  /** Requests in progress at once, not counting those whose bodies are still arriving. */
  readonly maxRequests: number;
  /** This many are accepted however long requests wait: one long task, such as a slow disk, does not mean overload. */
  readonly minRequests: number;
  /** The longest allowed wait: for its turn, for the store, and for another turn to be answered. */
  readonly maxWaitMs: number;
}

const mebibyte = 1024 * 1024;

const standardAdmissionLimits: AdmissionLimits = {
  maxRequests: 2_000,
  maxBodyBytes: 512 * mebibyte,
  largeBodyBytes: 10 * mebibyte,
  reservedBodyBytes: 128 * mebibyte,
  maxUnauthenticatedBodyBytes: 128 * mebibyte,
  maxUnauthenticatedOtherBytes: 64 * mebibyte,
  minRequests: 256,
  maxWaitMs: 160,
};

/** Leaves room for a stranger's body beside that of a known caller, however large bodies may be. */
export function admissionLimitsFor(maxBodyBytes: number): AdmissionLimits {
  const { reservedBodyBytes } = standardAdmissionLimits;
  const least = 2 * maxBodyBytes + reservedBodyBytes;
  return {
    ...standardAdmissionLimits,
    maxBodyBytes: Math.max(standardAdmissionLimits.maxBodyBytes, least),
    maxUnauthenticatedBodyBytes: Math.max(standardAdmissionLimits.maxUnauthenticatedBodyBytes, maxBodyBytes),
  };
}

/** Short compared with the allowed wait, since on a busy event loop checks are as far apart as its turns. */
const lookIntervalMs = 20;
/** The factor by which the limit grows at each check that finds no wait too long. */
const growth = 1.1;
const minGrowth = 8;
/** The limit may jump to this number at once, and beyond it grows step by step. */
const unprovedRequests = 500;

/** Created once, because refusals must be cheap under overload. */
export const overloaded = new ServiceError(
  'overloaded',
  'The service is overloaded. Nothing was done; try again in a moment.',
);

const slot = Symbol('slot');
const order = Symbol('order');
const keepsAlive = Symbol('keepsAlive');
const isTaken = Symbol('isTaken');

/** A response with admission's own fields. */
type AdmittedResponse = ServerResponse & {
  [slot]?: number | undefined;
  [isTaken]?: boolean;
  /** The order in which requests began. */
  [order]?: number;
  /** Whether the response's connection would stay open if the server were not stopping. */
  [keepsAlive]?: boolean;
};

export class Admission {
  readonly bodies: BodyRoom;
  readonly pacedReads = new PacedReads();
  readonly #limits: AdmissionLimits;
  readonly #waitMs: () => number;
  readonly #waitingElsewhere: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #underWay = new Slots<AdmittedResponse>();
  /** The latest response begun on each connection while the server stops. */
  readonly #lastAnswers = new WeakMap<Socket, AdmittedResponse>();
  #begun = 0;
  /** How many requests in progress were admitted; excludes probes and refused requests. */
  #taken = 0;
  #isStopping = false;
  #currentMaxRequests: number;
  /**
   * The most requests that had a place at the same time since the last check, not counting those that waited elsewhere.
   */
  #peakWorking = 0;
  #lookedAtMs = performance.now();
  /** A reduced limit takes a while to show an effect. */
  #nextChangeMs = 0;
  #whenIdle: (() => void)[] = [];

  /**
   * `waitMs` is the longest current wait, for a turn and for the store. `waitingElsewhere` is how many requests wait in queues
   * with bounds and turns of their own: they take no place from others, whose requests may go on at once.
   */
  constructor(
    limits: AdmissionLimits,
    waitMs: () => number = () => 0,
    waitingElsewhere: () => number = () => 0,
  ) {
    this.#limits = limits;
    this.bodies = new BodyRoom(limits);
    this.#waitMs = waitMs;
    this.#waitingElsewhere = waitingElsewhere;
    this.#currentMaxRequests = Math.min(limits.maxRequests, unprovedRequests);
    this.#timer = setInterval(() => this.#adjust(), lookIntervalMs).unref();
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Whether a new request would be refused. */
  get isFull(): boolean {
    return this.#working >= this.#currentMaxRequests && !this.#isStopping;
  }

  get #working(): number {
    // Reads that wait may belong to a client that has gone, or to no request.
    return Math.max(0, this.#taken - this.#waitingElsewhere());
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** All responses in progress, begun or not. */
  get answers(): Iterable<ServerResponse> {
    return this.#underWay;
  }

  /** Admits a request that has begun, or returns the reason for refusal. */
  take(response: ServerResponse): ServiceError | undefined {
    if (this.#isStopping) {
      return new ServiceError('shutting_down', 'This server is stopping. Try again in a moment.');
    }
    return this.#takeOn(response);
  }

  /**
   * Excludes a request from the count while its body or its password check is awaited: slow senders and password guessers,
   * however many, must not shut out others.
   */
  beginWaiting(response: ServerResponse): void {
    this.#letGo(response);
  }

  /** Ends the waiting: the request is admitted again if it was excluded. Throws if there is no room. */
  takeAgain(response: ServerResponse): void {
    const overload = this.#takeOn(response);
    if (overload !== undefined) throw overload;
  }

  begin(response: AdmittedResponse): void {
    response[slot] = this.#underWay.add(response);
    response[order] = this.#begun++;
    if (this.#isStopping) this.#endBehind(response);
  }

  /** Returns false if the response had already ended. */
  end(response: AdmittedResponse): boolean {
    const wasUnderWay = response[slot] !== undefined;
    if (wasUnderWay) this.#underWay.remove(response[slot] as number);
    response[slot] = undefined;
    this.#letGo(response);
    if (this.#underWay.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    return wasUnderWay;
  }

  /** Nothing is admitted from now on. */
  stop(): void {
    this.#isStopping = true;
    clearInterval(this.#timer);
    const inOrder = [...this.#underWay].sort((one, other) => (one[order] ?? 0) - (other[order] ?? 0));
    for (const response of inOrder) this.#endBehind(response);
  }

  /** Resolves when nothing is in progress. */
  idle(): Promise<void> {
    if (this.#underWay.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  /**
   * Tells each client to reconnect, in its last response: Node closes the connection after the response that says so, and any
   * later responses would be lost.
   */
  #endBehind(response: AdmittedResponse): void {
    const { socket } = response.req;
    const before = this.#lastAnswers.get(socket);
    if (before !== undefined && !before.headersSent) before.shouldKeepAlive = before[keepsAlive] === true;
    this.#lastAnswers.set(socket, response);
    response[keepsAlive] = response.shouldKeepAlive;
    response.shouldKeepAlive = false;
  }

  #takeOn(response: AdmittedResponse): ServiceError | undefined {
    if (response[isTaken] === true || response[slot] === undefined) return undefined;
    const working = this.#working;
    if (working >= this.#currentMaxRequests) return overloaded;
    response[isTaken] = true;
    this.#taken += 1;
    if (working >= this.#peakWorking) this.#peakWorking = working + 1;
    return undefined;
  }

  #letGo(response: AdmittedResponse): void {
    if (response[isTaken] !== true) return;
    response[isTaken] = false;
    this.#taken -= 1;
  }

  #adjust(): void {
    const { minRequests, maxRequests, maxWaitMs } = this.#limits;
    const nowMs = performance.now();
    const turnMs = nowMs - this.#lookedAtMs;
    const waitMs = 2 * turnMs + this.#waitMs();
    const peak = this.#peakWorking;
    this.#lookedAtMs = nowMs;
    this.#peakWorking = this.#working;
    if (nowMs < this.#nextChangeMs) return;
    if (waitMs > maxWaitMs) {
      this.#currentMaxRequests = Math.max(minRequests, peak * (maxWaitMs / waitMs));
      this.#nextChangeMs = nowMs + waitMs;
    } else if (peak >= this.#currentMaxRequests || this.#currentMaxRequests < unprovedRequests) {
      this.#currentMaxRequests = this.#currentMaxRequests * growth + minGrowth;
    }
    this.#currentMaxRequests = Math.min(maxRequests, this.#currentMaxRequests);
  }
}
