/**
 * The crash trial of batches: a server is killed at random while batches are uploaded, become messages, are sent and are
 * aborted; afterwards each batch that was acknowledged is there as a whole, and no other batch was sent in part.
 *
 *   uploads ──▶ (live ──▶ kill ──▶ start) × kills ──▶ uploads end ──▶ all batches and messages end ──▶ verdict
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { jsonPath, listPath } from '../harness/batch-calls.ts';
import { CarrierLedger } from '../harness/carrier-ledger.ts';
import { type EngineName, freshDatabase } from '../harness/engines.ts';
import { query } from '../harness/messaging.ts';
import { credentialsOf, provisioningOf } from './accounts.ts';
import { judgeBatches, numberOf, type Upload } from './batch-verdict.ts';
import { between, type Random, seeded } from './random.ts';
import { type Offence, Witness } from './witness.ts';

export interface BatchTrialOptions {
  readonly engine: EngineName;
  readonly kills: number;
  readonly seed: number;
  /** Minimum milliseconds that a node serves before the next kill. However slow it is, it first acknowledges some batches. */
  readonly lifeMs: readonly [number, number];
  readonly largest: number;
}

export interface BatchTrialReport {
  readonly acknowledged: number;
  readonly unanswered: number;
  readonly repeated: number;
  readonly aborted: number;
  /** The number of starts at which a batch was half done. */
  readonly interrupted: number;
  readonly messages: number;
  readonly offences: readonly Offence[];
  readonly output: string;
}

const clients = 3;
const leastAcknowledged = 2;
const lifeTimeoutMs = 30_000;
const endTimeoutMs = 120_000;

export async function batchTrial(options: BatchTrialOptions): Promise<BatchTrialReport> {
  const ledger = new CarrierLedger();
  const database = options.engine === 'postgres' ? await freshDatabase() : undefined;
  const env = { ...ledger.env, ...(database === undefined ? {} : { DATABASE_URL: database.url }) };
  let app: WholeApp | undefined;
  try {
    app = await startWholeApp({ engine: 'sqlite', env, provisioning: provisioningOf(undefined) });
    return await new BatchTrial(options, app, ledger).run();
  } finally {
    await app?.close();
    await database?.drop();
    ledger.remove();
  }
}

class BatchTrial {
  readonly #options: BatchTrialOptions;
  readonly #app: WholeApp;
  readonly #ledger: CarrierLedger;
  readonly #random: Random;
  readonly #witness = new Witness();
  readonly #uploads: Upload[] = [];
  readonly #counts = { repeated: 0, aborted: 0, interrupted: 0 };
  #goesOn = true;

  constructor(options: BatchTrialOptions, app: WholeApp, ledger: CarrierLedger) {
    this.#options = options;
    this.#app = app;
    this.#ledger = ledger;
    this.#random = seeded(options.seed);
  }

  async run(): Promise<BatchTrialReport> {
    const { kills, seed } = this.#options;
    const traffic = Promise.all(
      Array.from({ length: clients }, (_, client) => this.#send(client, seeded(seed + 1_000 * (client + 1)))),
    );
    traffic.catch(() => undefined);
    for (let kill = 1; kill <= kills; kill++) {
      await this.#live();
      if (kill % 2 === 0) await this.#freezeUnderWay();
      await this.#app.kill();
      const [row] = await query(this.#app, 'SELECT COUNT(*) AS count FROM batches WHERE code IN (1, 2, 3)');
      if (Number(row?.count) > 0) this.#counts.interrupted += 1;
      await this.#app.restart();
      await this.#abortOne();
    }
    await this.#live();
    this.#goesOn = false;
    await traffic;
    await this.#untilAllEnded();
    const messages = await judgeBatches(this.#witness, this.#app, this.#uploads, this.#ledger.read());
    return {
      ...this.#counts,
      acknowledged: this.#uploads.filter(({ batchId }) => batchId !== undefined).length,
      unanswered: this.#uploads.filter(({ batchId }) => batchId === undefined).length,
      messages,
      offences: this.#witness.offences,
      output: this.#app.stdout,
    };
  }

  /**
   * Sends one batch after the other. If no answer comes, the same batch is sent again under its key, or given up if it
   * has no key.
   */
  async #send(client: number, random: Random): Promise<void> {
    for (let number = 0; this.#goesOn; number++) {
      const conversation = `${client}-${number}`;
      const first = 46_700_000_020 + client * 30_000_000 + number * 300_000;
      const count = between(random, 1, this.#options.largest);
      const upload: Upload = { conversation, first, count, batchId: undefined, aborted: false };
      this.#uploads.push(upload);
      const isRepeatable = random() < 0.5;
      do {
        upload.batchId = await this.#post(upload, random() < 0.5, isRepeatable ? conversation : undefined);
        if (upload.batchId === undefined) await delay(25);
        if (upload.batchId === undefined && isRepeatable) this.#counts.repeated += 1;
      } while (upload.batchId === undefined && isRepeatable && this.#goesOn);
      await delay(between(random, 0, 400));
    }
  }

  /** Returns undefined if there is no answer, or an answer that says that the outcome is unknown. */
  async #post(upload: Upload, asList: boolean, key: string | undefined): Promise<string | undefined> {
    // A repeat under a key has the same form.
    const isList = key === undefined ? asList : upload.count % 2 === 0;
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const numbers = Array.from({ length: upload.count }, (_, place) => numberOf(upload, place));
    const { conversation } = upload;
    const client = this.#app.as(credentialsOf('alice'));
    const sent = isList
      ? client.request('POST', `${listPath}?BX=${conversation}&M8=Hello`, {
          body: numbers.map((number) => `${number};;`).join('\n'),
          headers,
        })
      : client.request('POST', jsonPath, {
          body: JSON.stringify({
            batchconversation: conversation,
            message: 'Hello',
            batch: numbers.map((t) => ({ t })),
          }),
          headers: { 'content-type': 'application/json', ...headers },
        });
    const answer = await sent.catch(() => undefined);
    if (answer?.status === 200) return answer.body.batchid as string;
    if (answer !== undefined && answer.status !== 503)
      this.#witness.blame('a batch is taken in', `${answer.status}: ${answer.text}`);
    return undefined;
  }

  async #live(): Promise<void> {
    const acknowledged = () => this.#uploads.filter(({ batchId }) => batchId !== undefined).length;
    const enough = acknowledged() + leastAcknowledged;
    const deadline = performance.now() + lifeTimeoutMs;
    await delay(between(this.#random, ...this.#options.lifeMs));
    while (acknowledged() < enough && performance.now() < deadline) await delay(5);
  }

  /** Makes some kills hit a batch between two of its steps: the server is suspended there until it is killed. */
  async #freezeUnderWay(): Promise<void> {
    const { pid } = this.#app;
    const isUnderWay = async () =>
      (await query(this.#app, 'SELECT 1 FROM batches WHERE code IN (1, 2, 3) LIMIT 1')).length > 0;
    const deadline = performance.now() + lifeTimeoutMs;
    while (pid !== undefined && performance.now() < deadline) {
      if (await isUnderWay()) {
        process.kill(pid, 'SIGSTOP');
        if (await isUnderWay()) return;
        process.kill(pid, 'SIGCONT');
      }
      await delay(5);
    }
  }

  /** Aborts a batch that is in progress or has waiting messages. */
  async #abortOne(): Promise<void> {
    const [row] = await query(
      this.#app,
      'SELECT id FROM batches WHERE code IN (0, 1, 2, 3) ORDER BY id DESC LIMIT 1',
    );
    const upload = this.#uploads.find(({ batchId }) => row !== undefined && batchId === String(row.id));
    if (upload === undefined) return;
    upload.aborted = true;
    const { exitCode, stdout, stderr } = await this.#app.run('batch', 'abort', String(upload.batchId));
    if (exitCode === 0) this.#counts.aborted += 1;
    else this.#witness.blame('a batch can be aborted', `${stdout}${stderr}`);
  }

  async #untilAllEnded(): Promise<void> {
    const deadline = Date.now() + endTimeoutMs;
    for (;;) {
      const open = await query(
        this.#app,
        `SELECT id FROM batches WHERE code IN (1, 2, 3) OR clearing = 1
         UNION ALL SELECT id FROM messages WHERE stage IS NOT NULL LIMIT 1`,
      );
      if (open.length === 0) return;
      if (Date.now() > deadline)
        return this.#witness.blame('all batches and messages come to an end', JSON.stringify(open[0]));
      await delay(100);
    }
  }
}
