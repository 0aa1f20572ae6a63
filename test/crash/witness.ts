/**
 * What clients were told and may rely on. The store is checked against this alone, not against what the server says about
 * itself.
 */

export interface AcceptedMessage {
  readonly to: string;
  readonly username: string;
  /** When the message was to leave; undefined means at once. */
  readonly dueAt: number | undefined;
}

/**
 * `unknown`: the connection broke, or the server answered 503. The call was then carried out as a whole, or not at all.
 */
type UploadOutcome = 'accepted' | 'refused' | 'unknown';

export interface Request {
  readonly username: string;
  readonly recipients: number;
  readonly outcome: UploadOutcome;
}

/** A rule that was broken, and where. */
export interface Offence {
  readonly rule: string;
  readonly where: readonly string[];
}

export class Witness {
  readonly accepted = new Map<string, AcceptedMessage>();
  /** Requests by the conversation of their messages; one for each call, or for each Idempotency-Key. */
  readonly requests = new Map<string, Request>();
  /** Messages scheduled far enough ahead to be cancelled. */
  readonly cancellable: string[] = [];
  readonly cancelTried = new Set<string>();
  /** How long the latest cancel command took; messages to be cancelled are scheduled further ahead than that. */
  cancelTakesMs = 0;
  /** Messages that the command said it cancelled: id and status. */
  readonly cancelled = new Map<string, string>();
  /** Statuses that an answered read has marked as read: `id status`. */
  readonly statusesTaken = new Set<string>();
  /** Statuses that a client was shown in any way: `id status`. */
  readonly statusesSeen = new Set<string>();
  /** The maximum number of items that unanswered reads may have marked as read. */
  mayBeMarkedUnseen = { statuses: 0, incoming: 0 };
  /** Incoming SMS that the server said it has stored. */
  readonly incomingStored = new Set<string>();
  readonly incomingTaken = new Set<string>();
  readonly counts = { answered: 0, refused: 0, unanswered: 0, repeated: 0 };
  readonly #offences = new Map<string, string[]>();

  blame(rule: string, ...where: readonly string[]): void {
    if (where.length === 0) return;
    const known = this.#offences.get(rule) ?? [];
    this.#offences.set(rule, known);
    known.push(...where);
  }

  get offences(): readonly Offence[] {
    return [...this.#offences].map(([rule, where]) => ({ rule, where }));
  }
}
