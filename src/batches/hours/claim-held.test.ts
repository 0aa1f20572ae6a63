import { expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { advanceAll, batchRow } from '../../../test/harness/batches.ts';
import { putMessages } from '../../../test/harness/delivery-verbs.ts';
import { runningDispatches } from '../../../test/harness/running-dispatches.ts';
import { accepted, ScriptedCarrier } from '../../../test/harness/scripted-carrier.ts';
import { day, hourMs, sendHoursRoom } from '../../../test/harness/send-hours.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { claimMessages } from '../../messages/dispatch/claim.ts';
import { Dispatch } from '../../messages/dispatch/dispatch.ts';
import { passMessageOn } from '../../messages/failover/pass-on.ts';
import { lane, stage, status } from '../../messages/message.ts';
import { sql } from '../../storage/sql.ts';
import { singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { abortBatch } from '../management/acting-on-batch.ts';
import { clear } from '../steps/advance-store.ts';
import type { BatchInSteps } from '../steps/batch-in-steps.ts';
import { holdWaiting } from './hold-store.ts';

eachStore('claims of what is held', (engine) => {
  const room = sendHoursRoom(engine);
  const running = runningDispatches();

  test('[BATCH-5] [BATCH-9] One wake-up brings a carrier the message that waits behind all held ones', async () => {
    await room.inLine('2026-01-15T20:00:00Z', { count: 90, chunkSize: 30 });
    const other = { id: 5, companyId: 2, userId: 20, lane: lane.bulk };
    await room.store.write(putMessages, [{ ...other, dueAt: room.now, expiresAt: room.now + hourMs }]);
    const carrier = new ScriptedCarrier({ window: 10 });
    carrier.rule = accepted;
    const dispatch = new Dispatch({
      store: room.store,
      clock: { now: () => room.now },
      nodeId: 7,
      carrier,
      log: room.log,
      mayClaim: () => true,
      closedHours: (now) => room.closed.at(now),
    });
    carrier.outcome = (part, outcome) => dispatch.outcome(part, outcome);
    running.push(dispatch);
    dispatch.wake();
    await until(() => carrier.submitted.length > 0);
    expect(carrier.submitted.map(({ messageId }) => messageId)).toEqual([5]);
    expect(await room.stages()).toEqual(new Array(90).fill(stage.scheduled));
  });

  test('[BATCH-5] [SEND-19] Messages of several companies dropped by one claim are refunded to the quota of each', async () => {
    const drop = { ...day, batch: 'drop' } as const;
    await room.keep(drop);
    await room.keep({ ...drop, from: '08:00' }, 2);
    await room.inLine('2026-01-15T20:00:00Z');
    await room.inLine('2026-01-15T20:00:00Z', { id: 2, companyId: 2, userId: 20 });
    expect(await room.used()).toEqual([10, 10, 10, 0, 10]);
    const claim = {
      carrierId: 1,
      nodeId: 7,
      bulkFloor: 2,
      now: room.now,
      closedHours: room.closed.at(room.now),
    };
    const answers = await Promise.all(
      [4, 100].map((size) => room.store.write(claimMessages, { ...claim, room: size })),
    );
    expect(answers.flatMap(({ messages }) => messages)).toEqual([]);
    expect(answers.reduce((sum, { held }) => sum + held, 0)).toBe(10);
    expect(await room.used()).toEqual([0, 0, 0, 0, 0]);
    for (const id of [1, 2]) expect(await room.stages(id)).toEqual(new Array(5).fill(null));
    expect(await room.counts()).toEqual({ [status.DELETED]: 5 });
  });

  test.runIf(engine.name === 'postgres')(
    '[BATCH-5] A message that returns to waiting and is held while its batch is aborted is cancelled too',
    async () => {
      const other = await room.given.fresh.openAnother();
      await room.inLine('2026-01-15T20:00:00Z', { count: 1 });
      room.now -= 1;
      const [message] = (await room.claim()).messages;
      room.now += 1;
      const { now } = room;
      await room.store.write(abortBatch, { id: 1, now, reason: 'aborted' });
      const { id, attempts } = message!;
      const [hours] = room.closed.at(now);
      /** Changes that others make after the step's own change, before the step checks which messages are still open. */
      const meanwhile = async () => {
        const passed = {
          companyId: 1,
          id,
          nodeId: 7,
          attempts,
          fromCarrierId: 1,
          toCarrierId: 2,
          now,
          reason: 'busy',
        };
        await other.write(passMessageOn, passed);
        expect(await other.write(holdWaiting, { companyId: 1, closed: hours!, ids: [id], now })).toBe(1);
      };
      await room.store.write(clearSlowly, meanwhile);
      for (const later of [5_000, 10_000]) await advanceAll(room.store, now + later);
      expect(await batchRow(room.store, 1)).toMatchObject({ code: 0, clearing: 0 });
      expect(await room.counts()).toEqual({ [status.DELETED]: 1 });
      expect(await room.stages()).toEqual([null]);
    },
  );
});

const clearSlowly = singleWriteVerb(
  'test.clearSlowly',
  async (transaction, meanwhile: () => Promise<void>): Promise<null> => {
    const batch = await transaction.first<BatchInSteps>(sql`SELECT * FROM batches WHERE id = 1 FOR UPDATE`);
    let reads = 0;
    const slow = new Proxy(transaction, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          if (name === 'first' && reads++ === 0) await meanwhile();
          return (value as (...given: unknown[]) => unknown).apply(target, given);
        };
      },
    }) as Transaction;
    await clear(slow, batch as BatchInSteps, 0);
    return null;
  },
);
