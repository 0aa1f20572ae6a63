/** What a session asks the SMSC beside submissions: each at most once at a time, and each with a time for its answer. */

export type OwnRequest = 'bind' | 'enquire_link' | 'unbind';

interface Asked {
  readonly request: OwnRequest;
  readonly sequence: number;
  readonly dueAt: number;
}

export class OwnRequests {
  #asked: readonly Asked[] = [];

  /** `dueAt` by `performance.now()`. */
  ask(request: OwnRequest, sequence: number, dueAt: number): void {
    this.#asked = [...this.#asked, { request, sequence, dueAt }];
  }

  /** What was asked under that number; undefined: nothing, or it is answered already. */
  answered(sequence: number): OwnRequest | undefined {
    const asked = this.#asked.find((one) => one.sequence === sequence);
    if (asked !== undefined) this.#asked = this.#asked.filter((one) => one !== asked);
    return asked?.request;
  }

  isOpen(request: OwnRequest): boolean {
    return this.#asked.some((one) => one.request === request);
  }

  overdue(now: number): OwnRequest | undefined {
    return this.#asked.find(({ dueAt }) => dueAt < now)?.request;
  }
}
