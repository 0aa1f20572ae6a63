/**
 * What the SMSC sends by itself: receipts, which are stored in sets, and SMS from phones. Each is answered only once it
 * is stored; what could not be stored is refused for now, so that the SMSC sends it again (DLV-5).
 */
import { commandStatus } from '../../../wire/smpp/command-status.ts';
import { receiptIds } from '../../../wire/smpp/message-id.ts';
import { type DeliveryReceipt, readReceipt, receiptErrors, statusOf } from '../../../wire/smpp/receipt.ts';
import type { IncomingSms, Receipt, UnreadableReceipt } from '../../carrier.ts';
import type { Delivery } from '../link/options.ts';
import type { Session } from '../link/session.ts';
import type { SmppSettings } from '../settings.ts';
import { Brake } from './backpressure.ts';
import { toIncomingSms } from './incoming.ts';

/** A receipt of an SMSC, with its ids as they were written. */
export interface SmppReceipt extends Receipt {
  readonly writtenIds: readonly [string, ...string[]];
}

/** Each resolves when it is stored. */
export type ReceptionEvents = {
  receipts(receipts: readonly SmppReceipt[]): Promise<void>;
  unreadableReceipt(receipt: UnreadableReceipt): Promise<void>;
  incoming(sms: IncomingSms): Promise<unknown>;
};

interface Received {
  readonly receipt: SmppReceipt;
  readonly session: Session;
  readonly pdu: Delivery;
}

/** Receipts that are stored together at the most. */
const largestSet = 1_000;
/** Deliveries without an answer; what comes beyond that, the SMSC has to keep for a while. */
const mostOpen = 4_000;

export class Reception {
  readonly #settings: SmppSettings;
  readonly #events: ReceptionEvents;
  readonly #errors: ReturnType<typeof receiptErrors>;
  readonly #brake = new Brake(mostOpen);
  #gathered: Received[] = [];
  #setSize = largestSet;
  #isStoring = false;
  #open = 0;
  #isStopped = false;
  #idle: (() => void) | undefined;

  constructor(settings: SmppSettings, events: ReceptionEvents) {
    this.#settings = settings;
    this.#events = events;
    this.#errors = receiptErrors(settings.receiptErrors);
  }

  delivered(session: Session, pdu: Delivery): void {
    if (this.#isStopped || !this.#brake.admits(session, this.#open)) {
      session.respond(pdu, commandStatus.ESME_RX_T_APPN);
      return;
    }
    const read = readReceipt(pdu);
    this.#open += 1;
    if (read.kind === 'receipt') this.#gather({ receipt: this.#toReceipt(read), session, pdu });
    else if (read.kind === 'unreadable') {
      const { kind: _, ...receipt } = read;
      void this.#store(session, pdu, () => this.#events.unreadableReceipt(receipt));
    } else {
      void this.#store(session, pdu, () => this.#events.incoming(toIncomingSms(pdu, this.#settings)));
    }
  }

  /** Resolves when all that came is answered, at the deadline at the latest; tells nothing from then on. */
  async stop(deadlineMs: number): Promise<void> {
    if (this.#open > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadlineMs);
        this.#idle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isStopped = true;
    this.#brake.release();
    this.#gathered = [];
  }

  #toReceipt(read: DeliveryReceipt): SmppReceipt {
    const { recipient, errorCode } = read;
    const { carrierMessageId, submittedId, otherIds } = receiptIds(read.ids, this.#settings.messageId);
    return {
      carrierMessageId,
      submittedId,
      otherIds,
      writtenIds: read.ids,
      recipient,
      status: statusOf(read, this.#errors),
      errorCode,
    };
  }

  #gather(received: Received): void {
    this.#gathered.push(received);
    if (this.#isStoring) return;
    this.#isStoring = true;
    // All that comes in this turn of the event loop goes together.
    setImmediate(() => void this.#storeGathered());
  }

  async #storeGathered(): Promise<void> {
    while (this.#gathered.length > 0) {
      const set = this.#gathered.splice(0, this.#setSize);
      const status = await attempt(() => this.#events.receipts(set.map(({ receipt }) => receipt)));
      // Were there one that can never be stored, it must not take the others with it each time that they come again.
      this.#setSize = status === 0 ? Math.min(largestSet, this.#setSize * 2) : Math.ceil(set.length / 2);
      for (const { session, pdu } of set) this.#answer(session, pdu, status);
    }
    this.#isStoring = false;
  }

  async #store(session: Session, pdu: Delivery, store: () => Promise<unknown>): Promise<void> {
    this.#answer(session, pdu, await attempt(store));
  }

  #answer(session: Session, pdu: Delivery, status: number): void {
    session.respond(pdu, status);
    this.#open -= 1;
    this.#brake.answered(status === commandStatus.ESME_ROK, this.#open);
    if (this.#open === 0) this.#idle?.();
  }
}

/** The command_status for what is stored, or could not be. */
async function attempt(store: () => Promise<unknown>): Promise<number> {
  try {
    await store();
    return commandStatus.ESME_ROK;
  } catch {
    return commandStatus.ESME_RX_T_APPN;
  }
}
