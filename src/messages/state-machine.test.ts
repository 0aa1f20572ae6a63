import fc from 'fast-check';
import { beforeAll, test } from 'vitest';
import { putNumber } from '../../test/harness/account-verbs.ts';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { clearDelivery, grantQuota, putSimulator } from '../../test/harness/delivery-verbs.ts';
import { clearJournal, trackCompany } from '../../test/harness/journal-verbs.ts';
import { pool } from '../../test/harness/lease-model.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { deliveryActs } from '../../test/harness/message-acts.ts';
import { type Act, expectAgreement, type Model } from '../../test/harness/message-agreement.ts';
import { MessageModel } from '../../test/harness/message-model.ts';
import { MessagingRoom } from '../../test/harness/messaging-room.ts';
import { numbers, readingActs } from '../../test/harness/reading-acts.ts';
import { assertRuns, longRunMs, replayPath } from '../../test/harness/runs.ts';
import { quota } from '../../test/harness/sending-acts.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import type { Store } from '../storage/store.ts';

/** Performs an action on both the model and the store, waits for its consequences, and then checks that they agree. */
class Step implements fc.AsyncCommand<Model, MessagingRoom> {
  readonly #act: Act;

  constructor(act: Act) {
    this.#act = act;
  }

  check(model: Readonly<Model>): boolean {
    return this.#act.can?.(model) ?? true;
  }

  async run(model: Model, room: MessagingRoom): Promise<void> {
    model.sent.now += 1;
    room.clock.time = model.sent.now;
    await this.#act.run(model, room);
    await room.settled();
    await expectAgreement(model, room);
  }

  toString(): string {
    return this.#act.name;
  }
}

const start = Date.parse('2026-06-15T12:00:00Z');
const steps = fc.commands(
  [
    fc
      .oneof({ weight: 8, arbitrary: deliveryActs }, { weight: 3, arbitrary: readingActs })
      .map((act) => new Step(act)),
  ],
  { maxCommands: 60, size: 'max', ...replayPath },
);

eachStore('messages beside their model', (engine) => {
  let fresh: FreshStore;
  let other: Store | undefined;
  beforeAll(async () => {
    fresh = await engine.openFreshStore();
    other = engine.name === 'postgres' ? await fresh.openAnother() : undefined;
    await fillStore(fresh.store);
    await fresh.store.write(putPool, pool);
    for (const [number, userId] of Object.entries(numbers))
      if (userId !== undefined) await fresh.store.write(putNumber, { number, userId });
  });

  test(
    '[STAT-1] [STAT-2] [STAT-3] [STAT-4] [STAT-6] [STAT-7] [INC-1] [INC-2] [INC-3] [SEND-12] [SEND-13] [SEND-16] [SEND-19] [SEND-20] [SEND-21] [DLV-5] [DLV-6] Messages agree with their model after each of many random actions',
    async () => {
      const property = fc.asyncProperty(
        fc.constantFrom('retry' as const, 'fail' as const),
        fc.constantFrom('part' as const, 'one' as const),
        steps,
        async (policy, receiptsPerMessage, acts) => {
          await fresh.store.write(putSimulator, { id: 1, settings: { receiptsPerMessage } });
          await fresh.store.write(clearDelivery, null);
          await fresh.store.write(clearJournal, null);
          await fresh.store.write(trackCompany, 1);
          await fresh.store.write(grantQuota, quota);
          const room = new MessagingRoom(fresh, policy, start, other);
          await room.begin();
          const model = {
            sent: new MessageModel(start, policy, receiptsPerMessage),
            incoming: [],
            keys: new Map(),
          };
          await fc.asyncModelRun(() => ({ model, real: room }), acts);
        },
      );
      await assertRuns(property, 120);
    },
    longRunMs(300_000),
  );
});
