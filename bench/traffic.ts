/** The work that messages under way give to a store, in the sets that a busy server makes of it. */
import { recordOutcomes } from '../src/messages/dispatch/store.ts';
import { charge, lane, stage, status } from '../src/messages/message.ts';
import type { OutcomeRecord } from '../src/messages/outcome.ts';
import type { StoredReceipt } from '../src/messages/receipts/receipt.ts';
import { recordReceipts } from '../src/messages/receipts/store.ts';
import { type Acceptance, acceptMessages } from '../src/messages/sending/accept.ts';
import { acceptedRow, type MessageToAccept } from '../src/messages/sending/accepted-row.ts';
import type { WriteVerb } from '../src/storage/verb.ts';

/** Whose messages they are, and which carrier and node handle them. */
export interface Parties {
  readonly companyId: number;
  readonly userId: number;
  readonly carrierId: number;
  readonly nodeId: number;
}

/** One verb with its inputs in one commit. */
export interface Step {
  // biome-ignore lint/suspicious/noExplicitAny: steps of different verbs form one list, and each has the inputs of its own verb.
  readonly verb: WriteVerb<any, any>;
  readonly inputs: readonly unknown[];
}

/** Far from the ids of all other messages. */
export const firstId = 2_000_000_001;
const text = 'Your appointment is tomorrow at 9:30. Please be there ten minutes early.';
const dayMs = 24 * 60 * 60 * 1_000;
/** Between two commits. */
const commitMs = 25;
/** A carrier responds by the next commit, and its receipts come a second later, as those of phones that are on. */
const receiptAfter = 40;
/** From its acceptance to its receipt. */
export const commitsOfALife = receiptAfter + 2;

export class Traffic {
  readonly #parties: Parties;
  readonly #month = new Date().toISOString().slice(0, 7);
  #nextId = firstId;
  #now = Date.now();
  #random = 1;
  /** The messages that wait for the carrier's responses, and the groups that wait for their receipts. */
  #submitted: readonly number[] = [];
  readonly #sent: (readonly number[])[] = [];

  constructor(parties: Parties) {
    this.#parties = parties;
  }

  /** The work of one commit: this many new messages, and the next step of messages of earlier commits. */
  next(size: number): readonly Step[] {
    this.#now += commitMs;
    const accepted = Array.from({ length: size }, () => this.#nextId++);
    const steps: Step[] = [];
    if (size > 0) steps.push({ verb: acceptMessages, inputs: accepted.map((id) => this.#acceptance(id)) });
    if (this.#submitted.length > 0) steps.push({ verb: recordOutcomes, inputs: [this.#outcomes()] });
    const reported = (this.#sent.length > receiptAfter && this.#sent.shift()) || [];
    if (reported.length > 0) {
      const receipts = reported.map((id) => this.#receipt(id));
      steps.push({ verb: recordReceipts, inputs: [receipts] });
    }
    this.#sent.push(this.#submitted);
    this.#submitted = accepted;
    return steps;
  }

  /** New messages that wait to be claimed. */
  waiting(size: number): Step {
    const ids = Array.from({ length: size }, () => this.#nextId++);
    return {
      verb: acceptMessages,
      inputs: ids.map((id) => this.#acceptance(id, { stage: stage.waiting, attempts: 0, node_id: null })),
    };
  }

  #acceptance(
    id: number,
    at: Pick<MessageToAccept, 'stage' | 'attempts' | 'node_id'> = {
      stage: stage.inFlight,
      attempts: 1,
      node_id: this.#parties.nodeId,
    },
  ): Acceptance {
    const { companyId, userId, carrierId, nodeId } = this.#parties;
    const row = acceptedRow({
      company_id: companyId,
      id,
      user_id: userId,
      recipient: this.#recipient(),
      sender: 'Bench',
      text,
      flash: 0,
      parts: 1,
      conversation: '',
      cost_center: '',
      created_at: this.#now,
      expires_at: this.#now + 2 * dayMs,
      status: status.QUEUED,
      changed_at: this.#now,
      version: 1,
      unread: 1,
      expired_by_timer: 0,
      carrier_id: carrierId,
      lane: lane.interactive,
      due_at: this.#now,
      charge: charge.reserved,
      in_doubt: 0,
      ...at,
    });
    return {
      companyId,
      userId,
      rows: [row],
      parts: 1,
      costCenter: '',
      now: this.#now,
      month: this.#month,
      idempotency: null,
      nodeId,
    };
  }

  /** A mobile number. They come in no order, as those of people do; the sequence is the same in each run. */
  #recipient(): string {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return `467${String(this.#random % 100_000_000).padStart(8, '0')}`;
  }

  #outcomes(): OutcomeRecord {
    const { companyId, carrierId, nodeId } = this.#parties;
    return {
      nodeId,
      carrierId,
      now: this.#now,
      taken: this.#submitted.map((messageId) => ({
        companyId,
        messageId,
        part: 1,
        parts: 1,
        carrierMessageId: carrierIdOf(messageId),
        submittedAt: this.#now - commitMs,
        answeredAt: this.#now,
      })),
      advances: this.#submitted.map((id) => ({
        companyId,
        id,
        attempts: 1,
        status: status.SENT,
        stage: stage.awaitingReceipt,
        dueAt: this.#now + 2 * dayMs,
        handedOver: true,
        inDoubt: false,
        expiredByTimer: false,
        reason: null,
      })),
    };
  }

  #receipt(id: number): StoredReceipt {
    const carrierMessageId = carrierIdOf(id);
    return {
      carrierId: this.#parties.carrierId,
      carrierMessageId,
      status: status.DELIVERED,
      errorCode: '000',
      text: `id:${carrierMessageId} sub:001 dlvrd:001 submit date:2611290930 done date:2611290931 stat:DELIVRD err:000 text:Your appointment is`,
      receivedAt: this.#now,
    };
  }
}

/** Ids that many SMSCs give: a counter in hexadecimal digits. */
function carrierIdOf(id: number): string {
  return id.toString(16).toUpperCase().padStart(10, '0');
}
