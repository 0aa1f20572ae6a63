/**
 * Runs a carrier in the SMPP thread. It takes orders over a port from the event loop that delivers, and reports events,
 * combining those that happen at about the same time.
 */
import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '../../../foundation/clock.ts';
import { SharedLease } from '../../../foundation/shared-lease.ts';
import { Slots } from '../../../foundation/slots.ts';
import type { CarrierStatus, Outcome } from '../../carrier.ts';
import type { SmppReceipt } from '../carrier/reception.ts';
import { SmppCarrier } from '../carrier/smpp-carrier.ts';
import {
  type CarrierOpening,
  type CarrierOrder,
  type CarrierReport,
  type ItemToStore,
  Outbox,
  outcomes,
  type SlottedPart,
  type StoreRequest,
  type StoreResult,
  slottedParts,
  transferableReceipts,
} from './protocol.ts';

/** The proxy answers `status()` from its copy, which is at most this old. */
const statusEveryMs = 250;

interface PendingStore {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Runs the carrier until it is told to stop. */
export function hostCarrier(opening: CarrierOpening): void {
  new CarrierHost(opening);
}

class CarrierHost {
  readonly #port: MessagePort;
  readonly #carrier: SmppCarrier;
  readonly #pendingStores = new Slots<PendingStore>();
  readonly #statusTimer: NodeJS.Timeout;
  #settledSlots: number[] = [];
  #outcomes: Outcome[] = [];
  #toStore: StoreRequest[] = [];
  #status: CarrierStatus | undefined;
  readonly #outbox = new Outbox(() => this.#report(false));

  constructor({ id, name, settings, instance, lease, port }: CarrierOpening) {
    this.#port = port;
    this.#carrier = new SmppCarrier({
      id,
      name,
      settings,
      instance,
      clock: systemClock,
      lease: new SharedLease(lease),
    });
    port.on('message', (order: CarrierOrder) => this.#obey(order));
    // The proxy is gone, or the carrier has stopped.
    port.once('close', () => {
      clearInterval(this.#statusTimer);
      void this.#carrier.stop(0);
    });
    this.#statusTimer = setInterval(() => this.#noteStatus(), statusEveryMs);
    void this.#carrier.start({
      // The carrier only ever receives parts that have a slot.
      outcome: (part, outcome) => this.#settle(part as SlottedPart, outcome),
      receipts: (receipts) =>
        this.#store({
          kind: 'receipts',
          receipts: transferableReceipts.pack(receipts.map(withoutFunctions)),
        }),
      unreadableReceipt: (receipt) => this.#store({ kind: 'unreadableReceipt', receipt }),
      incoming: (sms) => this.#store({ kind: 'incoming', sms }),
      linkChanged: () => this.#noteStatus(),
    });
  }

  #obey(order: CarrierOrder): void {
    switch (order.kind) {
      case 'go on': {
        const parts = slottedParts.unpack(order.parts);
        if (parts.length > 0) this.#carrier.submit(parts);
        for (const kept of order.storeResults) this.#kept(kept);
        break;
      }
      case 'stop':
        void this.#stop(order.deadlineMs);
    }
  }

  async #stop(deadlineMs: number): Promise<void> {
    clearInterval(this.#statusTimer);
    await this.#carrier.stop(deadlineMs);
    this.#report(true);
    this.#port.close();
  }

  #settle({ slot }: SlottedPart, outcome: Outcome): void {
    this.#settledSlots.push(slot);
    this.#outcomes.push(outcome);
    this.#outbox.add();
  }

  #store(what: ItemToStore): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#toStore.push({ id: this.#pendingStores.add({ resolve, reject }), what });
      this.#outbox.add();
    });
  }

  #kept({ id, isStored }: StoreResult): void {
    const pendingStores = this.#pendingStores.remove(id);
    if (isStored) pendingStores?.resolve();
    else pendingStores?.reject(new Error('it could not be stored'));
  }

  #noteStatus(): void {
    this.#status = this.#carrier.status();
    this.#outbox.add();
  }

  #report(hasStopped: boolean): void {
    const news: CarrierReport = {
      outcomes: { slots: this.#settledSlots, outcomes: outcomes.pack(this.#outcomes) },
      toStore: this.#toStore,
      status: this.#status,
      hasStopped,
    };
    this.#settledSlots = [];
    this.#outcomes = [];
    this.#toStore = [];
    this.#status = undefined;
    this.#port.postMessage(news);
  }
}

function withoutFunctions({ otherIds: _, ...receipt }: SmppReceipt) {
  return receipt;
}
