/** The result of a carrier's responses for a message, as dispatch records it in the store. */

/** A part that a carrier took, with the id it gave. */
export interface TakenPart {
  readonly companyId: number;
  readonly messageId: number;
  readonly part: number;
  readonly parts: number;
  readonly carrierMessageId: string;
  /** When the part was written to the carrier, if the carrier knows. */
  readonly submittedAt: number | null;
  readonly answeredAt: number;
}

/** The next state of a message after its carrier responded. */
export interface Advance {
  readonly companyId: number;
  readonly id: number;
  /** The number of the claim that ends here. */
  readonly attempts: number;
  readonly status: number;
  readonly stage: number | null;
  /** Null when the message has ended, or waits again in the order of its age. */
  readonly dueAt: number | null;
  /** Whether a carrier has or may have the message, so that it is charged. */
  readonly handedOver: boolean;
  readonly inDoubt: boolean;
  readonly expiredByTimer: boolean;
  readonly reason: string | null;
}

export interface OutcomeRecord {
  readonly nodeId: number;
  readonly carrierId: number;
  /** Whether the carrier is a simulator, so that no phone gets what it takes. */
  readonly isSimulator?: boolean;
  readonly now: number;
  readonly taken: readonly TakenPart[];
  readonly advances: readonly Advance[];
}
