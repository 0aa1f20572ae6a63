/**
 * A carrier in its thread, reached by a port: takes orders from the event loop that delivers, and tells what happens.
 * All that happens in one turn of this thread's event loop crosses together.
 */
import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '../../foundation/clock.ts';
import { Slots } from '../../foundation/slots.ts';
import type { CarrierStatus, Outcome, OutgoingPart, StoredSms } from '../carrier.ts';
import type { CarrierNews, CarrierOrder, Keepable, Kept, Opening, ToKeep } from './crossing.ts';
import type { SmppReceipt } from './reception.ts';
import { SmppCarrier } from './smpp-carrier.ts';

/** The event loop that delivers asks for the status of each message: it knows one of so long ago at the most. */
const statusEveryMs = 250;

interface Keeping {
  readonly resolve: (sms: StoredSms | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** Runs it until it is told to stop. */
export function serveCarrier(opening: Opening): void {
  new ServedCarrier(opening);
}

class ServedCarrier {
  readonly #port: MessagePort;
  readonly #carrier: SmppCarrier;
  /** Parts without an outcome. */
  readonly #slots = new Map<OutgoingPart, number>();
  readonly #keeping = new Slots<Keeping>();
  readonly #statusTimer: NodeJS.Timeout;
  #told: number[] = [];
  #outcomes: Outcome[] = [];
  #toKeep: ToKeep[] = [];
  #status: CarrierStatus | undefined;
  #telling: NodeJS.Immediate | undefined;

  constructor({ id, name, settings, instance, port }: Opening) {
    this.#port = port;
    this.#carrier = new SmppCarrier(id, name, settings, instance, systemClock);
    port.on('message', (order: CarrierOrder) => this.#obey(order));
    // Nobody waits for it any more, or it has stopped.
    port.once('close', () => void this.#carrier.stop(0));
    this.#statusTimer = setInterval(() => this.#noteStatus(), statusEveryMs);
    void this.#carrier.start({
      outcome: (part, outcome) => this.#settle(part, outcome),
      receipts: async (receipts) => {
        await this.#keep({ kind: 'receipts', receipts: receipts.map(withoutFunctions) });
      },
      unreadableReceipt: async (receipt) => {
        await this.#keep({ kind: 'unreadableReceipt', receipt });
      },
      incoming: async (sms) => (await this.#keep({ kind: 'incoming', sms })) as StoredSms,
      linkChanged: () => this.#noteStatus(),
    });
  }

  #obey(order: CarrierOrder): void {
    switch (order.kind) {
      case 'submit':
        for (const [index, part] of order.parts.entries())
          this.#slots.set(part, order.slots[index] as number);
        this.#carrier.submit(order.parts);
        break;
      case 'kept':
        this.#kept(order.id, order.kept);
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

  #settle(part: OutgoingPart, outcome: Outcome): void {
    this.#told.push(this.#slots.get(part) as number);
    this.#slots.delete(part);
    this.#outcomes.push(outcome);
    this.#tellSoon();
  }

  #keep(what: Keepable): Promise<StoredSms | undefined> {
    return new Promise((resolve, reject) => {
      this.#toKeep.push({ id: this.#keeping.add({ resolve, reject }), what });
      this.#tellSoon();
    });
  }

  #kept(id: number, kept: Kept): void {
    const keeping = this.#keeping.remove(id);
    if ('error' in kept) keeping?.reject(new Error(kept.error));
    else keeping?.resolve(kept.sms);
  }

  #noteStatus(): void {
    this.#status = this.#carrier.status();
    this.#tellSoon();
  }

  #tellSoon(): void {
    this.#telling ??= setImmediate(() => this.#tell(false));
  }

  #tell(hasStopped: boolean): void {
    clearImmediate(this.#telling);
    this.#telling = undefined;
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
