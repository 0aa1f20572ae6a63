/**
 * Decides whether one more e-mail is accepted, as admission does for requests: early refusals keep memory bounded and responses
 * fast. Servers keep a refused e-mail and retry, so waits may be longer here than for API callers. Strangers get half of
 * everything, and each of their networks a part of that, so proven senders always have room.
 */
import { Budget } from '../../foundation/budget.ts';

export interface MailGateLimits {
  readonly all: MailShare;
  /** The share of everyone except trusted relays and users, whose DNS and e-mails may be slow on purpose. */
  readonly strangers: MailShare;
  /** The share of one network within that of strangers. */
  readonly network: MailShare;
  /** This many e-mails are accepted however long the waits are: a single long task does not mean overload. */
  readonly minMails: number;
  /** The wait for two turns of the event loop and for the store. */
  readonly maxWaitMs: number;
}

interface MailShare {
  /** E-mails being processed, from the end of their data to their response. */
  readonly maxMails: number;
  /** Octets of e-mails being received or processed. */
  readonly maxOctets: number;
}

export interface MailOrigin {
  readonly isUnauthenticated: boolean;
  /** Undefined for this machine's own address, which many clients may share. */
  readonly network: string | undefined;
}

const mebibyte = 1024 * 1024;

export const standardMailGateLimits: MailGateLimits = {
  all: { maxMails: 64, maxOctets: 64 * mebibyte },
  strangers: { maxMails: 32, maxOctets: 32 * mebibyte },
  network: { maxMails: 8, maxOctets: 8 * mebibyte },
  minMails: 4,
  maxWaitMs: 500,
};

const lookIntervalMs = 50;

export class MailGate {
  readonly #limits: MailGateLimits;
  readonly #storeWaitMs: () => number;
  readonly #timer: NodeJS.Timeout;
  /** In both budgets strangers are one owner, and their networks are its members. */
  readonly #mails: Budget;
  readonly #octets: Budget;
  #lookedAtMs = performance.now();
  #turnMs = 0;

  constructor(limits: MailGateLimits, storeWaitMs: () => number) {
    this.#limits = limits;
    this.#mails = budgetOf('maxMails', limits);
    this.#octets = budgetOf('maxOctets', limits);
    this.#storeWaitMs = storeWaitMs;
    this.#timer = setInterval(() => this.#look(), lookIntervalMs).unref();
  }

  /** Call this before any part of an e-mail is received. */
  isOpenTo(from: MailOrigin): boolean {
    return this.#hasPlace(from) && this.#octets.hasRoomFor(1, ...shareOf(from));
  }

  /** Returns false if there is no room. Octets that are held must be given back with `release`. */
  hold(octets: number, from: MailOrigin): boolean {
    return this.#octets.take(octets, ...shareOf(from));
  }

  release(octets: number, from: MailOrigin): void {
    this.#octets.give(octets, ...shareOf(from));
  }

  /** The e-mail's octets must already be held. Returns undefined if the e-mail is not accepted. */
  async work<Answer>(from: MailOrigin, task: () => Promise<Answer>): Promise<Answer | undefined> {
    return this.#hasPlace(from) ? this.#mails.run(task, ...shareOf(from)) : undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #hasPlace(from: MailOrigin): boolean {
    const { minMails, maxWaitMs } = this.#limits;
    if (!this.#mails.hasRoomFor(1, ...shareOf(from))) return false;
    return this.#mails.taken() < minMails || 2 * this.#turnMs + this.#storeWaitMs() <= maxWaitMs;
  }

  #look(): void {
    const nowMs = performance.now();
    this.#turnMs = Math.max(0, nowMs - this.#lookedAtMs - lookIntervalMs);
    this.#lookedAtMs = nowMs;
  }
}

function budgetOf(share: keyof MailShare, { all, strangers, network }: MailGateLimits): Budget {
  return new Budget({ inAll: all[share], ofOwner: strangers[share], ofMember: network[share] });
}

/** The owner and member that an e-mail of this origin counts towards. */
function shareOf({ isUnauthenticated, network }: MailOrigin): [owner?: string, member?: string | undefined] {
  return isUnauthenticated ? ['strangers', network] : [];
}

const firstRoom = 64 * 1024;
/** Any e-mail may have this many pieces; beyond that, an honest e-mail averages far more octets per piece than the minimum. */
const freePieces = 10_000;
const minMeanOctets = 16;

/**
 * Collects the pieces of an arriving e-mail and counts them at the gate. A sender may make pieces as small as one octet and
 * never end, so memory must grow with the octets, not with the number of pieces.
 */
export class MailPieces {
  readonly #gate: Pick<MailGate, 'hold' | 'release'>;
  readonly #from: MailOrigin;
  /** Grows by doubling; `#held` octets of it are used. */
  #room = nothing;
  #held = 0;
  #count = 0;
  #octets = 0;

  constructor(gate: Pick<MailGate, 'hold' | 'release'>, from: MailOrigin) {
    this.#gate = gate;
    this.#from = from;
  }

  /**
   * Also counts pieces that are not kept. Returns false if there are so many small pieces that their number alone keeps the
   * server busy (3 microseconds each).
   */
  count(piece: Buffer): boolean {
    this.#count += 1;
    this.#octets += piece.length;
    return this.#count <= freePieces + this.#octets / minMeanOctets;
  }

  /** Returns false if there is no room for it. */
  keep(piece: Buffer): boolean {
    if (!this.#gate.hold(piece.length, this.#from)) return false;
    const length = this.#held + piece.length;
    if (length > this.#room.length) this.#grow(length);
    // Copied on arrival because piece objects weigh up to a hundred times what they hold.
    piece.copy(this.#room, this.#held);
    this.#held = length;
    return true;
  }

  whole(): Buffer {
    return this.#room.subarray(0, this.#held);
  }

  letGo(): void {
    this.#gate.release(this.#held, this.#from);
    this.#held = 0;
    this.#room = nothing;
  }

  #grow(length: number): void {
    const room = Buffer.allocUnsafeSlow(Math.max(firstRoom, length, 2 * this.#room.length));
    this.#room.copy(room, 0, 0, this.#held);
    this.#room = room;
  }
}

const nothing = Buffer.alloc(0);
