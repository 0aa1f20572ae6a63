/**
 * Decides whether this server takes on one more request. Refusing early, with Retry-After, keeps memory bounded and the
 * answers to what was taken on quick (API: errors, overload).
 *
 *   serving ──stop()──▶ stopping
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '../foundation/errors.ts';

export interface AdmissionLimits {
  /** Requests that may be under way at once, beside those whose bodies are still coming. */
  readonly maxRequests: number;
  /** Bytes of large bodies that may be held at once. */
  readonly maxBodyBytes: number;
  /** Lateness of the event loop's timers, at two looks in a row, that counts as overload. */
  readonly maxEventLoopDelayMs: number;
}

export const standardAdmissionLimits: AdmissionLimits = {
  maxRequests: 2_000,
  maxBodyBytes: 512 * 1024 * 1024,
  maxEventLoopDelayMs: 500,
};

const lookIntervalMs = 100;

export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #timer: NodeJS.Timeout;
  readonly #underWay = new Set<ServerResponse>();
  /** Those of them that wait for their bodies: slow senders, however many, must not shut others out. */
  readonly #receiving = new Set<ServerResponse>();
  #bodyBytes = 0;
  #isStopping = false;
  #isLate = false;
  #whenIdle: (() => void)[] = [];

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
    this.#timer = this.#watchEventLoop();
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** Why a request that has begun cannot be taken on. */
  refusal(): ServiceError | undefined {
    if (this.#isStopping) {
      return new ServiceError('shutting_down', 'This server is stopping. Try again in a moment.');
    }
    return this.overload();
  }

  /** Why a request whose body has arrived cannot be served after all. */
  overload(): ServiceError | undefined {
    const working = this.#underWay.size - this.#receiving.size;
    if (!this.#isLate && working <= this.#limits.maxRequests) return undefined;
    return new ServiceError(
      'overloaded',
      'The service has as much work as it can take. Nothing was done; try again in a moment.',
    );
  }

  beginReceiving(response: ServerResponse): void {
    this.#receiving.add(response);
  }

  endReceiving(response: ServerResponse): void {
    this.#receiving.delete(response);
  }

  /** Answers under way to requests that arrived whole on this connection. */
  underWayOn(socket: Socket): readonly ServerResponse[] {
    return [...this.#underWay].filter(({ req }) => req.socket === socket && req.complete);
  }

  begin(response: ServerResponse): void {
    this.#underWay.add(response);
    if (this.#isStopping) response.shouldKeepAlive = false;
  }

  /** False when it had ended before. */
  end(response: ServerResponse): boolean {
    const wasUnderWay = this.#underWay.delete(response);
    this.#receiving.delete(response);
    if (this.#underWay.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    return wasUnderWay;
  }

  /** False when all bodies together would grow too large. */
  takeBodyBytes(count: number): boolean {
    if (this.#bodyBytes + count > this.#limits.maxBodyBytes) return false;
    this.#bodyBytes += count;
    return true;
  }

  releaseBodyBytes(count: number): void {
    this.#bodyBytes -= count;
  }

  /** From now on nothing is taken on; resolves when what was taken on is answered. */
  stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    // Each caller is told to come back on another connection.
    for (const response of this.#underWay) response.shouldKeepAlive = false;
    if (this.#underWay.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  /** One late look may be a single long task, whose victims are better answered than refused. */
  #watchEventLoop(): NodeJS.Timeout {
    let dueMs = performance.now() + lookIntervalMs;
    let wasLate = false;
    return setInterval(() => {
      const nowMs = performance.now();
      const isLate = nowMs - dueMs > this.#limits.maxEventLoopDelayMs;
      this.#isLate = isLate && wasLate;
      wasLate = isLate;
      dueMs = nowMs + lookIntervalMs;
    }, lookIntervalMs).unref();
  }
}
