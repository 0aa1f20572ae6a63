/**
 * A carrier in its thread, reached by a port: takes orders from the event loop that delivers, and tells what happens.
 * All that happens in a moment crosses together.
 */
import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '../../../foundation/clock.ts';
import { SharedLease } from '../../../foundation/shared-lease.ts';
import { Slots } from '../../../foundation/slots.ts';
import type { CarrierStatus, Outcome } from '../../carrier.ts';
import type { SmppReceipt } from '../carrier/reception.ts';
import { SmppCarrier } from '../carrier/smpp-carrier.ts';
import { Gathering } from './gathering.ts';
import type { CarrierNews, CarrierOrder, CrossingPart, Keepable, Kept, Opening, ToKeep } from './protocol.ts';

/** The event loop that delivers asks for the status for each message: it knows one of so long ago at the most. */
const statusEveryMs = 250;

interface Keeping {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Runs it until it is told to stop. */
export function serveCarrier(opening: Opening): void {
  new ServedCarrier(opening);
}

class ServedCarrier {
  readonly #port: MessagePort;
  readonly #carrier: SmppCarrier;
  readonly #keeping = new Slots<Keeping>();
  readonly #statusTimer: NodeJS.Timeout;
  #told: number[] = [];
  #outcomes: Outcome[] = [];
  #toKeep: ToKeep[] = [];
  #status: CarrierStatus | undefined;
  readonly #gathering = new Gathering(() => this.#tell(false));

  constructor({ id, name, settings, instance, lease, port }: Opening) {
    this.#port = port;
    this.#carrier = new SmppCarrier({
      ...{ id, name, settings, instance },
      ...{ clock: systemClock, lease: new SharedLease(lease) },
    });
    port.on('message', (order: CarrierOrder) => this.#obey(order));
    // Nobody waits for it any more, or it has stopped.
    port.once('close', () => {
      clearInterval(this.#statusTimer);
      void this.#carrier.stop(0);
    });
    this.#statusTimer = setInterval(() => this.#noteStatus(), statusEveryMs);
    void this.#carrier.start({
      // It is given no other parts than those that crossed.
      outcome: (part, outcome) => this.#settle(part as CrossingPart, outcome),
      receipts: (receipts) => this.#keep({ kind: 'receipts', receipts: receipts.map(withoutFunctions) }),
      unreadableReceipt: (receipt) => this.#keep({ kind: 'unreadableReceipt', receipt }),
      incoming: (sms) => this.#keep({ kind: 'incoming', sms }),
      linkChanged: () => this.#noteStatus(),
    });
  }

  #obey(order: CarrierOrder): void {
    switch (order.kind) {
      case 'go on':
        if (order.parts.length > 0) this.#carrier.submit(order.parts);
        for (const kept of order.kept) this.#kept(kept);
        break;
      case 'stop':
        void this.#stop(order.deadlineMs);
    }
  }

  async #stop(deadlineMs: number): Promise<void> {
    clearInterval(this.#statusTimer);
    await this.#carrier.stop(deadlineMs);
    this.#tell(true);
    this.#port.close();
  }

  #settle({ slot }: CrossingPart, outcome: Outcome): void {
    this.#told.push(slot);
    this.#outcomes.push(outcome);
    this.#gathering.add();
  }

  #keep(what: Keepable): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#toKeep.push({ id: this.#keeping.add({ resolve, reject }), what });
      this.#gathering.add();
    });
  }

  #kept({ id, isStored }: Kept): void {
    const keeping = this.#keeping.remove(id);
    if (isStored) keeping?.resolve();
    else keeping?.reject(new Error('it could not be stored'));
  }

  #noteStatus(): void {
    this.#status = this.#carrier.status();
    this.#gathering.add();
  }

  #tell(hasStopped: boolean): void {
    const news: CarrierNews = {
      outcomes: { slots: this.#told, outcomes: this.#outcomes },
      toKeep: this.#toKeep,
      status: this.#status,
      hasStopped,
    };
    this.#told = [];
    this.#outcomes = [];
    this.#toKeep = [];
    this.#status = undefined;
    this.#port.postMessage(news);
  }
}

function withoutFunctions({ otherIds: _, ...receipt }: SmppReceipt) {
  return receipt;
}
