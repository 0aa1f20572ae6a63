/**
 * Handles PDUs that the SMSC sends on its own: receipts, which are stored in sets, and SMS from phones. Each is acknowledged
 * only once it is stored; one that could not be stored gets a temporary error, so that the SMSC sends it again (DLV-5).
 */

import { readAddress } from '../../../wire/smpp/address.ts';
import { commandStatus } from '../../../wire/smpp/command-status.ts';
import { receiptIds } from '../../../wire/smpp/message-id.ts';
import { type DeliveryReceipt, readReceipt, receiptErrors, statusOf } from '../../../wire/smpp/receipt.ts';
import { readContent } from '../../../wire/smpp/short-message.ts';
import type { IncomingSms, Receipt, UnreadableReceipt } from '../../carrier.ts';
import { UnderWay } from '../../under-way.ts';
import type { DeliveryPdu, LinkSession } from '../link/session.ts';
import type { SmppSettings } from '../settings.ts';

/** A receipt from an SMSC, with its ids as written. */
export interface SmppReceipt extends Receipt {
  readonly writtenIds: readonly [string, ...string[]];
}

/** Each promise resolves when its item is stored. */
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

/** The maximum number of receipts stored together. */
const maxSetSize = 1_000;
/** The maximum number of unacknowledged deliveries; the SMSC has to keep further ones for a while. */
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

  /** Resolves when everything received has been acknowledged, or at the deadline; reports nothing after that. */
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
      // A receipt that can never be stored must not make the others fail each time that they arrive again.
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

function toIncomingSms(pdu: DeliveryPdu, { alphabet }: Pick<SmppSettings, 'alphabet'>): IncomingSms {
  return {
    sender: readAddress(pdu.sourceAddrTon, pdu.sourceAddr, alphabet),
    recipient: pdu.destinationAddr,
    ...readContent(pdu, alphabet),
  };
}

/** The command_status of the response, which depends on whether the delivery could be stored. */
async function attempt(store: () => Promise<unknown>): Promise<number> {
  try {
    await store();
    return commandStatus.ESME_ROK;
  } catch {
    return commandStatus.ESME_RX_T_APPN;
  }
}

/** A connection that receives deliveries. */
interface DeliverySource {
  hold(): void;
  release(): void;
}

/** The store counts as stalled when it has stored no delivery for this long. SMSCs wait longer than this for a response. */
const storeStallMs = 5_000;

/**
 * Slows the SMSC down to the speed at which its deliveries are stored: while many wait, nothing more is read, so the next
 * ones wait at the SMSC. On a transceiver, responses to submissions share the stream, so fewer submissions go out. When the
 * store takes nothing at all, the link would soon seem dead, so reading goes on and deliveries are refused with a temporary
 * error.
 */
export class Backpressure {
  readonly #most: number;
  readonly #held = new Set<DeliverySource>();
  #timer: NodeJS.Timeout | undefined;
  #hasMoved = false;
  #isStoreStalled = false;

  /** The maximum number of open deliveries; those read together with the last of them come on top. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether another delivery may be taken in addition to the open ones. */
  admits(source: DeliverySource, open: number): boolean {
    if (open < this.#most) return true;
    if (this.#isStoreStalled) return false;
    if (!this.#held.has(source)) this.#hold(source);
    return true;
  }

  /** A delivery was stored or failed to be; `open` deliveries remain. */
  answered(isStored: boolean, open: number): void {
    if (isStored) {
      this.#hasMoved = true;
      this.#isStoreStalled = false;
    }
    if (this.#held.size > 0 && open <= this.#most / 2) this.release();
  }

  release(): void {
    clearTimeout(this.#timer);
    for (const source of this.#held) source.release();
    this.#held.clear();
  }

  #hold(source: DeliverySource): void {
    source.hold();
    this.#held.add(source);
    if (this.#held.size === 1) this.#watch();
  }

  #watch(): void {
    this.#hasMoved = false;
    // If this thread itself was blocked, it first reads what has arrived, and decides afterwards.
    this.#timer = setTimeout(() => setImmediate(() => this.#judge()), storeStallMs);
  }

  #judge(): void {
    if (this.#held.size === 0) return;
    if (this.#hasMoved) {
      this.#watch();
      return;
    }
    this.#isStoreStalled = true;
    this.release();
  }
}
