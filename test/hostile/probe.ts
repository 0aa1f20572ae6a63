/**
 * A customer alongside an attack: it makes calls on a schedule, whether or not earlier ones have been answered, and measures
 * how long each waited. It runs as a separate process, so that neither the attacker's nor the server's work counts as
 * waiting.
 */
import { Agent, request } from 'node:http';

export interface ProbePlan {
  readonly port: number;
  /** The calls, made in rotation. */
  readonly calls: readonly ProbeCall[];
  readonly everyMs: number;
}

export interface ProbeCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What happened since the previous report. */
export interface ProbeReport {
  readonly calls: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Calls without a 200, by status and code or by how they ended without a response. */
  readonly refused: Readonly<Record<string, number>>;
}

/** One in this many calls uses a new connection, as a new client would. */
const newConnectionEvery = 8;
const patienceMs = 60_000;
const watchMs = 2;

interface Answered {
  readonly waitedMs: number;
  readonly outcome: string;
}

const accepted = '200';

/** How late this process's own turns were; the time a call waits for them is not the server's doing. */
class OwnLateness {
  #totalMs = 0;
  #lookedAt = performance.now();

  watch(): void {
    setInterval(() => this.totalMs, watchMs);
  }

  get totalMs(): number {
    const now = performance.now();
    this.#totalMs += Math.max(0, now - this.#lookedAt - 2 * watchMs);
    this.#lookedAt = now;
    return this.#totalMs;
  }
}

class Probe {
  readonly #plan: ProbePlan;
  readonly #kept = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #lateness = new OwnLateness();
  #underWay = new Set<number>();
  #answered: Answered[] = [];
  #sent = 0;

  constructor(plan: ProbePlan) {
    this.#plan = plan;
  }

  start(): void {
    this.#lateness.watch();
    setInterval(() => this.#send(), this.#plan.everyMs);
  }

  /** A call still without a response has waited until now. */
  report(): ProbeReport {
    const now = performance.now();
    const waits = [
      ...this.#answered.map(({ waitedMs }) => waitedMs),
      ...[...this.#underWay].map((at) => now - at),
    ].sort((a, b) => a - b);
    const refused: Record<string, number> = {};
    for (const { outcome } of this.#answered)
      if (outcome !== accepted) refused[outcome] = (refused[outcome] ?? 0) + 1;
    this.#answered = [];
    return {
      calls: waits.length,
      p99Ms: waits[Math.floor(waits.length * 0.99)] ?? 0,
      longestMs: waits.at(-1) ?? 0,
      refused,
    };
  }

  #send(): void {
    const { calls, port } = this.#plan;
    const call = calls[this.#sent % calls.length] as ProbeCall;
    const agent = this.#sent++ % newConnectionEvery === 0 ? false : this.#kept;
    const [at, lateBefore] = [performance.now(), this.#lateness.totalMs];
    this.#underWay.add(at);
    const done = (outcome: string) => {
      if (!this.#underWay.delete(at)) return;
      const waitedMs = performance.now() - at - (this.#lateness.totalMs - lateBefore);
      this.#answered.push({ waitedMs: Math.max(0, waitedMs), outcome });
    };
    const { method, path, headers, body } = call;
    const sent = request({ port, host: '127.0.0.1', agent, method, path, headers, timeout: patienceMs });
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => done(outcomeOf(response.statusCode, text)));
      response.on('error', (error) => done(error.message));
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', (error) => done(error.message));
    sent.end(body);
  }
}

function outcomeOf(status: number | undefined, text: string): string {
  if (status === 200) return accepted;
  return `${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''} ${/"error":"([^"]*)"/.exec(text)?.[1] ?? ''}`.trim();
}

const [, , plan] = process.argv;
if (plan !== undefined && process.send !== undefined) {
  const probe = new Probe(JSON.parse(plan) as ProbePlan);
  process.on('message', () => process.send?.(probe.report()));
  process.on('disconnect', () => process.exit());
  // The parent process may have ended meanwhile.
  if (process.connected) probe.start();
}
