/** The requests of a session other than submissions: each kind once at a time, and each with a time-out. */

export type OwnRequest = 'bind' | 'enquire_link' | 'unbind';

interface PendingRequest {
  readonly request: OwnRequest;
  readonly sequence: number;
  readonly dueAt: number;
}

export class OwnRequests {
  #pending: readonly PendingRequest[] = [];

  /** `dueAt` by `performance.now()`. */
  ask(request: OwnRequest, sequence: number, dueAt: number): void {
    this.#pending = [...this.#pending, { request, sequence, dueAt }];
  }

  /** The request with that number; undefined when there is none, or it was answered already. */
  answered(sequence: number): OwnRequest | undefined {
    const pending = this.#pending.find((one) => one.sequence === sequence);
    if (pending !== undefined) this.#pending = this.#pending.filter((one) => one !== pending);
    return pending?.request;
  }

  isOpen(request: OwnRequest): boolean {
    return this.#pending.some((one) => one.request === request);
  }

  overdue(now: number): OwnRequest | undefined {
    return this.#pending.find(({ dueAt }) => dueAt < now)?.request;
  }
}
