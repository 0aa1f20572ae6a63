/**
 * Ends requests that come too slowly and answers that are taken too slowly, since they hold memory and a connection for
 * as long as they last. One timer checks all of them.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface SlowClientLimits {
  readonly lookIntervalMs: number;
  /** A body, or what of an answer waits to be taken, has so long to get under way… */
  readonly graceMs: number;
  /** …and then so much of it comes or goes on average. */
  readonly minBytesPerSecond: number;
  /** An answer of which nothing at all is taken for so long is broken off. */
  readonly stallMs: number;
  /** Of answers that wait to be taken: beyond it, those that have waited longest are broken off. */
  readonly maxUntakenBytes: number;
}

export const standardSlowClientLimits: SlowClientLimits = {
  lookIntervalMs: 1_000,
  graceMs: 10_000,
  minBytesPerSecond: 1_000,
  stallMs: 30_000,
  maxUntakenBytes: 256 * 1024 * 1024,
};

export interface SlowClientEnds {
  /** To be answered as what it is. */
  readonly requestTooSlow: (socket: Socket) => void;
  readonly answerBrokenOff: () => void;
}

interface Progress {
  /** In looks: while this process stands still, nobody is slow. */
  waitedMs: number;
  /** What had come and gone over its connection before. */
  readonly readBefore: number;
  readonly takenBefore: number;
  isOver: boolean;
}

export class SlowClients {
  readonly #limits: SlowClientLimits;
  readonly #ends: SlowClientEnds;
  readonly #answers: Iterable<ServerResponse>;
  readonly #receiving = new WeakMap<ServerResponse, Progress>();
  readonly #answering = new WeakMap<ServerResponse, Progress>();
  readonly #timer: NodeJS.Timeout;

  /** `answers` are those under way, begun or not. */
  constructor(answers: Iterable<ServerResponse>, limits: SlowClientLimits, ends: SlowClientEnds) {
    this.#answers = answers;
    this.#limits = limits;
    this.#ends = ends;
    this.#timer = setInterval(() => this.#checkAll(), limits.lookIntervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #checkAll(): void {
    const untaken: ServerResponse[] = [];
    for (const response of this.#answers) {
      const { req } = response;
      if (response.headersSent) {
        if (response.writableLength > 0 && !this.#isTakenTooSlowly(response)) untaken.push(response);
        // Where nobody reads it, it is not the client who keeps the other waiting.
      } else if (!req.complete && req.readableFlowing === true) this.#checkRequest(response);
    }
    this.#makeRoom(untaken);
  }

  #checkRequest(response: ServerResponse): void {
    const { socket } = response.req;
    const progress = this.#waited(this.#receiving, response, socket);
    if (progress.isOver || socket.bytesRead - progress.readBefore >= this.#minBytes(progress)) return;
    progress.isOver = true;
    this.#ends.requestTooSlow(socket);
  }

  #isTakenTooSlowly(response: ServerResponse): boolean {
    const { socket } = response;
    // Before it is an earlier one on the same connection.
    if (socket === null) return false;
    const progress = this.#waited(this.#answering, response, socket);
    if (progress.waitedMs === this.#limits.lookIntervalMs) this.#breakOffWhenStalled(response);
    // What one piece has left of itself nobody tells: to be given is counted, rather than to be taken.
    const isTooSlow = socket.bytesWritten - progress.takenBefore < this.#minBytes(progress);
    if (isTooSlow) this.#breakOff(response);
    return isTooSlow;
  }

  /** Node's own timer for it, which also sees what the system takes of one piece, goes with the answer. */
  #breakOffWhenStalled(response: ServerResponse): void {
    response.setTimeout(this.#limits.stallMs, () => {
      if (response.writableLength > 0) this.#breakOff(response);
    });
  }

  #makeRoom(untaken: readonly ServerResponse[]): void {
    let bytes = untaken.reduce((sum, { writableLength }) => sum + writableLength, 0);
    const { maxUntakenBytes } = this.#limits;
    if (bytes <= maxUntakenBytes) return;
    const waitedMs = (response: ServerResponse) => this.#answering.get(response)?.waitedMs ?? 0;
    for (const response of [...untaken].sort((one, other) => waitedMs(other) - waitedMs(one))) {
      if (bytes <= maxUntakenBytes) return;
      bytes -= response.writableLength;
      this.#breakOff(response);
    }
  }

  #breakOff(response: ServerResponse): void {
    this.#ends.answerBrokenOff();
    response.destroy();
  }

  #waited(all: WeakMap<ServerResponse, Progress>, response: ServerResponse, socket: Socket): Progress {
    let progress = all.get(response);
    if (progress === undefined) {
      const takenBefore = socket.bytesWritten - response.writableLength;
      progress = { waitedMs: 0, readBefore: socket.bytesRead, takenBefore, isOver: false };
      all.set(response, progress);
    }
    progress.waitedMs += this.#limits.lookIntervalMs;
    return progress;
  }

  #minBytes({ waitedMs }: Progress): number {
    const { graceMs, minBytesPerSecond } = this.#limits;
    return ((waitedMs - graceMs) / 1_000) * minBytesPerSecond;
  }
}
