/**
 * The crash trial: a server under traffic of every kind is killed at random moments, again and again. Its database server,
 * with the server or alone, and the SMSC behind its carriers are killed too. Afterwards every rule that a crash must not break
 * is checked.
 *
 *   traffic ──▶ (live ──▶ kill ──▶ down ──▶ start) × kills ──▶ traffic ends ──▶ all messages end ──▶ verdict
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { CarrierLedger } from '../harness/carrier-ledger.ts';
import type { EngineName } from '../harness/engines.ts';
import { statusPath } from '../harness/messaging.ts';
import { createDatabase, startPostgres } from '../harness/postgres.ts';
import { provisioningOf, type Username } from './accounts.ts';
import { type Actor, ask, type Scene } from './client.ts';
import { checkDatabase } from './database-check.ts';
import { type KillKind, Kills, type Stage } from './kills.ts';
import { between, type Random, seeded } from './random.ts';
import { reading, takeIncoming, takeStatuses } from './reading.ts';
import { sending, shortLived } from './sending.ts';
import { SmscProcess } from './smsc-process.ts';
import { judgeSmsc, type SmscFigures } from './smsc-verdict.ts';
import {
  type Evidence,
  judgeAcceptance,
  judgeBooks,
  judgeDelivery,
  judgeLeases,
  judgeReading,
  judgeSchedules,
  judgeStatuses,
  readMessages,
  untilAllEnded,
} from './verdict.ts';
import { type Offence, Witness } from './witness.ts';

export type CarrierKind = 'simulator' | 'smpp';

export interface TrialOptions {
  readonly engine: EngineName;
  /** smpp: an SMSC in its own process, which is killed too; simulator, the default: within the server. */
  readonly carrier?: CarrierKind;
  readonly kills: number;
  readonly seed: number;
  /** The minimum milliseconds that a node serves before the next kill. */
  readonly lifeMs: readonly [number, number];
  /** Messages that are accepted in each life, however slow the machine; none by default. */
  readonly leastAccepted?: number;
  readonly latestScheduleMs: number;
  /** Whether to include messages that expire, which takes more than a minute. */
  readonly withExpiry: boolean;
  readonly onProgress?: (progress: string) => void;
}

export interface TrialReport {
  readonly kills: ReadonlyMap<KillKind, number>;
  readonly counts: Witness['counts'];
  readonly accepted: number;
  readonly stored: number;
  readonly inDoubt: number;
  /** The messages in doubt that a carrier was in fact handed twice. */
  readonly sentTwice: number;
  readonly expired: number;
  readonly cancelled: number;
  /** Items marked as read by a call whose answer was lost. */
  readonly unseen: { readonly statuses: number; readonly incoming: number };
  readonly incoming: number;
  readonly scheduled: { readonly count: number; readonly latestMs: number };
  /** Milliseconds from each start of a node until it was ready. */
  readonly startMs: readonly number[];
  /** From the SMSC's own file, if there is one. */
  readonly smsc: SmscFigures | undefined;
  readonly offences: readonly Offence[];
  /** Everything that the node has written. */
  readonly output: string;
}

export async function crashTrial(options: TrialOptions): Promise<TrialReport> {
  const ledger = new CarrierLedger();
  const smsc = options.carrier === 'smpp' ? await SmscProcess.start() : undefined;
  const postgres = options.engine === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  let app: WholeApp | undefined;
  try {
    const database = postgres === undefined ? {} : { DATABASE_URL: await createDatabase(postgres.url) };
    // The database is ours, so the harness need not create one.
    const env = { ...ledger.env, ...database };
    app = await startWholeApp({ engine: 'sqlite', env, provisioning: provisioningOf(smsc?.port) });
    return await new Trial(options, { app, postgres, smsc }, ledger).run();
  } finally {
    await app?.close();
    await postgres?.close();
    await smsc?.close();
    ledger.remove();
  }
}

const endTimeoutMs = 120_000;
const expiryTimeoutMs = 75_000;
const lifeTimeoutMs = 30_000;
const maxPages = 200;

class Trial {
  readonly #options: TrialOptions;
  readonly #app: WholeApp;
  readonly #smsc: SmscProcess | undefined;
  readonly #ledger: CarrierLedger;
  readonly #witness = new Witness();
  readonly #random: Random;
  readonly #kills: Kills;
  #goesOn = true;

  constructor(options: TrialOptions, stage: Stage, ledger: CarrierLedger) {
    this.#options = options;
    this.#app = stage.app;
    this.#smsc = stage.smsc;
    this.#ledger = ledger;
    this.#random = seeded(options.seed);
    this.#kills = new Kills(stage, this.#witness, this.#random);
  }

  async run(): Promise<TrialReport> {
    const { kills, withExpiry } = this.#options;
    const actors = [...sending, ...reading, ...(withExpiry ? [shortLived] : [])];
    const traffic = Promise.all(actors.map((actor, index) => this.#begin(actor, index)));
    // A fault of the trial itself is reported when all is over, not in the middle of a kill.
    traffic.catch(() => undefined);
    for (let kill = 1; kill <= kills; kill++) {
      await this.#live();
      const from = Date.now();
      const kind = await this.#kills.killOnce();
      const { accepted } = this.#witness;
      this.#options.onProgress?.(
        `kill ${kill}: ${kind}, back after ${Date.now() - from} ms, ${accepted.size} accepted`,
      );
    }
    await this.#live();
    await this.#until(() => this.#isOfEachKind());
    this.#goesOn = false;
    await traffic;
    return this.#judge();
  }

  /** Waits for the set time, and then until enough is accepted, because a busy machine does less in the same time. */
  async #live(): Promise<void> {
    const { lifeMs, leastAccepted = 0 } = this.#options;
    const { accepted } = this.#witness;
    const enough = accepted.size + leastAccepted;
    await delay(between(this.#random, ...lifeMs));
    await this.#until(() => accepted.size >= enough);
  }

  async #until(isSo: () => boolean): Promise<void> {
    const deadline = performance.now() + lifeTimeoutMs;
    while (!isSo() && performance.now() < deadline) await delay(5);
  }

  #isOfEachKind(): boolean {
    const { counts, cancelled, incomingStored } = this.#witness;
    return counts.repeated > 0 && cancelled.size > 0 && incomingStored.size > 0;
  }

  #begin(actor: Actor, index: number): Promise<void> {
    return actor(this.#scene(seeded(this.#options.seed + 1_000 * (index + 1))));
  }

  #scene(random: Random): Scene {
    return {
      app: this.#app,
      witness: this.#witness,
      random,
      goesOn: () => this.#goesOn,
      settings: this.#options,
    };
  }

  async #judge(): Promise<TrialReport> {
    const witness = this.#witness;
    const app = this.#app;
    await untilAllEnded(app, endTimeoutMs + (this.#options.withExpiry ? expiryTimeoutMs : 0));
    const scene = this.#scene(this.#random);
    // The number of pages is bounded, because items that are never marked would be read endlessly.
    for (let turn = 0; turn < maxPages && (await takeStatuses(scene, 1_000)) > 0; turn++);
    for (let turn = 0; turn < maxPages && (await takeIncoming(scene, 1_000)) > 0; turn++);
    const evidence: Evidence = {
      messages: await readMessages(app),
      handed: this.#ledger.read(),
      outages: this.#kills.outages,
    };
    judgeAcceptance(witness, evidence);
    judgeDelivery(witness, evidence);
    const lateness = judgeSchedules(witness, evidence);
    await judgeBooks(witness, app, evidence);
    await judgeLeases(witness, app);
    const smsc = this.#smsc && (await judgeSmsc(witness, app, this.#smsc, evidence));
    const unseen = await judgeReading(witness, app, evidence);
    await judgeStatuses(witness, async (username, id) => {
      const answer = await ask(scene, username as Username, statusPath, { id, markasread: false });
      return answer === undefined ? id : answer.body.notfound;
    });
    witness.blame('the database is sound', ...(await checkDatabase(app)));
    const exitCode = await app.stop();
    if (exitCode !== 0) witness.blame('the server ends in order', `exit code ${exitCode}`);
    return { ...this.#report(evidence, lateness, unseen), smsc };
  }

  #report(
    { messages, handed }: Evidence,
    lateness: readonly number[],
    unseen: TrialReport['unseen'],
  ): Omit<TrialReport, 'smsc'> {
    const witness = this.#witness;
    const doubtful = messages.filter(({ inDoubt }) => inDoubt);
    return {
      kills: this.#kills.counts,
      counts: witness.counts,
      accepted: witness.accepted.size,
      stored: messages.length,
      inDoubt: doubtful.length,
      sentTwice: doubtful.filter(({ id }) => (handed.get(id)?.times ?? 0) > 1).length,
      expired: messages.filter(({ expiredByTimer }) => expiredByTimer).length,
      cancelled: witness.cancelled.size,
      unseen,
      incoming: witness.incomingStored.size,
      scheduled: { count: lateness.length, latestMs: Math.max(0, ...lateness) },
      startMs: this.#kills.startMs,
      offences: witness.offences,
      output: this.#app.stdout,
    };
  }
}
