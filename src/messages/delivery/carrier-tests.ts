/** A node's part in the tests of carriers: hands them to the carriers whose connections it has, and stores what these answer. */
import type { Carrier, Outcome, OutgoingPart } from '../../carriers/carrier.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';
import type { Context } from '../../storage/context.ts';
import { answerTest, partOf, takeTests } from '../carrier-test.ts';

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

  constructor(options: CarrierTestsOptions) {
    this.#options = options;
    const failed = (error: unknown) => {
      options.log.warn({ error }, 'tests of carriers could not be read; trying again');
      this.wake();
    };
    this.#passes = new WokenLoop({ pauseMs: Infinity, retryMs, failed }, () => this.#take());
  }

  start(): void {
    this.#passes.start();
  }

  /** Does not wait for a pass under way. */
  stop(): void {
    void this.#passes.stop();
  }

  /** Called when there may be something to send. */
  wake(): void {
    this.#passes.wake();
  }

  outcome({ messageId }: OutgoingPart, outcome: Outcome): void {
    const { store, clock, log } = this.#options;
    store.write(answerTest, { id: messageId, outcome, now: clock.now() }).catch((error: unknown) => {
      log.warn({ error, outcome }, 'what a carrier answered to a test could not be stored');
    });
  }

  async #take(): Promise<void> {
    const { store, clock, nodeId: ownId, carriers } = this.#options;
    const nodeId = ownId();
    const ready = carriers().filter((carrier) => carrier.status().state === 'up');
    if (nodeId === undefined || ready.length === 0) return;
    const carrierIds = ready.map(({ id }) => id);
    const tests = await store.write(takeTests, { nodeId, carrierIds, now: clock.now() });
    for (const test of tests) ready.find(({ id }) => id === test.carrierId)?.submit([partOf(test)]);
  }
}
