/**
 * A model of what messages must do, restated as plainly as possible from the API contract without any of the product's code:
 * lists in memory, one action after the other. When a rule changes, it has to be changed here too, by hand.
 */
import { HeldModel } from './held-model.ts';
import { LeaseModel } from './lease-model.ts';
import { combined, finals, type ModelReceipt, mayTurn, type Outcome, statusCode } from './message-rules.ts';

export interface ModelMessage {
  readonly id: string;
  readonly userId: number;
  readonly to: string;
  readonly from: string;
  readonly conversation: string;
  readonly parts: number;
  readonly expiresAt: number;
  status: number;
  /** The time of the latest status change. */
  time: number;
  unread: boolean;
  where: 'scheduled' | 'waiting' | 'retrying' | 'withCarrier' | 'awaitingReceipt' | 'over';
  dueAt: number;
  cost: 'reserved' | 'due' | 'refunded';
  expiredByTimer: boolean;
  doubts: number;
  /** The status of each part that the carrier accepted, by part number. */
  readonly taken: Map<number, number>;
  /** How often each part was handed over, by part number. */
  readonly handovers: Map<number, number>;
  /** The carrier's responses to parts in flight, in order. */
  answers: { readonly part: number; readonly name: string; readonly outcome: Outcome; readonly at: number }[];
  openParts: number;
  claimedAt: number;
}

interface OpenPart {
  readonly message: ModelMessage;
  readonly part: number;
}

interface TakenPart extends OpenPart {
  readonly takenAt: number;
}

export interface Acceptance {
  readonly userId: number;
  readonly accepted: readonly { readonly to: string; readonly id: string }[];
  readonly parts: number;
  readonly sendAt: number;
  readonly validMinutes: number;
  readonly twoWay: boolean;
  readonly conversation: string;
}

const minuteMs = 60_000;
/** How long after the end of its validity a message without a receipt is given up. */
const graceMs = 60 * minuteMs;
/** A receipt this old when its part is accepted is no longer taken to belong to that part. */
const parkedWorthMs = 15 * minuteMs;
/**
 * If a part was accepted longer ago than this, its id may have passed to a part in flight, so a receipt waits for that
 * response.
 */
const longAgoMs = 30_000;
/** The pause before a message in doubt is resent, and how often it may be in doubt. */
const [doubtPauseMs, maxDoubts] = [1_000, 3];
/** No retry is postponed longer than this, so that a clock that was set back cannot hold it up. */
const longestRetryMs = 5 * minuteMs;

export class MessageModel {
  now: number;
  carrierIsOpen = true;
  readonly messages: ModelMessage[] = [];
  readonly leases = new LeaseModel();
  /** Parts in flight without a response, by the carrier's name for them. */
  readonly open = new Map<string, OpenPart>();
  /** The same for parts in flight when their node ended. */
  readonly ghosts: string[] = [];
  readonly takenParts = new Map<string, TakenPart>();
  handedOver = 0;
  #parked: (ModelReceipt & { readonly at: number })[] = [];
  readonly #held = new HeldModel();
  readonly #policy: 'retry' | 'fail';
  readonly #receiptsPerMessage: 'part' | 'one';

  constructor(now: number, policy: 'retry' | 'fail', receiptsPerMessage: 'part' | 'one') {
    this.now = now;
    this.#policy = policy;
    this.#receiptsPerMessage = receiptsPerMessage;
  }

  /** SMS parts that messages cost, for one user or for all. */
  used(userId?: number): number {
    const paid = this.messages.filter(
      (one) => one.cost !== 'refunded' && one.userId === (userId ?? one.userId),
    );
    return paid.reduce((sum, { parts }) => sum + parts, 0);
  }

  accept({ userId, accepted, parts, sendAt, validMinutes, twoWay, conversation }: Acceptance): void {
    const isScheduled = sendAt > this.now;
    const expiresAt = sendAt + validMinutes * minuteMs;
    for (const { to, id } of accepted) {
      const wish = { userId, to, conversation, id, from: sendAt, expiresAt };
      const from = twoWay ? this.leases.take(wish, this.now) : 'Sender';
      this.messages.push({
        id,
        userId,
        to,
        from,
        conversation,
        parts,
        expiresAt,
        status: isScheduled ? statusCode.SCHEDULED : statusCode.QUEUED,
        time: this.now,
        unread: true,
        where: isScheduled ? 'scheduled' : 'waiting',
        dueAt: sendAt,
        cost: 'reserved',
        expiredByTimer: false,
        doubts: 0,
        answers: [],
        openParts: 0,
        claimedAt: 0,
        taken: new Map(),
        handovers: new Map(),
      });
    }
    this.handOver();
  }

  /** Returns the new status, or undefined if it is too late. */
  cancel(message: ModelMessage): number | undefined {
    if (!['scheduled', 'waiting', 'retrying'].includes(message.where)) return undefined;
    const to = message.where === 'scheduled' ? statusCode.CANCELED : statusCode.DELETED;
    this.#end(message, to, this.now);
    return to;
  }

  /** Whatever time brings: send times, retries, the end of validity, and receipts that never arrived. */
  sweep(): void {
    for (const message of this.messages) {
      const isPutOffForEver = message.where === 'retrying' && message.dueAt > this.now + longestRetryMs;
      if (message.dueAt > this.now && !isPutOffForEver) continue;
      if (message.where === 'scheduled') this.#turn(message, statusCode.QUEUED, this.now);
      if (message.where === 'scheduled' || message.where === 'retrying') message.where = 'waiting';
    }
    this.handOver();
    for (const message of this.messages) {
      if (message.where === 'waiting' && message.expiresAt <= this.now) this.#expire(message);
      if (message.where !== 'awaitingReceipt' || message.expiresAt + graceMs > this.now) continue;
      message.where = 'over';
      if (message.status === statusCode.SENT) this.#expire(message);
    }
    // A receipt that was too old may count as recent again after the clock was set back.
    this.#tellEarly();
    for (const { id, status, at } of this.#held.take(this.now, this.#isWithCarrierSince))
      this.#tellOf(this.takenParts.get(id) as TakenPart, status, at);
  }

  /** Hands everything waiting and still valid to a carrier that has room. */
  handOver(): void {
    if (!this.carrierIsOpen) return;
    for (const message of this.messages.filter(({ where }) => where === 'waiting')) {
      if (message.expiresAt <= this.now) {
        this.#expire(message);
        continue;
      }
      message.where = 'withCarrier';
      message.claimedAt = this.now;
      message.answers = [];
      message.openParts = message.parts - message.taken.size;
      for (let part = 1; part <= message.parts; part++) {
        if (message.taken.has(part)) continue;
        const times = (message.handovers.get(part) ?? 0) + 1;
        message.handovers.set(part, times);
        this.open.set(`${message.id}/${part}/${times}`, { message, part });
        this.handedOver += 1;
      }
    }
  }

  answer(name: string, outcome: Outcome): void {
    const { message, part } = this.open.get(name) as OpenPart;
    this.open.delete(name);
    message.openParts -= 1;
    message.answers.push({ part, name, outcome, at: this.now });
    if (message.openParts > 0 || message.where !== 'withCarrier') return;
    const accepted = message.answers.filter((one) => one.outcome.kind === 'accepted');
    for (const one of accepted) {
      message.taken.set(one.part, statusCode.SENT);
      this.takenParts.set(one.name, { message, part: one.part, takenAt: one.at });
    }
    if (accepted.length > 0) message.cost = 'due';
    this.#moveOn(message);
    this.#tellLater(message);
    this.#tellEarly();
  }

  /** The message's only receipt may arrive before all of its parts are accepted. */
  #tellLater(message: ModelMessage): void {
    const isDelivered = [...message.taken.values()].includes(statusCode.DELIVERED);
    if (this.#receiptsPerMessage === 'part' || !isDelivered) return;
    for (const [part, code] of [...message.taken])
      if (code === statusCode.SENT)
        this.#tellOf({ message, part, takenAt: this.now }, statusCode.DELIVERED, this.now);
  }

  /** Receipts that overtook the response find their part now. */
  #tellEarly(): void {
    // Older receipts are left to the operator, even if the clock is set back.
    this.#parked = this.#parked.filter(({ at }) => at > this.now - parkedWorthMs);
    const early = this.#parked.filter(({ id }) => this.takenParts.has(id));
    this.#parked = this.#parked.filter((one) => !early.includes(one));
    this.#tellSet(early.sort((a, b) => a.at - b.at));
  }

  readonly #isWithCarrierSince = (latest: number): boolean =>
    this.messages.some(({ where, claimedAt }) => where === 'withCarrier' && claimedAt <= latest);

  /** The worst response to any part decides for the message. */
  #moveOn(message: ModelMessage): void {
    const outcomes = message.answers.map(({ outcome }) => outcome);
    const rejected = outcomes.find((one) => one.kind === 'rejected');
    const retries = outcomes.flatMap((one) => (one.kind === 'retryAt' ? [one.time] : []));
    if (outcomes.some(({ kind }) => kind === 'inDoubt')) this.#doubt(message);
    if (rejected !== undefined) this.#end(message, rejected.status, this.now);
    else if (outcomes.some(({ kind }) => kind === 'inDoubt')) {
      if (this.#policy === 'fail' || message.doubts >= maxDoubts)
        this.#end(message, statusCode.UNKNOWN, this.now);
      else this.#tryAgain(message, this.now + doubtPauseMs * 5 ** (message.doubts - 1));
    } else if (retries.length > 0) this.#tryAgain(message, Math.max(...retries));
    else if (outcomes.some(({ kind }) => kind === 'givenBack')) message.where = 'waiting';
    else {
      message.where = 'awaitingReceipt';
      this.#turn(message, statusCode.SENT, this.now);
    }
  }

  tell(receipts: readonly ModelReceipt[]): void {
    this.#tellSet(receipts.map((receipt) => ({ ...receipt, at: this.now })));
  }

  /** Receipts are held only after the whole set has been read, so no other receipt of the same set overtakes them. */
  #tellSet(receipts: readonly (ModelReceipt & { readonly at: number })[]): void {
    const held = receipts.filter((receipt) => this.#tell(receipt, receipt.at) === 'held');
    for (const receipt of held) this.#held.hold(receipt, receipt.at);
  }

  #tell(receipt: ModelReceipt, at: number): 'held' | undefined {
    const taken = this.takenParts.get(receipt.id);
    if (taken === undefined) {
      const isSame = (one: ModelReceipt & { at: number }) => one.status === receipt.status && one.at === at;
      if (!this.#parked.some((one) => one.id === receipt.id && isSame(one)))
        this.#parked.push({ ...receipt, at });
      return undefined;
    }
    if (receipt.status !== statusCode.SENT)
      for (const one of this.#held.overtakenBy(receipt.id, at, this.now, this.#isWithCarrierSince))
        this.#tellOf(taken, one.status, one.at);
    // If the receipt is dated in the future, it was early, and the clock has been set back since.
    const isLate = at - taken.takenAt > longAgoMs && at <= this.now && receipt.status !== statusCode.SENT;
    if (isLate && this.#isWithCarrierSince(Number.POSITIVE_INFINITY)) return 'held';
    this.#tellOf(taken, receipt.status, at);
    return undefined;
  }

  #tellOf({ message, part }: TakenPart, code: number, at: number): void {
    if (message.parts === 1) {
      this.#advance(message, code, at);
      return;
    }
    const before = message.taken.get(part) as number;
    if (!mayTurn(before, code)) return;
    const reported = this.#receiptsPerMessage === 'one' ? [...message.taken.keys()] : [part];
    for (const one of reported)
      if (mayTurn(message.taken.get(one) as number, code)) message.taken.set(one, code);
    const parts = Array.from({ length: message.parts }, (_, index) => message.taken.get(index + 1));
    this.#advance(message, combined(parts.map((one) => one ?? statusCode.SENT)), at);
  }

  #advance(message: ModelMessage, to: number, at: number): void {
    // A part that is still open does not change the message's status.
    if (!isAllowed(message, to) || (message.parts > 1 && to === statusCode.SENT)) return;
    this.#turn(message, to, at);
    message.expiredByTimer = false;
    if (finals.includes(to)) message.where = 'over';
  }

  /** The process ends or is declared dead: whatever its carrier has is in doubt, and another process takes over. */
  endLife(): void {
    for (const message of this.messages.filter(({ where }) => where === 'withCarrier')) {
      // The end of a node, however often it happens, is never enough to end a message.
      if (message.doubts === 0) this.#doubt(message);
      if (this.#policy === 'fail') this.#end(message, statusCode.UNKNOWN, this.now);
      else message.where = 'waiting';
    }
    this.ghosts.push(...this.open.keys());
    this.open.clear();
    this.handOver();
  }

  #tryAgain(message: ModelMessage, time: number): void {
    message.where = 'retrying';
    message.dueAt = Math.min(time, this.now + longestRetryMs, message.expiresAt);
  }

  #doubt(message: ModelMessage): void {
    message.doubts += 1;
    message.cost = 'due';
  }

  #expire(message: ModelMessage): void {
    this.#end(message, statusCode.EXPIRED, this.now);
    message.expiredByTimer = true;
  }

  #end(message: ModelMessage, to: number, time: number): void {
    this.#turn(message, to, time);
    message.where = 'over';
    if (message.cost === 'reserved') message.cost = 'refunded';
  }

  #turn(message: ModelMessage, to: number, time: number): void {
    if (!isAllowed(message, to)) throw new Error(`the model itself turns ${message.status} into ${to}`);
    message.status = to;
    message.time = time;
    message.unread = true;
  }
}

function isAllowed({ status, expiredByTimer }: ModelMessage, to: number): boolean {
  return expiredByTimer ? to === statusCode.DELIVERED : mayTurn(status, to);
}
