/** What is on its way to clients: it goes to one that is bound and has room, and waits while there is none. */
import { commandStatus, commandStatusName } from '../wire/smpp/command-status.ts';
import type { Journal } from './journal.ts';
import type { Delivery, Session } from './session.ts';
import type { Timers } from './timers.ts';

/** Refusals for now: the same delivery may be taken later. */
const temporary: ReadonlySet<number> = new Set([
  commandStatus.ESME_RSYSERR,
  commandStatus.ESME_RMSGQFUL,
  commandStatus.ESME_RTHROTTLED,
  commandStatus.ESME_RX_T_APPN,
]);
const mostTries = 5;
const retryMs = 1_000;
const mostWaiting = 100_000;

export class Mailbox {
  readonly #sessions: ReadonlySet<Session>;
  readonly #journal: Journal;
  readonly #timers: Timers;
  /** By system id; undefined: for anybody. Those that wait stay in order. */
  readonly #waiting = new Map<string | undefined, Set<Delivery>>();
  #size = 0;

  constructor(sessions: ReadonlySet<Session>, journal: Journal, timers: Timers) {
    this.#sessions = sessions;
    this.#journal = journal;
    this.#timers = timers;
  }

  /** Those that wait. */
  get size(): number {
    return this.#size;
  }

  post(delivery: Delivery): void {
    const session = this.#receiverOf(delivery);
    if (session === undefined) this.#wait(delivery);
    else session.deliver(delivery);
  }

  /** Hands over what waits, as far as there is room. */
  pump(session: Session): void {
    for (const owner of [session.systemId, undefined]) {
      const waiting = this.#waiting.get(owner);
      if (waiting === undefined) continue;
      for (const delivery of waiting) {
        if (!session.hasRoom) return;
        waiting.delete(delivery);
        this.#size -= 1;
        session.deliver(delivery);
      }
      this.#waiting.delete(owner);
    }
  }

  settled(session: Session, delivery: Delivery, status: number): void {
    if (status === commandStatus.ESME_ROK) {
      this.#journal.deliveriesTaken += 1;
      return;
    }
    delivery.tries += 1;
    const isAgain = temporary.has(status) && delivery.tries < mostTries;
    this.#journal.tell(
      'refused',
      () =>
        `#${session.number}  ${commandStatusName(status)} for ${delivery.words()}${isAgain ? `; again in ${retryMs} ms` : ''}`,
    );
    if (isAgain) this.#timers.after(retryMs, () => this.post(delivery));
    else this.#journal.deliveriesRefused += 1;
  }

  /** Among those with room, the one with the least to do. */
  #receiverOf({ systemId, origin }: Delivery): Session | undefined {
    const prefers = origin?.isAvoided === false ? origin.session : undefined;
    if (prefers?.hasRoom) return prefers;
    let best: Session | undefined;
    for (const session of this.#sessions) {
      if (!session.hasRoom || (systemId !== undefined && session.systemId !== systemId)) continue;
      if (session === origin?.session) continue;
      if (best === undefined || session.load < best.load) best = session;
    }
    return best ?? (origin?.session.hasRoom ? origin.session : undefined);
  }

  #wait(delivery: Delivery): void {
    const { systemId } = delivery;
    if (this.#size >= mostWaiting) {
      this.#journal.tell(
        'fault',
        () => `${mostWaiting} deliveries wait already: forgotten: ${delivery.words()}`,
      );
      return;
    }
    let waiting = this.#waiting.get(systemId);
    if (waiting === undefined) {
      waiting = new Set();
      this.#waiting.set(systemId, waiting);
      this.#journal.tell('other', () => `nobody is there to take it: it waits: ${delivery.words()}`);
    }
    waiting.add(delivery);
    this.#size += 1;
  }
}
