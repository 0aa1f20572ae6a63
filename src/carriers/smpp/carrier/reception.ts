/**
 * What the SMSC sends on its own: receipts, which are stored in sets, and SMS from phones. Each is answered only when it
 * is stored; what could not be stored gets a temporary error, so that the SMSC sends it again (DLV-5).
 */
import { commandStatus } from '../../../wire/smpp/command-status.ts';
import { receiptIds } from '../../../wire/smpp/message-id.ts';
import { type DeliveryReceipt, readReceipt, receiptErrors, statusOf } from '../../../wire/smpp/receipt.ts';
import type { IncomingSms, Receipt, UnreadableReceipt } from '../../carrier.ts';
import { UnderWay } from '../../under-way.ts';
import type { DeliveryPdu } from '../link/options.ts';
import type { LinkSession } from '../link/session.ts';
import type { SmppSettings } from '../settings.ts';
import { Backpressure } from './backpressure.ts';
import { toIncomingSms } from './incoming.ts';

/** A receipt from an SMSC, with its ids as they were written. */
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
  readonly session: LinkSession;
  readonly pdu: DeliveryPdu;
}

/** The most receipts that are stored together. */
const maxSetSize = 1_000;
/** The most deliveries without an answer; the SMSC has to keep further ones for a while. */
const maxOpen = 4_000;

export class Reception {
  readonly #settings: SmppSettings;
  readonly #events: ReceptionEvents;
  readonly #errors: ReturnType<typeof receiptErrors>;
  readonly #backpressure = new Backpressure(maxOpen);
  #gathered: Received[] = [];
  #setSize = maxSetSize;
  #isStoring = false;
  readonly #open = new UnderWay();
  #isStopped = false;

  constructor(settings: SmppSettings, events: ReceptionEvents) {
    this.#settings = settings;
    this.#events = events;
    this.#errors = receiptErrors(settings.receiptErrors);
  }

  delivered(session: LinkSession, pdu: DeliveryPdu): void {
    if (this.#isStopped || !this.#backpressure.admits(session, this.#open.count)) {
      session.respond(pdu, commandStatus.ESME_RX_T_APPN);
      return;
    }
    const read = readReceipt(pdu);
    this.#open.add(1);
    if (read.kind === 'receipt') this.#gather({ receipt: this.#toReceipt(read), session, pdu });
    else if (read.kind === 'unreadable') {
      const { kind: _, ...receipt } = read;
      void this.#store(session, pdu, () => this.#events.unreadableReceipt(receipt));
    } else {
      void this.#store(session, pdu, () => this.#events.incoming(toIncomingSms(pdu, this.#settings)));
    }
  }

  /** Resolves when everything that came is answered, or at the deadline; reports nothing after that. */
  async stop(deadlineMs: number): Promise<void> {
    await this.#open.ended(deadlineMs);
    this.#isStopped = true;
    this.#backpressure.release();
    this.#gathered = [];
  }

  #toReceipt(read: DeliveryReceipt): SmppReceipt {
    const { recipient, errorCode, text } = read;
    const { carrierMessageId, submittedId, otherIds } = receiptIds(read.ids, this.#settings.messageId);
    return {
      carrierMessageId,
      submittedId,
      otherIds,
      writtenIds: read.ids,
      recipient,
      status: statusOf(read, this.#errors),
      errorCode,
      text,
    };
  }

  #gather(received: Received): void {
    this.#gathered.push(received);
    if (this.#isStoring) return;
    this.#isStoring = true;
    // All receipts of one turn of the event loop are stored together.
    setImmediate(() => void this.#storeGathered());
  }

  async #storeGathered(): Promise<void> {
    while (this.#gathered.length > 0) {
      const set = this.#gathered.splice(0, this.#setSize);
      const status = await attempt(() => this.#events.receipts(set.map(({ receipt }) => receipt)));
      // A receipt that can never be stored must not make the others fail each time that they come again.
      this.#setSize = status === 0 ? Math.min(maxSetSize, this.#setSize * 2) : Math.ceil(set.length / 2);
      for (const { session, pdu } of set) this.#answer(session, pdu, status);
    }
    this.#isStoring = false;
  }

  async #store(session: LinkSession, pdu: DeliveryPdu, store: () => Promise<unknown>): Promise<void> {
    this.#answer(session, pdu, await attempt(store));
  }

  #answer(session: LinkSession, pdu: DeliveryPdu, status: number): void {
    session.respond(pdu, status);
    this.#open.add(-1);
    this.#backpressure.answered(status === commandStatus.ESME_ROK, this.#open.count);
  }
}

/** The command_status to answer with, depending on whether it could be stored. */
async function attempt(store: () => Promise<unknown>): Promise<number> {
  try {
    await store();
    return commandStatus.ESME_ROK;
  } catch {
    return commandStatus.ESME_RX_T_APPN;
  }
}
