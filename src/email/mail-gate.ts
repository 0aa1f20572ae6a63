/**
 * Decides whether one more mail is taken on, as admission does for requests: refused early, memory stays bounded and
 * answers quick. Servers keep a refused mail and come again, so that more may be waited here than by a caller of the API.
 */
export interface MailGateLimits {
  /** Mails that are being worked on, from the end of their data to their answer. */
  readonly maxMails: number;
  /** Of these, by others than trusted relays and users: their DNS may take its time on purpose. */
  readonly maxStrangersMails: number;
  /** So many are taken on however long they wait: a single long task is no overload. */
  readonly minMails: number;
  /** Octets of mails that are being received or worked on. */
  readonly maxOctets: number;
  /** For two turns of the event loop, and for the store. */
  readonly maxWaitMs: number;
}

const mebibyte = 1024 * 1024;

export const standardMailGateLimits: MailGateLimits = {
  maxMails: 64,
  maxStrangersMails: 32,
  minMails: 4,
  maxOctets: 64 * mebibyte,
  maxWaitMs: 500,
};

const lookIntervalMs = 50;

export class MailGate {
  readonly #limits: MailGateLimits;
  readonly #storeWaitMs: () => number;
  readonly #timer: NodeJS.Timeout;
  #lookedAtMs = performance.now();
  #turnMs = 0;
  #mails = 0;
  #strangersMails = 0;
  #octets = 0;

  constructor(limits: MailGateLimits, storeWaitMs: () => number) {
    this.#limits = limits;
    this.#storeWaitMs = storeWaitMs;
    this.#timer = setInterval(() => this.#look(), lookIntervalMs).unref();
  }

  /** To be asked before anything of a mail is received. */
  isOpenTo({ isStranger }: { readonly isStranger: boolean }): boolean {
    const { maxMails, maxStrangersMails, minMails, maxOctets, maxWaitMs } = this.#limits;
    if (this.#mails >= maxMails || this.#octets >= maxOctets) return false;
    if (isStranger && this.#strangersMails >= maxStrangersMails) return false;
    return this.#mails < minMails || 2 * this.#turnMs + this.#storeWaitMs() <= maxWaitMs;
  }

  /** False: there is no room for them. Others are to be given back by `release`. */
  hold(octets: number): boolean {
    if (this.#octets + octets > this.#limits.maxOctets) return false;
    this.#octets += octets;
    return true;
  }

  release(octets: number): void {
    this.#octets -= octets;
  }

  /** Undefined: it is not taken on. */
  async work<Answer>(
    from: { readonly isStranger: boolean },
    task: () => Promise<Answer>,
  ): Promise<Answer | undefined> {
    if (!this.isOpenTo(from)) return undefined;
    this.#mails += 1;
    if (from.isStranger) this.#strangersMails += 1;
    try {
      return await task();
    } finally {
      this.#mails -= 1;
      if (from.isStranger) this.#strangersMails -= 1;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    this.#turnMs = Math.max(0, nowMs - this.#lookedAtMs - lookIntervalMs);
    this.#lookedAtMs = nowMs;
  }
}
