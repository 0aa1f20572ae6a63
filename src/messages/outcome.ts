/** The result of a carrier's responses for a message, as dispatch records it in the store. */

import { type Packed, Packing } from '../foundation/packing.ts';

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

const takenParts = new Packing<TakenPart>(
  'companyId',
  'messageId',
  'part',
  'parts',
  'carrierMessageId',
  'submittedAt',
  'answeredAt',
);

const advances = new Packing<Advance>(
  'companyId',
  'id',
  'attempts',
  'status',
  'stage',
  'dueAt',
  'handedOver',
  'inDoubt',
  'expiredByTimer',
  'reason',
);

interface PackedRecord extends Omit<OutcomeRecord, 'taken' | 'advances'> {
  readonly taken: Packed<TakenPart>;
  readonly advances: Packed<Advance>;
}

export const outcomeRecords = {
  pack: (records: readonly OutcomeRecord[]): readonly PackedRecord[] =>
    records.map((record) => ({
      ...record,
      taken: takenParts.pack(record.taken),
      advances: advances.pack(record.advances),
    })),
  unpack: (packed: readonly PackedRecord[]): readonly OutcomeRecord[] =>
    packed.map((record) => ({
      ...record,
      taken: takenParts.unpack(record.taken),
      advances: advances.unpack(record.advances),
    })),
};

export interface OutcomeRecord {
  readonly nodeId: number;
  readonly carrierId: number;
  /** Whether the carrier is a simulator, so that no phone gets what it takes. */
  readonly isSimulator?: boolean;
  readonly now: number;
  readonly taken: readonly TakenPart[];
  readonly advances: readonly Advance[];
}
