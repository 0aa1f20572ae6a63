/** Replaces dispatch: records everything that a carrier reports, and can fail to store it. */
import type {
  CarrierEvents,
  IncomingSms,
  Outcome,
  OutgoingPart,
  Receipt,
  StoredSms,
  UnreadableReceipt,
} from '../../src/carriers/carrier.ts';

export { until } from '../harness/awake.ts';

export interface HeardOutcome {
  readonly part: OutgoingPart;
  readonly outcome: Outcome;
  /** The time by `performance.now()`. */
  readonly at: number;
}

export class CarrierRecorder implements CarrierEvents {
  readonly outcomes: HeardOutcome[] = [];
  readonly stored: Receipt[] = [];
  readonly unreadable: UnreadableReceipt[] = [];
  readonly incomings: IncomingSms[] = [];
  /** The number of next calls to store receipts that fail. */
  receiptFaults = 0;
  /** The id of a receipt that can never be stored; receipts reported together with it can't be stored either. */
  unstorable: string | undefined;
  receiptCalls = 0;
  /** The number of next SMS from phones that can't be stored. */
  incomingFaults = 0;
  /** Receipts and SMS from phones are not stored before this resolves. */
  storing: Promise<void> | undefined;
  /** How long storing a set of receipts takes, even if a test controls the time. */
  storingMs = 0;

  outcome(part: OutgoingPart, outcome: Outcome): void {
    this.outcomes.push({ part, outcome, at: performance.now() });
  }

  async receipts(receipts: readonly Receipt[]): Promise<void> {
    this.receiptCalls += 1;
    await new Promise((resolve) => setImmediate(resolve));
    await this.storing;
    if (this.storingMs > 0) await new Promise((resolve) => setTimeout(resolve, this.storingMs));
    const isUnstorable = receipts.some(({ carrierMessageId }) => carrierMessageId === this.unstorable);
    if (isUnstorable || this.receiptFaults > 0) {
      this.receiptFaults -= isUnstorable ? 0 : 1;
      throw new Error('the store cannot be reached');
    }
    this.stored.push(...receipts);
  }

  async unreadableReceipt(receipt: UnreadableReceipt): Promise<void> {
    this.unreadable.push(receipt);
  }

  async incoming(message: IncomingSms): Promise<StoredSms> {
    await this.storing;
    if (this.incomingFaults > 0) {
      this.incomingFaults -= 1;
      throw new Error('the store cannot be reached');
    }
    this.incomings.push(message);
    return { id: String(this.incomings.length), routed: true };
  }

  ofKind<Kind extends Outcome['kind']>(kind: Kind) {
    return this.outcomes.flatMap(({ part, outcome, at }) =>
      outcome.kind === kind ? [{ part, outcome: outcome as Extract<Outcome, { kind: Kind }>, at }] : [],
    );
  }

  /** Counts everything heard so far, to check that nothing more comes. */
  get heard(): number {
    return this.outcomes.length + this.receiptCalls + this.unreadable.length + this.incomings.length;
  }
}

const hourMs = 60 * 60 * 1_000;
let lastMessageId = 1_000;

export interface MessageShape {
  readonly parts?: number;
  readonly recipient?: string;
  readonly expiresAt?: number;
}

/** The parts of this many messages. */
export function messages(
  count: number,
  { parts = 1, recipient = '46701740600', expiresAt = Date.now() + hourMs }: MessageShape = {},
): readonly OutgoingPart[] {
  const made: OutgoingPart[] = [];
  for (let message = 0; message < count; message++) {
    lastMessageId += 1;
    for (let part = 1; part <= parts; part++) {
      made.push({
        companyId: 1,
        messageId: lastMessageId,
        part,
        parts,
        smsParts: 1,
        reference: lastMessageId,
        recipient,
        sender: 'Tester',
        text: `Part ${part} of ${parts}`,
        encoding: 'gsm7',
        flash: false,
        expiresAt,
        doubts: 0,
      });
    }
  }
  return made;
}

export function keyOf({ messageId, part }: OutgoingPart): string {
  return `${messageId}/${part}`;
}
