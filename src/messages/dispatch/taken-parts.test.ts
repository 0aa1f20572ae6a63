import { expect, test } from 'vitest';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { putMessages, putParts } from '../../../test/harness/delivery-verbs.ts';
import { ScriptedCarrier } from '../../../test/harness/scripted-carrier.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { AwaitingPart } from '../../carriers/carrier.ts';
import type { Claimed } from '../handover.ts';
import { status } from '../message.ts';
import { takenParts } from './taken-parts.ts';

/** A carrier that can be asked for receipts from an earlier life. */
class RememberingCarrier extends ScriptedCarrier {
  readonly asked: AwaitingPart[] = [];

  resume(parts: readonly AwaitingPart[]): void {
    this.asked.push(...parts);
  }
}

eachStore('parts that were taken before', (engine) => {
  const given = deliveryStore(engine);

  test('[DLV-6] Parts taken earlier are known by their message, and the carrier is asked for their missing receipts', async () => {
    const { store } = given;
    await store.write(putMessages, [{ id: 1, parts: 3 }, { id: 2 }]);
    await store.write(putParts, [
      { messageId: 1, part: 1, parts: 3, carrierMessageId: 'a' },
      { messageId: 1, part: 3, parts: 3, carrierMessageId: 'b', status: status.DELIVERED },
    ]);
    const carrier = new RememberingCarrier();
    const again = [1, 2].map((id) => ({ company_id: 1, id, recipient: `4670174060${id}` }) as Claimed);
    const taken = await takenParts({ store, carrier }, again);
    expect([...taken]).toEqual([[1, new Set([1, 3])]]);
    expect(carrier.asked).toEqual([{ carrierMessageId: 'a', recipient: '46701740601' }]);
  });
});
