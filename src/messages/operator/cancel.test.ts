import { expect, test } from 'vitest';
import { cancelTogether } from '../../../test/harness/acceptance-verbs.ts';
import { deliveryStore, findMessage, range } from '../../../test/harness/delivery-store.ts';
import { listUsed, putMessages } from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { agedAudit, listAudit } from '../../audit/audit-log.ts';
import { purgeAged } from '../../storage/retention.ts';
import { claimMessages } from '../dispatch/claim.ts';
import { charge, stage, status } from '../message.ts';
import { expireWaiting, releaseDue } from '../upkeep/due-store.ts';
import { cancelMessage } from './cancel.ts';

eachStore('cancelling a message', (engine) => {
  const given = deliveryStore(engine);
  const cancel = (id: number) => given.store.write(cancelMessage, { id, now: 6_000 });
  const used = async () => (await given.store.read(listUsed, null)).map((row) => row.used);

  test.each([
    ['scheduled', { status: status.SCHEDULED, stage: stage.scheduled }, status.CANCELED],
    ['waiting', {}, status.DELETED],
    ['retrying', { stage: stage.retrying, attempts: 1 }, status.DELETED],
  ])(
    '[SEND-21] Cancelling a message while it is %s takes it back once, and refunds its quota',
    async (_, state, to) => {
      await given.store.write(putMessages, [{ id: 1, parts: 4, ...state }]);
      expect(await cancel(1)).toEqual({ kind: 'cancelled', status: to });
      expect(await findMessage(given.store, 1)).toMatchObject({
        status: to,
        stage: null,
        due_at: null,
        charge: charge.refunded,
        version: 2,
        unread: 1,
        changed_at: 6_000,
      });
      expect(await cancel(1)).toEqual({ kind: 'tooLate', status: to });
      expect(await used()).toEqual([-4, -4, 0]);
      expect(await given.store.write(releaseDue, { now: 9_000_000, limit: 10 })).toBe(0);
      expect(await given.store.write(expireWaiting, { now: 9_000_000, limit: 10 })).toBe(0);
    },
  );

  test.each([
    ['in flight', { stage: stage.inFlight, nodeId: 7, attempts: 1 }, status.QUEUED],
    ['sent', { status: status.SENT, stage: stage.awaitingReceipt, charge: charge.due }, status.SENT],
    ['delivered', { status: status.DELIVERED, stage: null, charge: charge.due }, status.DELIVERED],
    ['expired', { status: status.EXPIRED, stage: null, charge: charge.refunded }, status.EXPIRED],
  ])(
    '[SEND-21] Cancelling a message once it is %s comes too late, and changes nothing',
    async (_, state, is) => {
      await given.store.write(putMessages, [{ id: 1, parts: 4, ...state }]);
      const before = await findMessage(given.store, 1);
      expect(await cancel(1)).toEqual({ kind: 'tooLate', status: is });
      expect(await findMessage(given.store, 1)).toEqual(before);
      expect(await used()).toEqual([0, 0, 0]);
    },
  );

  test('[SEND-21] [SEND-19] Cancelling a message that a carrier has in part, or may have, does not refund it', async () => {
    await given.store.write(putMessages, [{ id: 1, parts: 4, charge: charge.due, inDoubt: 1, attempts: 1 }]);
    expect(await cancel(1)).toEqual({ kind: 'cancelled', status: status.DELETED });
    expect((await findMessage(given.store, 1)).charge).toBe(charge.due);
    expect(await used()).toEqual([0, 0, 0]);
  });

  test.each([
    ['its own', 1, 10, true],
    ['that of another user', 1, 11, false],
    ['as an administrator that of a user', 1, null, true],
    ['that of another company', 2, null, false],
    ['that of another company whose user has the same id', 2, 10, false],
  ])(
    '[SEND-21] [PORT-3] [PORT-7] A user’s attempt to cancel %s is judged by company and user, and audited if it succeeds',
    async (_, companyId, userId, may) => {
      await given.store.write(putMessages, [{ id: 1 }]);
      const user = { companyId, userId, username: 'somebody', session: undefined };
      const cancelled = await given.store.write(cancelMessage, { id: 1, now: 6_000, user });
      expect(cancelled.kind).toBe(may ? 'cancelled' : 'notFound');
      const page = { companyId, before: null, limit: 1 };
      const expected = { act: 'message.cancel', object: '1', username: 'somebody', channel: 'api' };
      const [latest] = await given.store.read(listAudit, page);
      expect(latest?.at === 6_000 && latest.username === 'somebody').toBe(may);
      if (may) expect(latest).toMatchObject(expected);
      await given.store.write(purgeAged, { rows: agedAudit, now: 0, before: 7_000 });
    },
  );

  test('[SEND-21] Cancelling a message that does not exist is answered as not found', async () => {
    expect(await cancel(99)).toEqual({ kind: 'notFound' });
  });

  test('[SEND-21] [STAT-6] When cancelling meets a message’s claim, release or expiry, only one of them takes effect', async () => {
    for (let id = 1; id <= 60; id++) {
      const isScheduled = id % 3 === 0;
      const state = isScheduled
        ? { status: status.SCHEDULED, stage: stage.scheduled, dueAt: 5_000 }
        : { expiresAt: id % 3 === 1 ? 5_000 : 1_000_000 };
      await given.store.write(putMessages, [{ id, parts: 2, ...state }]);
      const claim = { carrierId: 1, nodeId: 7, room: 1, bulkFloor: 0, now: 5_000 };
      const [outcome] = await Promise.all([
        cancel(id),
        given.store.write(releaseDue, { now: 5_000, limit: 10 }),
        given.store.write(claimMessages, claim),
        given.store.write(expireWaiting, { now: 5_000, limit: 10 }),
      ]);
      const message = await findMessage(given.store, id);
      if (outcome.kind === 'cancelled') {
        // A message that was released a moment before is DELETED like any other that waits.
        expect(message).toMatchObject({ status: outcome.status, stage: null, charge: charge.refunded });
        if (!isScheduled) expect(outcome.status).toBe(status.DELETED);
        expect(message.attempts).toBe(0);
      } else {
        // The outcome reports the current status, not that of a moment before.
        expect(outcome).toEqual({ kind: 'tooLate', status: message.status });
        expect([status.QUEUED, status.EXPIRED]).toContain(message.status);
        expect(message.status === status.QUEUED).toBe(message.stage === stage.inFlight);
      }
      // Whichever won, the charge was refunded once or is still reserved.
      expect([charge.refunded, charge.reserved]).toContain(message.charge);
    }
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, index) => findMessage(given.store, index + 1)),
    );
    const refunded = all.filter((message) => message.charge === charge.refunded).length;
    expect(await used()).toEqual([-2 * refunded, -2 * refunded, 0]);
  });

  test('[SEND-21] [RUN-2] Messages cancelled at two nodes at once, in crossing order, are each cancelled once, without deadlock', async () => {
    const other = engine.name === 'postgres' ? await given.fresh.openAnother() : given.store;
    // Counts runs where the verb runs in this thread: a set that runs a second time has hit a deadlock.
    let runs = 0;
    const counted: typeof cancelTogether = {
      ...cancelTogether,
      run: (transaction, inputs) => {
        runs += 1;
        return cancelTogether.run(transaction, inputs);
      },
    };
    const ids = range(1, 40);
    for (const round of range(1, 8)) {
      await given.store.write(
        putMessages,
        ids.map((index) => ({ id: 100 * round + index, userId: 10 + (index % 2), parts: 2 })),
      );
      const set = ids.map((index) => ({ id: 100 * round + index, now: 6_000 }));
      const backwards = [...set].reverse();
      const [first, second] = await Promise.all([
        given.store.write(counted, set),
        other.write(counted, backwards),
      ]);
      const cancelled = [...first, ...second].filter(({ kind }) => kind === 'cancelled');
      expect(cancelled).toHaveLength(ids.length);
      for (const [place, { id }] of set.entries()) {
        const kinds = [first[place]?.kind, second[ids.length - 1 - place]?.kind].sort();
        expect([id, ...kinds]).toEqual([id, 'cancelled', 'tooLate']);
      }
    }
    const parts = -8 * 2 * ids.length;
    expect(await used()).toEqual([parts, parts / 2, parts / 2]);
    expect(runs).toBe(engine.name === 'postgres' ? 16 : 0);
  });

  test('[SEND-21] A message that several callers cancel at once is cancelled for the first of them', async () => {
    await given.store.write(putMessages, [{ id: 1 }, { id: 2 }]);
    const asked = [2, 99, 1, 2].map((id) => ({ id, now: 6_000 }));
    expect(await given.store.write(cancelTogether, asked)).toEqual([
      { kind: 'cancelled', status: status.DELETED },
      { kind: 'notFound' },
      { kind: 'cancelled', status: status.DELETED },
      { kind: 'tooLate', status: status.DELETED },
    ]);
  });
});
