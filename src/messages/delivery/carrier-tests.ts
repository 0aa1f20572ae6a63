/** A node's part in the tests of carriers: hands them to the carriers whose connections it has, and stores what these answer. */
import type { Carrier, Outcome, OutgoingPart } from '../../carriers/carrier.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';
import type { Context } from '../../storage/context.ts';
import { type Answer, answerTest, isInTime, partOf, takeTests } from '../carrier-test.ts';

interface CarrierTestsOptions extends Context {
  /** Undefined while this node must hand nothing to carriers. */
  readonly nodeId: () => number | undefined;
  readonly carriers: () => readonly Pick<Carrier, 'id' | 'status' | 'submit'>[];
  readonly log: { warn(details: object, message: string): void };
}

const retryMs = 1_000;

export class CarrierTests {
  readonly #options: CarrierTestsOptions;
  readonly #passes: WokenLoop;
  /** Not stored yet. */
  readonly #answers: Answer[] = [];

  constructor(options: CarrierTestsOptions) {
    this.#options = options;
    const failed = (error: unknown) =>
      options.log.warn({ error }, 'tests of carriers wait for the store; trying again');
    this.#passes = new WokenLoop({ pauseMs: Infinity, retryMs, failed }, async () => {
      await this.#storeAnswers();
      await this.#take();
    });
  }

  start(): void {
    this.#passes.start();
  }

  /** Called when the carriers have answered all that they will. */
  async stop(): Promise<void> {
    await this.#passes.stop();
    await this.#storeAnswers().catch((error: unknown) =>
      this.#options.log.warn({ error }, 'what carriers answered to tests could not be stored'),
    );
  }

  /** Called when there may be something to send. */
  wake(): void {
    this.#passes.wake();
  }

  outcome({ messageId }: OutgoingPart, outcome: Outcome): void {
    this.#answers.push({ id: messageId, outcome, now: this.#options.clock.now() });
    this.wake();
  }

  async #storeAnswers(): Promise<void> {
    const { store, log } = this.#options;
    for (const answer of [...this.#answers]) {
      try {
        await store.write(answerTest, answer);
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        // The store will never take it.
        log.warn({ error, answer }, 'what a carrier answered to a test could not be stored');
      }
      this.#answers.shift();
    }
  }

  async #take(): Promise<void> {
    const { store, clock } = this.#options;
    const nodeId = this.#options.nodeId();
    const carrierIds = this.#ready.map(({ id }) => id);
    if (nodeId === undefined || carrierIds.length === 0) return;
    const tests = await store.write(takeTests, { nodeId, carrierIds, now: clock.now() });
    // The store may have taken long, and a carrier may be gone by now.
    const isStill = this.#options.nodeId() === nodeId;
    for (const test of tests) {
      const part = partOf(test);
      const carrier = this.#ready.find(({ id }) => id === test.carrierId);
      if (isStill && carrier !== undefined && isInTime(test, clock.now())) carrier.submit([part]);
      else this.outcome(part, { kind: 'givenBack', reason: storedReason({ sentence: 'test_too_late' }) });
    }
  }

  get #ready() {
    return this.#options.carriers().filter((carrier) => carrier.status().state === 'up');
  }
}
