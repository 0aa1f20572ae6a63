/**
 * Decides whether one more mail is accepted, as admission does for requests: refusing early keeps memory bounded and
 * answers quick. Servers keep a refused mail and try again, so waits may be longer here than for callers of the API.
 *
 * Strangers have half of everything, and a network of theirs a part of that: whose mail is certain always has room.
 */
import { Budget } from '../../foundation/budget.ts';

export interface MailGateLimits {
  readonly all: MailShare;
  /** The part of all that is for others than trusted relays and users: their DNS, and their mails, may take their time on purpose. */
  readonly strangers: MailShare;
  /** The part of these that is for one network. */
  readonly network: MailShare;
  /** So many are taken on however long they wait: a single long task is no overload. */
  readonly minMails: number;
  /** For two turns of the event loop, and for the store. */
  readonly maxWaitMs: number;
}

interface MailShare {
  /** Mails that are being worked on, from the end of their data to their answer. */
  readonly maxMails: number;
  /** Octets of mails that are being received or worked on. */
  readonly maxOctets: number;
}

export interface MailOrigin {
  readonly isStranger: boolean;
  /** Undefined: that of this machine, through which many may come. */
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

  /** To be asked before anything of a mail is received. */
  isOpenTo(from: MailOrigin): boolean {
    return this.#hasPlace(from) && this.#octets.hasRoomFor(1, ...shareOf(from));
  }

  /** False: there is no room for them. Others are to be given back by `release`. */
  hold(octets: number, from: MailOrigin): boolean {
    return this.#octets.take(octets, ...shareOf(from));
  }

  release(octets: number, from: MailOrigin): void {
    this.#octets.give(octets, ...shareOf(from));
  }

  /** Its octets are held already. Undefined when it is not taken on. */
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

/** The owner and the member that take what a mail of this origin takes. */
function shareOf({ isStranger, network }: MailOrigin): [owner?: string, member?: string | undefined] {
  return isStranger ? ['strangers', network] : [];
}

const firstRoom = 64 * 1024;
/** Any mail may have as many; beyond, a piece of an honest one has far more octets than this. */
const freePieces = 10_000;
const minMeanOctets = 16;

/**
 * Collects the pieces in which a mail arrives, and counts them at the gate. A sender may make them as small as one octet
 * and never end: memory grows with the octets, not with the number of pieces.
 */
export class MailPieces {
  readonly #gate: Pick<MailGate, 'hold' | 'release'>;
  readonly #from: MailOrigin;
  /** Grows by doubling; `#held` octets of it are taken. */
  #room = nothing;
  #held = 0;
  #count = 0;
  #octets = 0;

  constructor(gate: Pick<MailGate, 'hold' | 'release'>, from: MailOrigin) {
    this.#gate = gate;
    this.#from = from;
  }

  /**
   * Also of what is not kept. False: there are so many, and so small, that their number alone keeps a server busy
   * (3 microseconds each).
   */
  count(piece: Buffer): boolean {
    this.#count += 1;
    this.#octets += piece.length;
    return this.#count <= freePieces + this.#octets / minMeanOctets;
  }

  /** False: there is no room for it. */
  keep(piece: Buffer): boolean {
    if (!this.#gate.hold(piece.length, this.#from)) return false;
    const length = this.#held + piece.length;
    if (length > this.#room.length) this.#grow(length);
    // Copied as it comes: as objects, pieces weigh up to a hundred times what they hold.
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
