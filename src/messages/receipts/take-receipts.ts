/** Takes carriers' reports on the parts they have, and stores them before the carrier's receipt is acknowledged. */
import type { Receipt, UnreadableReceipt } from '../../carriers/carrier.ts';
import type { Context } from '../../storage/context.ts';
import { statusNames } from '../message.ts';
import type { Observer } from '../observer.ts';
import type { StoredReceipt } from './receipt.ts';
import { recordReceipts } from './store.ts';
import { keepUnreadable } from './unmatched.ts';

interface ReceiptServices extends Context {
  readonly observer: Pick<Observer, 'receipts' | 'unreadableReceipt'>;
}

interface ReportingCarrier {
  readonly id: number;
  readonly name: string;
}

export async function takeReceipts(
  { store, clock, observer }: ReceiptServices,
  carrier: ReportingCarrier,
  receipts: readonly Receipt[],
): Promise<void> {
  const receivedAt = clock.now();
  // Copied field by field, because copying the rest of an object takes longer than everything else done here for a receipt.
  const stored = receipts.map(
    (receipt): StoredReceipt => ({
      carrierId: carrier.id,
      carrierMessageId: receipt.carrierMessageId,
      submittedId: receipt.submittedId,
      mayHaveOtherIds: receipt.otherIds !== undefined,
      recipient: receipt.recipient,
      status: receipt.status,
      errorCode: receipt.errorCode,
      text: receipt.text,
      receivedAt,
    }),
  );
  const unknown = await store.write(recordReceipts, stored);
  if (unknown.length > 0) {
    // Other forms of the ids are made only now, since nearly all receipts can do without them.
    const again = unknown.map((index) => {
      const otherIds = receipts[index]?.otherIds?.() ?? [];
      return { ...(stored[index] as StoredReceipt), otherIds };
    });
    await store.write(recordReceipts, again);
  }
  const counts = new Map<number, number>();
  for (const { status } of receipts) counts.set(status, (counts.get(status) ?? 0) + 1);
  for (const [code, count] of counts) observer.receipts(carrier.name, statusNames[code] ?? 'UNKNOWN', count);
}

export async function takeUnreadableReceipt(
  { store, clock, observer }: ReceiptServices,
  carrier: ReportingCarrier,
  receipt: UnreadableReceipt,
): Promise<void> {
  await store.write(keepUnreadable, { ...receipt, carrierId: carrier.id, receivedAt: clock.now() });
  observer.unreadableReceipt(carrier.name);
}
