/** Processes submissions: whether each is refused, lost or accepted, and its response, receipts and reply from the phone. */
import type { Clock } from '../foundation/clock.ts';
import { quotedPrintable } from '../foundation/terminal.ts';
import { readAddress } from '../wire/smpp/address.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import { type Concatenation, joinParts } from '../wire/smpp/concatenation.ts';
import { excerptOf, messageStates } from '../wire/smpp/message-states.ts';
import { receiptText } from '../wire/smpp/receipt-text.ts';
import { type ReceivedContent, readContent } from '../wire/smpp/short-message.ts';
import type { Tlvs } from '../wire/smpp/tlvs.ts';
import { type Behaviour, type Stat, type Treatment, treatmentOf } from './behaviour.ts';
import { type EventLog, increment } from './event-log.ts';
import type { PhoneSms } from './incoming-sms.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { ClientSession, QueuedDelivery, Submission } from './session.ts';
import type { Timers } from './timers.ts';

interface SubmissionOutlets {
  post(delivery: QueuedDelivery): void;
  incoming(sms: PhoneSms, systemId: string): void;
}

interface AcceptedSubmission {
  readonly session: ClientSession;
  readonly submission: Submission;
  readonly ids: MessageIds;
  readonly treatment: Treatment;
  readonly stat: Stat | 'none';
  readonly replyMs: number;
  /** Undefined if the message has a single receipt and another part triggers it. */
  readonly receipted: ReceiptedMessage | undefined;
}

export class SubmissionHandler {
  readonly #behaviour: Behaviour;
  readonly #journal: EventLog;
  readonly #timers: Timers;
  readonly #random: SeededRandom;
  readonly #clock: Clock;
  readonly #outlets: SubmissionOutlets;
  readonly #nextIds: () => MessageIds;
  readonly #assembly = new MessageAssembly();
  /** Number of accepted submissions that have not reached their final state. */
  #waiting = 0;
  #secondBegan = Number.NEGATIVE_INFINITY;
  #inSecond = 0;

  constructor(
    behaviour: Behaviour,
    tools: { journal: EventLog; timers: Timers; random: SeededRandom; clock: Clock },
    outlets: SubmissionOutlets,
  ) {
    this.#behaviour = behaviour;
    this.#journal = tools.journal;
    this.#timers = tools.timers;
    this.#random = tools.random;
    this.#clock = tools.clock;
    this.#outlets = outlets;
    this.#nextIds = messageIdsFrom(behaviour.messageId, tools.clock.now());
  }

  take(session: ClientSession, submission: Submission): void {
    const { dropAfter, alphabet } = this.#behaviour;
    const treatment = treatmentOf(this.#behaviour, submission.destinationAddr);
    const content = readContent(submission, alphabet);
    session.submissions += 1;
    this.#journal.submissions += 1;
    this.#logSubmission(session, submission, content);
    const isLast = dropAfter > 0 && session.submissions % dropAfter === 0;
    const refusal = this.#refusal(treatment);
    if (refusal !== undefined) this.#refuse(session, submission, refusal, treatment);
    else this.#accept(session, submission, content, treatment, isLast);
    if (isLast) session.drop(`dropped after ${session.submissions} submissions`);
  }

  /** Returns a command_status name, or undefined if the submission is accepted. */
  #refusal(treatment: Treatment): string | undefined {
    const { maxSubmits, queueSize } = this.#behaviour;
    const now = performance.now();
    if (now - this.#secondBegan >= 1_000) {
      this.#secondBegan = now;
      this.#inSecond = 0;
    }
    if (maxSubmits > 0 && this.#inSecond >= maxSubmits) return 'ESME_RTHROTTLED';
    this.#inSecond += 1;
    if (queueSize > 0 && this.#waiting >= queueSize) return 'ESME_RMSGQFUL';
    return this.#random.oneOf(treatment.error);
  }

  #refuse(session: ClientSession, submission: Submission, refusal: string, { answerMs }: Treatment): void {
    increment(this.#journal.refusals, refusal);
    const status = commandStatus[refusal as keyof typeof commandStatus];
    const answer = () => {
      session.respond(submission, status);
      this.#journal.record('answer', () => `#${session.number}  ${refusal}`);
    };
    this.#timers.after(this.#random.within(answerMs), answer, true);
  }

  #accept(
    session: ClientSession,
    submission: Submission,
    content: ReceivedContent,
    treatment: Treatment,
    isLost: boolean,
  ): void {
    const ids = this.#nextIds();
    const whole = this.#whole(session, submission, content, ids);
    const receipt = receiptOf(treatment, ids, content, whole);
    const submittedAt = this.#clock.now();
    const receipted = receipt && { ...receipt, from: submission, to: submission, submittedAt };
    // All random values are drawn here, because the order of later events depends on timing.
    const stat = this.#random.oneOf(treatment.stat) ?? 'DELIVRD';
    const receiptMs = this.#random.within(treatment.receiptMs);
    const replyMs = this.#random.within(treatment.replyMs);
    const taken: AcceptedSubmission = { session, submission, ids, treatment, stat, replyMs, receipted };
    const isUnanswered = this.#random.happens(treatment.lostAnswers) || isLost;
    this.#waiting += 1;
    if (treatment.receiptEarly) this.#follow(taken, 0);
    this.#timers.after(
      this.#random.within(treatment.answerMs),
      () => {
        this.#answer(taken, isUnanswered);
        if (!treatment.receiptEarly) this.#follow(taken, receiptMs);
        if (whole !== undefined) this.#reply(taken);
      },
      true,
    );
  }

  #answer({ session, submission, ids }: AcceptedSubmission, isUnanswered: boolean): void {
    const isAnswered = !isUnanswered && session.respond(submission, commandStatus.ESME_ROK, ids.answered);
    if (isAnswered) this.#journal.accepted += 1;
    else this.#journal.unanswered += 1;
    this.#journal.record('answer', () =>
      isAnswered
        ? `#${session.number}  ESME_ROK, id ${ids.answered}`
        : `#${session.number}  none, although id ${ids.answered} was accepted`,
    );
  }

  /** Schedules the receipt and, before it, any intermediate notification. */
  #follow(taken: AcceptedSubmission, receiptMs: number): void {
    const { treatment, stat } = taken;
    if (treatment.intermediate && this.#isAsked(taken, 'ENROUTE') && stat !== 'none')
      this.#timers.after(Math.floor(receiptMs / 2), () => this.#post(taken, 'ENROUTE', 'intermediate'));
    this.#timers.after(receiptMs, () => this.#end(taken));
  }

  #end(taken: AcceptedSubmission): void {
    const { stat, treatment } = taken;
    this.#waiting -= 1;
    if (stat === 'none' || !this.#isAsked(taken, stat)) return;
    for (let time = 0; time < treatment.receiptTimes; time++) this.#post(taken, stat, 'receipt');
  }

  /**
   * Checks registered_delivery: 1 for any final state, 2 for failure (SMPP 3.4 5.2.17), 3 for success (SMPP 5.0
   * 4.7.21).
   */
  #isAsked({ submission }: AcceptedSubmission, stat: Stat): boolean {
    const asked = submission.registeredDelivery & 3;
    return asked === 1 || stat === 'ENROUTE' ? asked !== 0 : asked === (good.has(stat) ? 3 : 2);
  }

  #post(
    { session, treatment, receipted }: AcceptedSubmission,
    stat: Stat,
    kind: 'receipt' | 'intermediate',
  ): void {
    if (receipted === undefined) return;
    increment(this.#journal.receipts, stat);
    const what = kind === 'receipt' ? stat : `${stat} (intermediate)`;
    this.#outlets.post({
      event: 'receipt',
      systemId: session.systemId,
      origin: { session, isAvoided: treatment.receiptBind === 'other' },
      fields: receiptFields(receipted, stat, treatment, kind, this.#clock.now()),
      describe: () => `id ${receipted.id} to ${shownNumber(receipted.to.destinationAddr)}: ${what}`,
      tries: 0,
    });
  }

  #reply({ treatment, submission, session, replyMs }: AcceptedSubmission): void {
    const { reply } = treatment;
    if (reply === undefined || reply === '') return;
    const to = submission.sourceAddr.replace(/^\+/, '');
    if (!/^\d{2,20}$/.test(to)) {
      this.#journal.record(
        'other',
        () => `no reply to ${shownNumber(to)}: it is not a number, so a phone cannot answer it`,
      );
      return;
    }
    const sms = { from: submission.destinationAddr.replace(/^\+/, ''), to, text: reply };
    const { systemId } = session;
    this.#timers.after(replyMs, () => this.#outlets.incoming(sms, systemId));
  }

  #whole(
    session: ClientSession,
    submission: Submission,
    content: ReceivedContent,
    { receipted }: MessageIds,
  ): AssembledMessage | undefined {
    const { sourceAddr, destinationAddr } = submission;
    const route = `${session.systemId}\0${sourceAddr}\0${destinationAddr}`;
    const whole = this.#assembly.add(route, content, receipted);
    const { concatenation } = content;
    if (whole !== undefined && concatenation !== undefined)
      this.#journal.record(
        'whole',
        () => `#${session.number}  ${concatenation.parts} parts: ${quotedPrintable(whole.text)}`,
      );
    return whole;
  }

  #logSubmission(
    session: ClientSession,
    submission: Submission,
    { text, concatenation }: ReceivedContent,
  ): void {
    const { sourceAddrTon, sourceAddr, destinationAddr, dataCoding, registeredDelivery } = submission;
    this.#journal.record('submit', () => {
      const from = shownNumber(readAddress(sourceAddrTon, sourceAddr, this.#behaviour.alphabet));
      const details = [
        ...(concatenation === undefined
          ? []
          : [`part ${concatenation.part} of ${concatenation.parts}, reference ${concatenation.reference}`]),
        ...(dataCoding === 0 ? [] : [`data_coding ${dataCoding}`]),
        ...((registeredDelivery & 3) === 0 ? ['no receipt asked'] : []),
      ];
      const more = details.length === 0 ? '' : ` (${details.join(', ')})`;
      return `#${session.number}  ${from} to ${shownNumber(destinationAddr)}: ${quotedPrintable(text)}${more}`;
    });
  }
}

/** Undefined if the message has a single receipt and some of its parts are still missing. */
function receiptOf(
  { receiptsPerMessage }: Treatment,
  { receipted }: MessageIds,
  { text }: ReceivedContent,
  whole: AssembledMessage | undefined,
): Pick<ReceiptedMessage, 'id' | 'text'> | undefined {
  if (receiptsPerMessage === 'part') return { id: receipted, text };
  const id = whole?.ids.at(receiptsPerMessage === 'first' ? 0 : -1);
  return whole === undefined || id === undefined ? undefined : { id, text: whole.text };
}

/** Numbers are shown as they are, anything else in quotes. */
function shownNumber(address: string): string {
  return /^[\w+]+$/.test(address) ? address : quotedPrintable(address);
}

interface MessageIds {
  readonly answered: string;
  readonly receipted: string;
}

type MessageIdForm = Behaviour['messageId'];

const idsIn: Readonly<Record<MessageIdForm, (number: number) => MessageIds>> = {
  decimal: (number) => both(String(number)),
  hex: (number) => both(hex(number)),
  hexToDecimal: (number) => ({ answered: hex(number), receipted: String(number) }),
  decimalToHex: (number) => ({ answered: String(number), receipted: hex(number) }),
  text: (number) => both(`sms-${number.toString(36)}`),
};

/**
 * Draws message ids, each in one form for the submission's response and one for its receipt. Ids start from the time, a
 * million per second, so a restarted SMSC never repeats an id.
 */
function messageIdsFrom(form: MessageIdForm, now: number): () => MessageIds {
  let last = Math.floor(now / 1_000) * 1_000_000;
  return () => idsIn[form](++last);
}

function both(id: string): MessageIds {
  return { answered: id, receipted: id };
}

function hex(number: number): string {
  return number.toString(16).toUpperCase();
}

interface AssembledMessage {
  readonly text: string;
  /** The ids of the message's parts, starting with the first part's. */
  readonly ids: readonly string[];
}

interface AssembledPart {
  readonly text: string;
  readonly id: string;
}

/** The limit ensures that a message whose last part never arrives eventually makes room for others. */
const maxOpen = 1_000;

/** Joins the parts of long messages, for the log and for the phone, which replies to the whole message. */
class MessageAssembly {
  readonly #open = new Map<string, (AssembledPart | undefined)[]>();

  /** Returns the whole message once all parts have arrived. `route` distinguishes messages that use the same reference. */
  add(route: string, { text, concatenation }: ReceivedContent, id: string): AssembledMessage | undefined {
    if (concatenation === undefined) return { text, ids: [id] };
    const { reference, part, parts } = concatenation;
    const key = `${route} ${reference} ${parts}`;
    const known = this.#open.get(key) ?? this.#begin(key, concatenation);
    known[part - 1] = { text, id };
    if (known.includes(undefined)) return undefined;
    this.#open.delete(key);
    const all = known as AssembledPart[];
    return { text: joinParts(all.map((one) => one.text)), ids: all.map((one) => one.id) };
  }

  #begin(key: string, { parts }: Concatenation): (AssembledPart | undefined)[] {
    for (const oldest of this.#open.keys()) {
      if (this.#open.size < maxOpen) break;
      this.#open.delete(oldest);
    }
    const none = new Array<AssembledPart | undefined>(parts).fill(undefined);
    this.#open.set(key, none);
    return none;
  }
}

/** The content of a receipt that does not depend on when it is written. */
interface ReceiptedMessage {
  readonly id: string;
  readonly from: Pick<Submission, 'sourceAddrTon' | 'sourceAddrNpi' | 'sourceAddr'>;
  readonly to: Pick<Submission, 'destAddrTon' | 'destAddrNpi' | 'destinationAddr'>;
  readonly submittedAt: number;
  readonly text: string;
}

/** The message type in esm_class (SMPP 3.4 5.2.12). */
const messageType = { receipt: 0x04, intermediate: 0x20 } as const;

const good: ReadonlySet<Stat> = new Set(['DELIVRD', 'ACCEPTD', 'ENROUTE']);

/** Builds a receipt as a deliver_sm (SMPP 3.4, 2.11 and appendix B). */
function receiptFields(
  { id, from, to, submittedAt, text }: ReceiptedMessage,
  stat: Stat,
  { err = good.has(stat) ? '000' : '001', receiptForm }: Pick<Treatment, 'err' | 'receiptForm'>,
  kind: keyof typeof messageType,
  now: number,
): QueuedDelivery['fields'] {
  const delivered = stat === 'DELIVRD' ? '001' : '000';
  const words = receiptText({ id, delivered, submittedAt, doneAt: now, stat, err, text: excerptOf(text) });
  return {
    // The receipt goes back the way the message came.
    sourceAddrTon: to.destAddrTon,
    sourceAddrNpi: to.destAddrNpi,
    sourceAddr: to.destinationAddr,
    destAddrTon: from.sourceAddrTon,
    destAddrNpi: from.sourceAddrNpi,
    destinationAddr: from.sourceAddr,
    esmClass: messageType[kind],
    shortMessage: Buffer.from(receiptForm === 'tlv' ? '' : words, 'latin1'),
    tlvs: receiptForm === 'text' ? {} : receiptTlvs(id, stat, err),
  };
}

/** network_error_code: the network type, 3 for GSM, and two octets of code (SMPP 3.4 5.3.2.31). */
function receiptTlvs(id: string, stat: Stat, err: string): Tlvs {
  const code = /^\d{1,5}$/.test(err) ? Number(err) : 0;
  const network =
    code > 0 && code <= 0xffff ? { networkErrorCode: Buffer.of(3, code >> 8, code & 0xff) } : {};
  return { receiptedMessageId: id, messageState: messageStates[stat], ...network };
}
