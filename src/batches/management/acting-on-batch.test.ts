import { beforeEach, expect, test } from 'vitest';
import { putUser } from '../../../test/harness/account-verbs.ts';
import { clearBatches, listBatchMessages } from '../../../test/harness/batch-verbs.ts';
import { advanceAll, batchRow, codesOf, putBatch } from '../../../test/harness/batches.ts';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { listUsage, listUsed } from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Role } from '../../accounts/role.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { claimMessages } from '../../messages/dispatch/claim.ts';
import { releaseOrphans } from '../../messages/dispatch/orphans.ts';
import { recordOutcomes } from '../../messages/dispatch/store.ts';
import { charge, stage, status } from '../../messages/message.ts';
import { inspectMessage } from '../../messages/operator/inspect.ts';
import { beginBatch } from '../intake/accept-store.ts';
import { listUnderWay } from '../steps/advance-store.ts';
import {
  abort,
  abortBatch,
  abortForOperator,
  listPaused,
  pauseBatch,
  resumeBatch,
} from './acting-on-batch.ts';

const caller = (userId: number, roles: readonly Role[]): Caller => ({
  userId,
  username: `user ${userId}`,
  companyId: 1,
  roles: new Set(roles),
  defaultSender: undefined,
  allowedSenders: undefined,
  replaceCharacters: false,
  maxBatch: undefined,
  allowedCountries: undefined,
  session: undefined,
});

eachStore('asking for the end of a batch', (engine) => {
  const given = deliveryStore(engine);
  const clock = { now: () => 6_000 };
  beforeEach(async () => {
    await given.store.write(clearBatches, null);
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
    await putBatch(given.store, { id: 1 });
  });

  test('[BATCH-5] A user may abort their own batch, and the answer says whether it had already ended', async () => {
    const asUser = (id = '1') => abort(given.store, clock, caller(10, ['send']), id);
    expect(await asUser()).toEqual({ kind: 'aborted' });
    expect(await batchRow(given.store, 1)).toMatchObject({
      code: 99,
      reason: storedReason({ sentence: 'aborted_by', user: 'user 10' }),
    });
    expect(await asUser()).toEqual({ kind: 'ended', code: 99 });
    for (const id of ['2', 'x', '']) await expect(asUser(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('[BATCH-5] [AUTH-9] Other users, and users without the role, cannot abort a batch', async () => {
    const other = abort(given.store, clock, caller(11, ['send']), '1');
    await expect(other).rejects.toMatchObject({ code: 'not_found' });
    await expect(async () => abort(given.store, clock, caller(10, ['jobs']), '1')).rejects.toMatchObject({
      code: 'role_missing',
    });
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 1 });
  });

  test('[BATCH-5] The operator may abort a batch, and a batch that is done stays done', async () => {
    await advanceAll(given.store, 5_000);
    expect(await abortForOperator(given.store, clock, '1')).toEqual({ kind: 'takingBack' });
    await advanceAll(given.store, 6_000);
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 0, clearing: 0 });
  });
});

const walkAgainMs = 1_000;

eachStore('aborting a batch', (engine) => {
  const given = deliveryStore(engine);
  const used = async () => (await given.store.read(listUsed, null)).map((row) => row.used);
  const abort = (now = 6_000) => given.store.write(abortBatch, { id: 1, now });
  const statuses = async () =>
    (await given.store.read(listBatchMessages, 1)).map((message) => message.status);
  const claim = (room: number) =>
    given.store.write(claimMessages, { carrierId: 1, nodeId: 7, room, bulkFloor: 0, now: 5_500 });

  beforeEach(async () => {
    await given.store.write(clearBatches, null);
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
  });

  /** Checks that no message of the batch was sent, nothing is left, and nobody pays. */
  async function expectTakenBack(made: number): Promise<void> {
    expect(await batchRow(given.store, 1)).toMatchObject({
      code: 99,
      reason: storedReason({ sentence: 'aborted_by_operator' }),
      stored: 0,
      clearing: 0,
    });
    expect(await statuses()).toEqual(new Array(made).fill(status.DELETED));
    expect(await used()).toEqual([0, 0, 0]);
    for (const usage of await given.store.read(listUsage, null))
      expect(usage).toMatchObject({ messages: 0, parts: 0 });
    expect(await given.store.read(listUnderWay, { now: 1e12, limit: 10 })).toEqual([]);
  }

  test.each([
    [0, 1, 0],
    [1, 3, 0],
    [2, 2, 0],
    [3, 2, 2],
    [4, 2, 4],
  ])(
    '[BATCH-5] Aborting a batch after %i steps, at code %i, ends it with 99 and cancels the messages made so far',
    async (steps, code, made) => {
      await putBatch(given.store, { id: 1, partsOfEach: 2 });
      await advanceAll(given.store, 5_000, steps);
      expect(await batchRow(given.store, 1)).toMatchObject({ code });
      expect(await abort()).toEqual({ kind: 'aborted' });
      expect(await batchRow(given.store, 1)).toMatchObject({ code: 99 });
      expect(await abort()).toEqual({ kind: 'ended', code: 99 });
      expect(new Set(codesOf(await advanceAll(given.store, 6_000)))).toEqual(new Set([99]));
      await expectTakenBack(made);
    },
  );

  test('[BATCH-5] Aborting a batch that is done leaves it done and cancels the messages that still wait', async () => {
    await putBatch(given.store, { id: 1, partsOfEach: 2 });
    await advanceAll(given.store, 5_000);
    const messages = await given.store.read(listBatchMessages, 1);
    const { messages: claimed } = await claim(4);
    expect(claimed).toHaveLength(2);
    await given.store.write(recordOutcomes, {
      nodeId: 7,
      carrierId: 1,
      now: 5_600,
      taken: [],
      advances: claimed.map(({ id, attempts }) => ({
        companyId: 1,
        id,
        attempts,
        status: status.SENT,
        stage: stage.awaitingReceipt,
        dueAt: 9e6,
        handedOver: true,
        inDoubt: false,
        expiredByTimer: false,
        reason: null,
      })),
    });
    expect(await abort()).toEqual({ kind: 'takingBack' });
    await advanceAll(given.store, 6_000);
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 0, reason: null, clearing: 0 });
    const sent = new Set(claimed.map(({ id }) => id));
    const now = await given.store.read(listBatchMessages, 1);
    expect(now.map((message) => message.status)).toEqual(
      messages.map(({ id }) => (sent.has(id) ? status.SENT : status.DELETED)),
    );
    expect(now.map((message) => message.charge)).toEqual(
      messages.map(({ id }) => (sent.has(id) ? charge.due : charge.refunded)),
    );
    expect(
      now.filter(({ id }) => !sent.has(id)).every(({ version, unread }) => version === 2 && unread === 1),
    ).toBe(true);
    expect(await used()).toEqual([4, 4, 0]);
    expect(await given.store.read(listUsage, null)).toMatchObject([{ messages: 2, parts: 4 }]);
  });

  test('[BATCH-5] In-flight messages of an aborted batch are cancelled when they return to waiting', async () => {
    await putBatch(given.store, { id: 1 });
    await advanceAll(given.store, 5_000);
    const { messages } = await claim(2);
    expect(await abort()).toEqual({ kind: 'takingBack' });
    await advanceAll(given.store, 6_000);
    expect((await statuses()).sort()).toEqual([0, 0, 3, 3, 3]);
    expect(await batchRow(given.store, 1)).toMatchObject({ clearing: 1, not_before: 6_000 + walkAgainMs });
    // The message is still with the carrier on the second pass.
    await advanceAll(given.store, 8_000);
    expect(await batchRow(given.store, 1)).toMatchObject({ clearing: 1 });
    const query = { carrierId: 1, nodeId: 7, knownIds: [], now: 6_000 };
    expect(await given.store.write(releaseOrphans, query)).toBe(2);
    await advanceAll(given.store, 10_000);
    expect(await batchRow(given.store, 1)).toMatchObject({ clearing: 0, code: 0 });
    expect(await statuses()).toEqual([3, 3, 3, 3, 3]);
    expect(await used()).toEqual([0, 0, 0]);
    const inspected = await given.store.read(inspectMessage, messages[0]?.id ?? 0);
    expect(inspected?.timeline.entries).toMatchObject([
      ...[{ what: 'accepted' }, { what: 'claimed', attempt: 1, node: 7 }, { what: 'given back', node: 7 }],
      { at: 10_000, what: 'cancelled', status: 'DELETED', reason: 'batch 1 was taken back' },
    ]);
  });

  test('[BATCH-3] [BATCH-5] Aborting a batch while its steps run loses and duplicates nothing', async () => {
    await putBatch(given.store, { id: 1, count: 120, chunkSize: 1, partsOfEach: 3 });
    await advanceAll(given.store, 5_000, 12);
    const [aborted, ...steps] = await Promise.all([
      abort(),
      advanceAll(given.store, 6_000),
      advanceAll(given.store, 6_000),
    ]);
    expect(aborted).toEqual({ kind: 'aborted' });
    expect(steps.flatMap(codesOf)).not.toContain(0);
    const { expanded } = await batchRow(given.store, 1);
    await expectTakenBack(expanded);
  });

  test('[BATCH-5] An aborted batch goes before the steps of all other batches', async () => {
    await putBatch(given.store, { id: 1, count: 8 });
    await advanceAll(given.store, 5_000, 5);
    await putBatch(given.store, { id: 2 });
    await abort();
    expect(await given.store.read(listUnderWay, { now: 6_000, limit: 10 })).toMatchObject([
      { id: 1 },
      { id: 2 },
    ]);
  });

  test('[BATCH-5] A user can abort only their own batches; a batch still being received is not found', async () => {
    await putBatch(given.store, { id: 1 });
    const foreign = { companyId: 1, userId: 11, username: 'second', session: undefined };
    const abortion = { id: 1, now: 6_000 };
    expect(await given.store.write(abortBatch, { ...abortion, user: foreign })).toEqual({
      kind: 'notFound',
    });
    expect(await given.store.write(abortBatch, { ...abortion, id: 99 })).toEqual({ kind: 'notFound' });
    await given.store.write(beginBatch, { companyId: 1, id: 2, userId: 10, now: 1_000 });
    expect(await given.store.write(abortBatch, { ...abortion, id: 2 })).toEqual({ kind: 'notFound' });
    const own = { companyId: 1, userId: 10, username: 'first', session: undefined };
    expect(await given.store.write(abortBatch, { ...abortion, user: own })).toEqual({ kind: 'aborted' });
  });
});

const minuteMs = 60_000;

eachStore('pausing a batch', (engine) => {
  const given = deliveryStore(engine);
  const user = { companyId: 1, userId: 10, username: 'first', session: undefined };
  const act = { id: 1, now: 6_000, user };
  const pause = () => given.store.write(pauseBatch, act);
  const resume = (now = 7_000) => given.store.write(resumeBatch, { ...act, now });
  const messages = () => given.store.read(listBatchMessages, 1);
  const stages = async () => (await messages()).map((message) => message.stage);
  const claim = async (room: number, now = 6_500) =>
    given.store.write(claimMessages, {
      carrierId: 1,
      nodeId: 7,
      room,
      bulkFloor: 0,
      now,
      pausedBatches: [{ companyId: 1, id: 1 }],
    });

  beforeEach(async () => {
    await given.store.write(clearBatches, null);
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
    await putBatch(given.store, { id: 1 });
  });

  test.each([
    [0, 0],
    [2, 0],
    [3, 2],
    [5, 5],
  ])(
    '[BATCH-5] Pausing a batch after %i steps sets %i messages aside, and no more are made until it is resumed',
    async (steps, made) => {
      await advanceAll(given.store, 5_000, steps);
      expect(await pause()).toBe('done');
      expect(await given.store.read(listPaused, null)).toEqual([{ companyId: 1, id: 1 }]);
      await advanceAll(given.store, 6_100);
      expect(await stages()).toEqual(new Array(made).fill(stage.paused));
      expect(await given.store.read(listUnderWay, { now: 1e12, limit: 10 })).toEqual([]);
      expect(await resume()).toBe('done');
      await advanceAll(given.store, 7_000);
      expect(await stages()).toEqual(new Array(5).fill(stage.waiting));
      for (const message of await messages())
        expect(message).toMatchObject({ due_at: 7_000, expires_at: 7_000 + 60 * minuteMs, attempts: 0 });
      expect(await batchRow(given.store, 1)).toMatchObject({
        code: 0,
        paused: 0,
        clearing: 0,
        clear_from: 0,
      });
    },
  );

  test('[BATCH-5] A message that comes back from a dead node is set aside by the next claim, and is sent once after the resume', async () => {
    await advanceAll(given.store, 5_000);
    const before = { carrierId: 1, nodeId: 7, room: 2, bulkFloor: 0, now: 5_500 };
    expect((await given.store.write(claimMessages, before)).messages).toHaveLength(2);
    await pause();
    await advanceAll(given.store, 6_100);
    expect((await stages()).sort()).toEqual([1, 1, 5, 5, 5]);
    await given.store.write(releaseOrphans, { carrierId: 1, nodeId: 7, now: 6_200, knownIds: [] });
    expect(await claim(10)).toMatchObject({ messages: [], held: 2 });
    expect(await stages()).toEqual(new Array(5).fill(stage.paused));
    await resume();
    await advanceAll(given.store, 7_000);
    expect((await claim(10, 7_100)).messages).toHaveLength(5);
  });

  test('[BATCH-5] A node that has not yet heard of the resume sets nothing aside', async () => {
    await advanceAll(given.store, 5_000);
    await pause();
    await advanceAll(given.store, 6_100);
    await resume();
    await advanceAll(given.store, 7_000);
    expect((await claim(10, 7_100)).messages).toHaveLength(5);
    expect(await stages()).toEqual(new Array(5).fill(stage.inFlight));
  });

  test('[BATCH-5] A batch aborted while it is paused, or while it is being paused, is cancelled as a whole', async () => {
    await advanceAll(given.store, 5_000, 4);
    await pause();
    await advanceAll(given.store, 6_100, 1);
    expect(await given.store.write(abortBatch, { ...act, now: 7_000 })).toEqual({ kind: 'aborted' });
    await advanceAll(given.store, 7_100);
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 99, paused: 0, clearing: 0, stored: 0 });
    for (const message of await messages()) expect(message.status).toBe(status.DELETED);
    expect(await given.store.read(listPaused, null)).toEqual([]);
  });

  test('[BATCH-5] [AUTH-9] A batch cannot be paused by another user, for whom it is not found; pausing an aborted batch changes nothing', async () => {
    const other = { companyId: 1, userId: 11, username: 'second', session: undefined };
    expect(await given.store.write(pauseBatch, { ...act, user: other })).toBe('notFound');
    await given.store.write(abortBatch, { ...act });
    expect(await pause()).toBe('done');
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 99, paused: 0 });
  });
});
