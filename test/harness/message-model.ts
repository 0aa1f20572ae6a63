/**
 * What messages must do, told once more in the plainest way: lists in memory, one act after the other, by the API
 * contract and without any of the product's code. Whoever changes a rule changes it here too, by hand.
 */
import { HeldModel } from './held-model.ts';
import { LeaseModel } from './lease-model.ts';
import { combined, finals, mayTurn, type Outcome, statusCode, type Told } from './message-rules.ts';

export interface ModelMessage {
  readonly id: string;
  readonly userId: number;
  readonly to: string;
  readonly from: string;
  readonly conversation: string;
  readonly parts: number;
  readonly expiresAt: number;
  status: number;
  /** Of the last change of the status. */
  time: number;
  unread: boolean;
  where: 'scheduled' | 'waiting' | 'retrying' | 'withCarrier' | 'awaitingReceipt' | 'over';
  dueAt: number;
  cost: 'reserved' | 'due' | 'refunded';
  expiredByTimer: boolean;
  doubts: number;
  /** What became of the parts that the carrier took, by part. */
  readonly taken: Map<number, number>;
  /** How often each part was handed over, by part. */
  readonly handovers: Map<number, number>;
  /** Answers of the carrier to what it has in hand, in their order. */
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
/** A message without a receipt is given up this long after its validity. */
const graceMs = 60 * minuteMs;
/** A receipt that is this old when its part is taken is no longer believed to be that part's. */
const parkedWorthMs = 15 * minuteMs;
/** A part taken longer ago may have left its id to one that is with the carrier: its receipt waits for that answer. */
const longAgoMs = 30_000;
/** What is in doubt is sent again after this pause. */
const [doubtPauseMs, mostDoubts] = [1_000, 3];
/** No try is put off for longer, lest a clock that was set back holds it up. */
const longestRetryMs = 5 * minuteMs;

export class MessageModel {
  now: number;
  carrierIsOpen = true;
  readonly messages: ModelMessage[] = [];
  readonly leases = new LeaseModel();
  /** By the names that the carrier gives them: parts in its hands, not answered. */
  readonly open = new Map<string, OpenPart>();
  /** The same of lives that ended before the answer. */
  readonly ghosts: string[] = [];
  readonly takenParts = new Map<string, TakenPart>();
  handedOver = 0;
  #parked: (Told & { readonly at: number })[] = [];
  readonly #held = new HeldModel();
  readonly #policy: 'retry' | 'fail';
  readonly #receiptsPerMessage: 'part' | 'one';

  constructor(now: number, policy: 'retry' | 'fail', receiptsPerMessage: 'part' | 'one') {
    this.now = now;
    this.#policy = policy;
    this.#receiptsPerMessage = receiptsPerMessage;
  }

  /** SMS parts that messages cost, of a user or of all. */
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

  /** The new status, or undefined when it is too late. */
  cancel(message: ModelMessage): number | undefined {
    if (!['scheduled', 'waiting', 'retrying'].includes(message.where)) return undefined;
    const to = message.where === 'scheduled' ? statusCode.CANCELED : statusCode.DELETED;
    this.#end(message, to, this.now);
    return to;
  }

  /** What time brings: send times, further tries, the ends of validities, receipts that never came. */
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
    // One that was too old may be young again, by a clock that was set back.
    this.#tellEarly();
    for (const { id, status, at } of this.#held.take(this.now, this.#isWithCarrierSince))
      this.#tellOf(this.takenParts.get(id) as TakenPart, status, at);
  }

  /** A carrier with room gets all that waits and is still worth it. */
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

  /** The one receipt for the message came before all of its parts were taken. */
  #tellLater(message: ModelMessage): void {
    const isTold = [...message.taken.values()].includes(statusCode.DELIVERED);
    if (this.#receiptsPerMessage === 'part' || !isTold) return;
    for (const [part, code] of [...message.taken])
      if (code === statusCode.SENT)
        this.#tellOf({ message, part, takenAt: this.now }, statusCode.DELIVERED, this.now);
  }

  /** Receipts that were faster than the answer find their part now. */
  #tellEarly(): void {
    // What has waited longer is the operator's, and stays so should the clock be set back.
    this.#parked = this.#parked.filter(({ at }) => at > this.now - parkedWorthMs);
    const early = this.#parked.filter(({ id }) => this.takenParts.has(id));
    this.#parked = this.#parked.filter((one) => !early.includes(one));
    this.#tellAtOnce(early.sort((a, b) => a.at - b.at));
  }

  readonly #isWithCarrierSince = (latest: number): boolean =>
    this.messages.some(({ where, claimedAt }) => where === 'withCarrier' && claimedAt <= latest);

  /** The worst answer of a part is the message's. */
  #moveOn(message: ModelMessage): void {
    const outcomes = message.answers.map(({ outcome }) => outcome);
    const rejected = outcomes.find((one) => one.kind === 'rejected');
    const retries = outcomes.flatMap((one) => (one.kind === 'retryAt' ? [one.time] : []));
    if (outcomes.some(({ kind }) => kind === 'inDoubt')) this.#doubt(message);
    if (rejected !== undefined) this.#end(message, rejected.status, this.now);
    else if (outcomes.some(({ kind }) => kind === 'inDoubt')) {
      if (this.#policy === 'fail' || message.doubts >= mostDoubts)
        this.#end(message, statusCode.UNKNOWN, this.now);
      else this.#tryAgain(message, this.now + doubtPauseMs * 5 ** (message.doubts - 1));
    } else if (retries.length > 0) this.#tryAgain(message, Math.max(...retries));
    else if (outcomes.some(({ kind }) => kind === 'givenBack')) message.where = 'waiting';
    else {
      message.where = 'awaitingReceipt';
      this.#turn(message, statusCode.SENT, this.now);
    }
  }

  tell(receipts: readonly Told[]): void {
    this.#tellAtOnce(receipts.map((receipt) => ({ ...receipt, at: this.now })));
  }

  /** What is held waits from the end of the set on: none of the same set overtakes it. */
  #tellAtOnce(receipts: readonly (Told & { readonly at: number })[]): void {
    const held = receipts.filter((receipt) => this.#tell(receipt, receipt.at) === 'held');
    for (const receipt of held) this.#held.hold(receipt, receipt.at);
  }

  #tell(receipt: Told, at: number): 'held' | undefined {
    const taken = this.takenParts.get(receipt.id);
    if (taken === undefined) {
      const isSame = (one: Told & { at: number }) => one.status === receipt.status && one.at === at;
      if (!this.#parked.some((one) => one.id === receipt.id && isSame(one)))
        this.#parked.push({ ...receipt, at });
      return undefined;
    }
    if (receipt.status !== statusCode.SENT)
      for (const one of this.#held.overtakenBy(receipt.id, at, this.now, this.#isWithCarrierSince))
        this.#tellOf(taken, one.status, one.at);
    // Told in the future, it was early: the clock was set back since.
    const isLate = at - taken.takenAt > longAgoMs && at <= this.now && receipt.status !== statusCode.SENT;
    if (isLate && this.#isWithCarrierSince(Number.POSITIVE_INFINITY)) return 'held';
    this.#tellOf(taken, receipt.status, at);
    return undefined;
  }

  #tellOf({ message, part }: TakenPart, code: number, at: number): void {
    if (message.parts === 1) {
      this.#toldOf(message, code, at);
      return;
    }
    const before = message.taken.get(part) as number;
    if (!mayTurn(before, code)) return;
    const told = this.#receiptsPerMessage === 'one' ? [...message.taken.keys()] : [part];
    for (const one of told) if (mayTurn(message.taken.get(one) as number, code)) message.taken.set(one, code);
    const parts = Array.from({ length: message.parts }, (_, index) => message.taken.get(index + 1));
    this.#toldOf(message, combined(parts.map((one) => one ?? statusCode.SENT)), at);
  }

  #toldOf(message: ModelMessage, to: number, at: number): void {
    // That a part is still open is no news of the message.
    if (!isAllowed(message, to) || (message.parts > 1 && to === statusCode.SENT)) return;
    this.#turn(message, to, at);
    message.expiredByTimer = false;
    if (finals.includes(to)) message.where = 'over';
  }

  /** The process ends, or is taken for dead: what the carrier has is in doubt, and another life goes on. */
  endLife(): void {
    for (const message of this.messages.filter(({ where }) => where === 'withCarrier')) {
      // However often nodes end, they bring no message to its end.
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
