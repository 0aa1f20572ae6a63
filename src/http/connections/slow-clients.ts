/**
 * Ends requests that arrive too slowly and responses that are read too slowly, since they hold memory and a connection while
 * they last. One timer checks them all.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface SlowClientLimits {
  readonly lookIntervalMs: number;
  /** A body, or the unread part of a response, has this long to get going… */
  readonly graceMs: number;
  /** …and must then be transferred at this average rate. */
  readonly minBytesPerSecond: number;
  /** A response of which nothing at all is read for this long is broken off. */
  readonly stallMs: number;
  /** For unread responses: above this, those that have waited longest are broken off. */
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
  /** Answers the connection with the error for a slow request. */
  readonly requestTooSlow: (socket: Socket) => void;
  readonly answerBrokenOff: () => void;
}

interface Progress {
  /** Counted in checks, so that no client seems slow while this process is stalled. */
  waitedMs: number;
  /** Bytes read from the connection, and bytes taken by the client, when the wait began. */
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

  /** `answers` are the responses in progress, begun or not. */
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
        // If nothing reads the body, the client is not the one causing the wait.
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
    // An earlier response precedes it on the same connection.
    if (socket === null) return false;
    const progress = this.#waited(this.#answering, response, socket);
    if (progress.waitedMs === this.#limits.lookIntervalMs) this.#breakOffWhenStalled(response);
    // The unsent rest of a single piece is not known, so bytes handed over for sending are counted rather than bytes taken by
    // the client.
    const isTooSlow = socket.bytesWritten - progress.takenBefore < this.#minBytes(progress);
    if (isTooSlow) this.#breakOff(response);
    return isTooSlow;
  }

  /** Uses Node's own timer, which ends with the response and also notices how much of a single piece the system accepts. */
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
