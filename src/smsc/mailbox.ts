/** Queues deliveries to clients. A delivery goes to a bound client that has room, and waits while there is none. */
import { commandStatus, commandStatusName } from '../wire/smpp/command-status.ts';
import type { EventLog } from './event-log.ts';
import type { ClientSession, QueuedDelivery } from './session.ts';
import type { Timers } from './timers.ts';

/** Temporary refusals: the same delivery may be accepted later. */
const temporary: ReadonlySet<number> = new Set([
  commandStatus.ESME_RSYSERR,
  commandStatus.ESME_RMSGQFUL,
  commandStatus.ESME_RTHROTTLED,
  commandStatus.ESME_RX_T_APPN,
]);
const maxTries = 5;
const retryMs = 1_000;
const maxWaiting = 100_000;

export class Mailbox {
  readonly #sessions: ReadonlySet<ClientSession>;
  readonly #journal: EventLog;
  readonly #timers: Timers;
  /** Waiting deliveries in order, by system id. The key undefined means any client. */
  readonly #waiting = new Map<string | undefined, Set<QueuedDelivery>>();
  #size = 0;

  constructor(sessions: ReadonlySet<ClientSession>, journal: EventLog, timers: Timers) {
    this.#sessions = sessions;
    this.#journal = journal;
    this.#timers = timers;
  }

  /** Number of waiting deliveries. */
  get size(): number {
    return this.#size;
  }

  post(delivery: QueuedDelivery): void {
    const session = this.#receiverOf(delivery);
    if (session === undefined) this.#wait(delivery);
    else session.deliver(delivery);
  }

  /** Delivers what is waiting for as long as the session has room. */
  pump(session: ClientSession): void {
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

  settled(session: ClientSession, delivery: QueuedDelivery, status: number): void {
    if (status === commandStatus.ESME_ROK) {
      this.#journal.deliveriesTaken += 1;
      return;
    }
    delivery.tries += 1;
    const isAgain = temporary.has(status) && delivery.tries < maxTries;
    this.#journal.record(
      'refused',
      () =>
        `#${session.number}  ${commandStatusName(status)} for ${delivery.describe()}${isAgain ? `; again in ${retryMs} ms` : ''}`,
    );
    if (isAgain) this.#timers.after(retryMs, () => this.post(delivery));
    else this.#journal.deliveriesRefused += 1;
  }

  /** Picks the least loaded session among those with room. */
  #receiverOf({ systemId, origin }: QueuedDelivery): ClientSession | undefined {
    const prefers = origin?.isAvoided === false ? origin.session : undefined;
    if (prefers?.hasRoom) return prefers;
    let best: ClientSession | undefined;
    for (const session of this.#sessions) {
      if (!session.hasRoom || (systemId !== undefined && session.systemId !== systemId)) continue;
      if (session === origin?.session) continue;
      if (best === undefined || session.load < best.load) best = session;
    }
    return best ?? (origin?.session.hasRoom ? origin.session : undefined);
  }

  #wait(delivery: QueuedDelivery): void {
    const { systemId } = delivery;
    if (this.#size >= maxWaiting) {
      this.#journal.record(
        'fault',
        () => `${maxWaiting} deliveries are already waiting; dropped: ${delivery.describe()}`,
      );
      return;
    }
    let waiting = this.#waiting.get(systemId);
    if (waiting === undefined) {
      waiting = new Set();
      this.#waiting.set(systemId, waiting);
      this.#journal.record('other', () => `no receiver is bound; it waits: ${delivery.describe()}`);
    }
    waiting.add(delivery);
    this.#size += 1;
  }
}
