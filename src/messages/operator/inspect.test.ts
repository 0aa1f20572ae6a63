import { expect, test } from 'vitest';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { putMessages, putParts } from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { stage, status } from '../message.ts';
import { recordReceipts } from '../receipts/store.ts';
import { inspectMessage } from './inspect.ts';

eachStore('inspecting a message', (engine) => {
  const given = deliveryStore(engine);

  test.each([1, 2])(
    '[STAT-7] Inspecting a message shows what receipts reported about its parts (number of parts: %i)',
    async (parts) => {
      await given.store.write(putMessages, [
        { id: 1, parts, status: status.SENT, stage: stage.awaitingReceipt, attempts: 1 },
      ]);
      await given.store.write(putParts, [{ messageId: 1, parts, carrierMessageId: 'first' }]);
      const before = await given.store.read(inspectMessage, 1);
      expect(before?.taken[0]).toMatchObject({ status: status.SENT, errorCode: null });
      const reported = { status: status.ABSENTSUBSCRIBER, errorCode: '27' };
      await given.store.write(recordReceipts, [
        { carrierId: 1, carrierMessageId: 'first', receivedAt: 2_500, ...reported },
      ]);
      const inspected = await given.store.read(inspectMessage, 1);
      expect(inspected?.taken).toMatchObject([
        { part: 1, parts, carrierMessageId: 'first', changedAt: 2_500, ...reported },
      ]);
    },
  );
});
