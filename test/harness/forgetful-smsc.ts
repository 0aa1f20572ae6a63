/**
 * A carrier that numbers accepted parts, restarts its numbering with each restart, and sends receipts early, late and twice.
 */

import { claimMessages } from '../../src/messages/dispatch/claim.ts';
import { recordOutcomes } from '../../src/messages/dispatch/store.ts';
import { stage, status } from '../../src/messages/message.ts';
import type { StoredReceipt } from '../../src/messages/receipts/receipt.ts';
import { retryParkedReceipts } from '../../src/messages/receipts/retry-store.ts';
import { recordReceipts } from '../../src/messages/receipts/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { findMessage } from './delivery-store.ts';
import { listParked, putMessages } from './delivery-verbs.ts';

export const anna = '46701740601';
export const bert = '46701740602';

interface Submission {
  readonly id: number;
  readonly recipient: string;
  readonly submittedAt: number;
  readonly carrierMessageIds: readonly string[];
}

interface Given {
  readonly recipient?: string;
  readonly parts?: number;
}

export class ForgetfulSmsc {
  now = 10_000_000;
  readonly #store: () => Store;
  #lastNumber = 0;

  constructor(store: () => Store) {
    this.#store = store;
  }

  /** Claims the message and submits it; each part gets the carrier's next number. */
  async submit(id: number, { recipient = anna, parts = 1 }: Given = {}): Promise<Submission> {
    await this.#store().write(putMessages, [{ id, recipient, parts, expiresAt: this.now + 10_000_000 }]);
    const claim = { carrierId: 1, nodeId: 7, room: parts, bulkFloor: 0, now: this.now };
    await this.#store().write(claimMessages, claim);
    const carrierMessageIds = Array.from({ length: parts }, () => `${++this.#lastNumber}`);
    return { id, recipient, submittedAt: this.now, carrierMessageIds };
  }

  /** Stores the carrier's response. */
  async answer(
    { id, submittedAt, carrierMessageIds }: Submission,
    form = (number: string) => number,
  ): Promise<void> {
    await this.#store().write(recordOutcomes, {
      nodeId: 7,
      carrierId: 1,
      now: this.now,
      advances: [
        {
          companyId: 1,
          id,
          attempts: 1,
          status: status.SENT,
          stage: stage.awaitingReceipt,
          dueAt: this.now + 100_000_000,
          handedOver: true,
          inDoubt: false,
          expiredByTimer: false,
          reason: null,
        },
      ],
      taken: carrierMessageIds.map((number, index) => ({
        companyId: 1,
        messageId: id,
        part: index + 1,
        parts: carrierMessageIds.length,
        carrierMessageId: form(number),
        submittedAt,
        answeredAt: this.now,
      })),
    });
  }

  async take(id: number, given: Given = {}): Promise<Submission> {
    const submission = await this.submit(id, given);
    await this.answer(submission);
    return submission;
  }

  /** Reports receipts for all parts, or for one. */
  async tell(
    { recipient, carrierMessageIds }: Submission,
    code: number = status.DELIVERED,
    changes: Partial<StoredReceipt> = {},
  ): Promise<void> {
    const receipts = carrierMessageIds.map((carrierMessageId) => ({
      carrierId: 1,
      carrierMessageId,
      recipient,
      status: code,
      errorCode: null,
      receivedAt: this.now,
      ...changes,
    }));
    await this.#store().write(recordReceipts, receipts);
  }

  restart(afterMs: number): void {
    this.now += afterMs;
    this.#lastNumber = 0;
  }

  /** Lets time pass in the given number of sweeps. */
  async pass(ms: number, sweeps = 1): Promise<void> {
    for (let sweep = 0; sweep < sweeps; sweep++) {
      this.now += Math.ceil(ms / sweeps);
      const tried = async () => {
        const swept = await this.#store().write(retryParkedReceipts, { now: this.now, limit: 100 });
        return swept.tried;
      };
      while ((await tried()) > 0);
    }
  }

  statusesOf(...ids: readonly number[]): Promise<readonly number[]> {
    return Promise.all(ids.map(async (id) => (await findMessage(this.#store(), id)).status));
  }

  async parked(): Promise<readonly string[]> {
    return (await this.#store().read(listParked, null)).map(({ id }) => id);
  }
}
