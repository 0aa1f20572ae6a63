/** The kills of the crash trial: what is killed when. Everything is back at work before the traffic goes on. */
import { setTimeout as delay } from 'node:timers/promises';
import type { WholeApp } from '../harness/app.ts';
import { query } from '../harness/messaging.ts';
import type { PostgresServer } from '../harness/postgres.ts';
import { between, pick, type Random } from './random.ts';
import type { SmscProcess } from './smsc-process.ts';
import type { Outage } from './verdict.ts';
import type { Witness } from './witness.ts';

/**
 * What is killed: the node, the node during its start, the database server, one of its processes, both servers, or the SMSC.
 */
const kinds = ['node', 'start', 'database', 'backend', 'both', 'smsc'] as const;
export type KillKind = (typeof kinds)[number];

const backTimeoutMs = 60_000;
const maxFreezes = 100;
/** Longer than the SMSC takes to respond to a submission and send its receipt. */
const frozenMs = 120;

/** The processes that can be killed. */
export interface Stage {
  readonly app: WholeApp;
  readonly postgres: PostgresServer | undefined;
  readonly smsc: SmscProcess | undefined;
}

export class Kills {
  readonly counts = new Map<KillKind, number>();
  readonly outages: Outage[] = [];
  /** Milliseconds from each start of a node until it was ready. */
  readonly startMs: number[] = [];
  readonly #app: WholeApp;
  readonly #postgres: PostgresServer | undefined;
  readonly #smsc: SmscProcess | undefined;
  readonly #witness: Witness;
  readonly #random: Random;
  #hasDiedAtWork = false;

  constructor({ app, postgres, smsc }: Stage, witness: Witness, random: Random) {
    this.#app = app;
    this.#postgres = postgres;
    this.#smsc = smsc;
    this.#witness = witness;
    this.#random = random;
  }

  /** Ends when everything is back at work; returns what was killed. */
  async killOnce(): Promise<KillKind> {
    const kind = this.#nextKind();
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    const from = Date.now();
    if (kind === 'backend') await this.#killBackend();
    if (kind === 'database') await this.#killDatabase();
    if (kind === 'node' || kind === 'start' || kind === 'both') await this.#freezeAtWork();
    if (kind === 'node' || kind === 'start') await this.#app.kill();
    if (kind === 'both') await Promise.all([this.#app.kill(), this.#killDatabase()]);
    if (kind === 'start') await this.#killWhileStarting();
    if (kind === 'smsc') await this.#killSmsc();
    else if (kind === 'backend' || kind === 'database') await this.#untilServedAgain();
    else {
      await delay(between(this.#random, 0, 700));
      await this.#start();
    }
    this.outages.push({ from, to: Date.now() });
    return kind;
  }

  /** Times the first kill of a node so that it has messages in flight, whose receipts it then misses. */
  async #freezeAtWork(): Promise<void> {
    const { pid } = this.#app;
    if (this.#hasDiedAtWork || pid === undefined) return;
    this.#hasDiedAtWork = true;
    for (let freeze = 0; freeze < maxFreezes; freeze++) {
      process.kill(pid, 'SIGSTOP');
      await delay(this.#smsc === undefined ? 0 : frozenMs);
      const inHand = await this.#ask('SELECT 1 FROM messages WHERE stage = 1 LIMIT 1');
      if (inHand.length > 0) return;
      process.kill(pid, 'SIGCONT');
      await delay(10);
    }
  }

  #nextKind(): KillKind {
    if (this.#smsc !== undefined && this.#random() < 0.4) return 'smsc';
    const chance = this.#random();
    if (this.#postgres === undefined) return chance < 0.8 ? 'node' : 'start';
    if (chance < 0.5) return 'node';
    return pick(this.#random, ['start', 'database', 'backend', 'both']);
  }

  async #start(): Promise<void> {
    const startedAt = performance.now();
    await this.#app.restart();
    this.startMs.push(performance.now() - startedAt);
  }

  /** The node must find the SMSC again and submit to it. */
  async #killSmsc(): Promise<void> {
    await this.#smsc?.kill();
    await delay(between(this.#random, 0, 700));
    const isUsed = await this.#smsc?.startAndBeUsed(backTimeoutMs);
    if (isUsed === false)
      this.#witness.blame('a carrier that is back is used again', `not after ${backTimeoutMs} ms`);
  }

  async #killWhileStarting(): Promise<void> {
    const starting = this.#app.restart().catch(() => undefined);
    await delay(between(this.#random, 50, 700));
    await this.#app.kill();
    await starting;
  }

  async #killDatabase(): Promise<void> {
    await this.#postgres?.stop(pick(this.#random, ['kill', 'immediate']));
    await delay(between(this.#random, 0, 500));
    await this.#postgres?.start();
  }

  /** PostgreSQL then ends all its other processes, and recovers as after a crash. */
  async #killBackend(): Promise<void> {
    const [backend] = await this.#ask(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
       ORDER BY state LIMIT 1`,
    );
    if (backend !== undefined) process.kill(Number(backend.pid), 'SIGKILL');
  }

  /** Asks the database itself, which may still be recovering from the kill before. */
  async #ask(text: string): Promise<readonly Record<string, unknown>[]> {
    const deadline = Date.now() + backTimeoutMs;
    for (;;) {
      try {
        return await query(this.#app, text);
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await delay(20);
      }
    }
  }

  /** The node itself lives on, and must return to work without being started. */
  async #untilServedAgain(): Promise<void> {
    const witness = this.#witness;
    const before = witness.accepted.size;
    const deadline = Date.now() + backTimeoutMs;
    while (witness.accepted.size === before && this.#app.pid !== undefined && Date.now() < deadline)
      await delay(10);
    if (this.#app.pid === undefined) {
      witness.blame('a node outlives its database', `it ended:\n${this.#app.stdout.slice(-2_000)}`);
      await this.#start();
    } else if (witness.accepted.size === before)
      witness.blame('a node outlives its database', `it serves nothing after ${backTimeoutMs} ms`);
  }
}
