/** What clients were told, and so may rely on: the store is judged by it, and by nothing that the server says of itself. */

export interface AcceptedMessage {
  readonly to: string;
  readonly username: string;
  /** When it was to leave; undefined: at once. */
  readonly dueAt: number | undefined;
}

/** Unknown: the connection broke, or the server said 503. It may have been done, as a whole, or not. */
type Fate = 'accepted' | 'refused' | 'unknown';

export interface Request {
  readonly username: string;
  readonly recipients: number;
  readonly fate: Fate;
}

/** A rule that was broken, and where. */
export interface Offence {
  readonly rule: string;
  readonly where: readonly string[];
}

export class Witness {
  readonly accepted = new Map<string, AcceptedMessage>();
  /** By the conversation that its messages carry; one for each call, or for each Idempotency-Key. */
  readonly requests = new Map<string, Request>();
  /** Scheduled far enough ahead to be cancelled. */
  readonly cancellable: string[] = [];
  readonly cancelTried = new Set<string>();
  /** How long the latest command that cancels took: what is to be cancelled is scheduled for later than that. */
  cancelTakesMs = 0;
  /** The command said so: id and status. */
  readonly cancelled = new Map<string, string>();
  /** Statuses that an answered reading has marked as read: `id status`. */
  readonly statusesTaken = new Set<string>();
  /** Statuses that a client was shown, in whatever way: `id status`. */
  readonly statusesSeen = new Set<string>();
  /** Items that readings which were never answered may have marked as read, at the most. */
  mayBeMarkedUnseen = { statuses: 0, incoming: 0 };
  /** Incoming SMS that the server said it has. */
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
