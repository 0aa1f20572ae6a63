/**
 * An open loop: requests leave on schedule whether or not earlier ones are answered, like those of many independent callers.
 * It runs as its own process that takes the plan as JSON and writes the result as JSON to standard output.
 */
import { connect, type Socket } from 'node:net';

export interface OpenLoopPlan {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
  /** Requests that a connection may have in progress. Beyond that the schedule slips, which is reported. */
  readonly depth: number;
  /** Additional requests per second, each on a connection of its own like those of new clients. */
  readonly newPerSecond: number;
}

export interface Latencies {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface OpenLoopResult {
  readonly offeredPerSecond: number;
  /** Planned requests that found no free connection. */
  readonly heldBackPerSecond: number;
  readonly answers: Readonly<Record<string, Latencies>>;
  /** Requests on connections of their own, timed from opening the connection: accepted, refused or unanswered. */
  readonly onNewConnections: Latencies & { readonly accepted: number };
  /** The number of 503 and 429 answers without Retry-After. */
  readonly withoutRetryAfter: number;
  readonly unanswered: number;
  /** The time between two turns of this process's event loop. Anything over 1 ms is this process's delay, not the server's. */
  readonly ownTurns: Latencies;
}

class Histogram {
  readonly #counts = new Map<number, number>();
  #count = 0;
  #maxMs = 0;

  add(ms: number): void {
    const bucket = ms < 100 ? Math.round(ms * 10) / 10 : Math.round(ms);
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1);
    this.#count += 1;
    this.#maxMs = Math.max(this.#maxMs, ms);
  }

  get latencies(): Latencies {
    return {
      count: this.#count,
      p50Ms: this.#quantile(0.5),
      p99Ms: this.#quantile(0.99),
      maxMs: this.#maxMs,
    };
  }

  #quantile(share: number): number {
    let left = this.#count * share;
    for (const [bucket, count] of [...this.#counts].sort(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return bucket;
    }
    return 0;
  }
}

type Answered = (status: string, ms: number, hasRetryAfter: boolean) => void;

class Connection {
  readonly #socket: Socket;
  readonly #sentAt: number[] = [];
  readonly #answered: Answered;
  #text = '';

  constructor(port: number, answered: Answered) {
    this.#answered = answered;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.setEncoding('latin1').on('data', (chunk: string) => this.#read(chunk));
    this.#socket.on('error', () => undefined);
  }

  get underWay(): number {
    return this.#sentAt.length;
  }

  send(request: Buffer): void {
    this.#sentAt.push(performance.now());
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#text += chunk;
    for (;;) {
      const headEnd = this.#text.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = this.#text.slice(0, headEnd);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (this.#text.length < end) return;
      this.#text = this.#text.slice(end);
      const ms = performance.now() - (this.#sentAt.shift() as number);
      this.#answered(head.slice(9, 12), ms, /\r\nretry-after: \d/i.test(head));
    }
  }
}

/** Sends scheduled requests, each on a connection of its own. */
class NewClients {
  readonly #plan: OpenLoopPlan;
  readonly #request: Buffer;
  readonly #histogram = new Histogram();
  readonly #waiting = new Set<number>();
  #sent = 0;
  #accepted = 0;

  constructor(plan: OpenLoopPlan, request: Buffer) {
    this.#plan = plan;
    this.#request = request;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  sendDue(elapsedS: number): void {
    for (let due = Math.floor(this.#plan.newPerSecond * elapsedS) - this.#sent; due > 0; due--) this.#send();
  }

  /** Requests without an answer have waited until now. */
  get result(): OpenLoopResult['onNewConnections'] {
    for (const sentAt of this.#waiting) this.#histogram.add(performance.now() - sentAt);
    this.#waiting.clear();
    return { ...this.#histogram.latencies, accepted: this.#accepted };
  }

  #send(): void {
    this.#sent += 1;
    const sentAt = performance.now();
    this.#waiting.add(sentAt);
    const connection = new Connection(this.#plan.port, (status, ms) => {
      if (status === '200') this.#accepted += 1;
      this.#waiting.delete(sentAt);
      this.#histogram.add(ms);
      connection.close();
    });
    connection.send(this.#request);
  }
}

/** How long to wait for answers after the last request. */
const lastAnswersMs = 15_000;

async function run(plan: OpenLoopPlan): Promise<OpenLoopResult> {
  const histograms = new Map<string, Histogram>();
  let withoutRetryAfter = 0;
  const answered: Answered = (status, ms, hasRetryAfter) => {
    const histogram = histograms.get(status) ?? new Histogram();
    histograms.set(status, histogram);
    histogram.add(ms);
    if ((status === '503' || status === '429') && !hasRetryAfter) withoutRetryAfter += 1;
  };
  const connections = Array.from({ length: plan.connections }, () => new Connection(plan.port, answered));
  const request = requestOf(plan);
  const newClients = new NewClients(plan, request);
  const startedAt = performance.now();
  let sent = 0;
  let heldBack = 0;
  let next = 0;
  const turns = new Histogram();
  let turnedAt = startedAt;
  for (;;) {
    turns.add(performance.now() - turnedAt);
    turnedAt = performance.now();
    const elapsedS = (performance.now() - startedAt) / 1_000;
    if (elapsedS >= plan.seconds) break;
    newClients.sendDue(elapsedS);
    for (let due = Math.floor(plan.perSecond * elapsedS) - sent - heldBack; due > 0; due--) {
      let tried = 0;
      while (tried < connections.length && at(connections, next).underWay >= plan.depth) {
        next += 1;
        tried += 1;
      }
      if (tried === connections.length) {
        heldBack += due;
        break;
      }
      at(connections, next).send(request);
      next += 1;
      sent += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const underWay = () => connections.reduce((sum, connection) => sum + connection.underWay, 0);
  const deadline = performance.now() + lastAnswersMs;
  while (underWay() + newClients.waiting > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const unanswered = underWay();
  for (const connection of connections) connection.close();
  return {
    offeredPerSecond: sent / seconds,
    heldBackPerSecond: heldBack / seconds,
    answers: Object.fromEntries([...histograms].map(([status, { latencies }]) => [status, latencies])),
    onNewConnections: newClients.result,
    withoutRetryAfter,
    unanswered,
    ownTurns: turns.latencies,
  };
}

function at(connections: readonly Connection[], index: number): Connection {
  return connections[index % connections.length] as Connection;
}

function requestOf({ port, path, headers, body }: OpenLoopPlan): Buffer {
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

const [, , plan] = process.argv;
if (plan !== undefined && process.argv[1]?.endsWith('open-loop.ts') === true) {
  console.log(JSON.stringify(await run(JSON.parse(plan) as OpenLoopPlan)));
}
