/** What a carrier’s answers come to for a message, as its dispatch tells it to the store. */

/** A part that a carrier took, with the id it gave. */
export interface TakenPart {
  readonly companyId: number;
  readonly messageId: number;
  readonly part: number;
  readonly parts: number;
  readonly carrierMessageId: string;
  /** When it was written to the carrier, where the carrier knows. */
  readonly submittedAt: number | null;
  readonly answeredAt: number;
}

/** Where a message goes after its carrier answered. */
export interface Advance {
  readonly companyId: number;
  readonly id: number;
  /** The claim that this is the end of, by its number. */
  readonly attempts: number;
  readonly status: number;
  readonly stage: number | null;
  /** Null where it has ended, and where it waits again: then its place is by its age. */
  readonly dueAt: number | null;
  /** A carrier has it, or may have it: it is paid for. */
  readonly handedOver: boolean;
  readonly inDoubt: boolean;
  readonly expiredByTimer: boolean;
  readonly reason: string | null;
}

export interface OutcomeRecord {
  readonly nodeId: number;
  readonly carrierId: number;
  readonly now: number;
  readonly taken: readonly TakenPart[];
  readonly advances: readonly Advance[];
}
