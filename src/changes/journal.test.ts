import { beforeEach, expect, test } from 'vitest';
import { putNumber, putUser } from '../../test/harness/account-verbs.ts';
import { clearBatches } from '../../test/harness/batch-verbs.ts';
import { putBatch } from '../../test/harness/batches.ts';
import { deliveryStore } from '../../test/harness/delivery-store.ts';
import { putMessages } from '../../test/harness/delivery-verbs.ts';
import { clearJournal, listChanges, listReaders, unreported } from '../../test/harness/journal-verbs.ts';
import { claim, ended, part, record, retrying, sent } from '../../test/harness/outcomes.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { batchCode } from '../batches/batch.ts';
import { listUnderWay } from '../batches/steps/advance-store.ts';
import { Advance } from '../batches/steps/expand.ts';
import { claimMessages } from '../messages/dispatch/claim.ts';
import { recordOutcomes } from '../messages/dispatch/store.ts';
import { storeIncoming } from '../messages/incoming/store.ts';
import { stage, status } from '../messages/message.ts';
import { cancelMessage } from '../messages/operator/cancel.ts';
import { recordReceipts } from '../messages/receipts/store.ts';
import { trackLatest } from '../messages/tracked.ts';
import { expireWaiting, giveUpReceipts, releaseDue } from '../messages/upkeep/due-store.ts';
import type { Store } from '../storage/store.ts';
import {
  changeKind,
  enterReader,
  maxUnread,
  moveReader,
  readChanges,
  readNewest,
  trimChanges,
} from './journal.ts';
import { listen } from './tracking.ts';

const listener = { companyId: 1, listener: 'test', until: 1_000_000 };
const reader = { name: 'reader', place: 0, patienceMs: 1_000 };

/** The journal's statuses of each message, incoming SMS or batch, in order. */
async function statusesInJournal(
  store: Store,
): Promise<Readonly<Record<string, readonly (number | null)[]>>> {
  const names = ['message', 'incoming', 'batch', 'conversation'];
  const found: Record<string, (number | null)[]> = {};
  for (const { kind, subject_id, status: code } of await store.read(listChanges, null)) {
    const key = `${names[kind]} ${subject_id}`;
    found[key] = [...(found[key] ?? []), code];
  }
  return found;
}

eachStore('the journal of changes', (engine) => {
  const given = deliveryStore(engine);
  beforeEach(async () => {
    await given.store.write(clearBatches, null);
    await given.store.write(clearJournal, null);
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
  });

  test('[HOOK-2] The journal has each status of messages that are listened to, whatever changes it, and no status of other messages', async () => {
    const { store } = given;
    const ids = [1, 2, 3, 4, 5, 6, 7];
    await store.write(putMessages, [
      ...ids.map((id) => ({ id, listened: true })),
      { id: 8, listened: true, status: status.SCHEDULED, stage: stage.scheduled, dueAt: 2_000 },
      ...[21, 22, 23].map((id) => ({ id })),
    ]);
    await store.write(claimMessages, { ...claim, room: 5 });
    await store.write(recordOutcomes, {
      ...record(7),
      advances: [sent(1), sent(2), ended(3, status.REJECTED), retrying(4), sent(5)],
      taken: [part(1), part(2), part(5)],
    });
    const receipt = { carrierId: 1, errorCode: null, receivedAt: 7_000, status: status.DELIVERED };
    const delivered = { ...receipt, carrierMessageId: 'c1/1' };
    await store.write(recordReceipts, [delivered, delivered]);
    await store.write(recordReceipts, [{ ...receipt, carrierMessageId: 'c2/1', status: status.ACCEPTED }]);
    await store.write(cancelMessage, { id: 6, now: 8_000 });
    await store.write(releaseDue, { now: 8_000, limit: 10 });
    await store.write(giveUpReceipts, { now: 100_000, limit: 10 });
    await store.write(expireWaiting, { now: 9_000_000, limit: 10 });
    const { QUEUED, SENT, DELIVERED, ACCEPTED, REJECTED, EXPIRED, SCHEDULED, DELETED } = status;
    expect(await statusesInJournal(store)).toEqual({
      'message 1': [QUEUED, SENT, DELIVERED],
      'message 2': [QUEUED, SENT, ACCEPTED],
      'message 3': [QUEUED, REJECTED],
      'message 4': [QUEUED, EXPIRED],
      'message 5': [QUEUED, SENT, EXPIRED],
      'message 6': [QUEUED, DELETED],
      'message 7': [QUEUED, EXPIRED],
      'message 8': [SCHEDULED, QUEUED, EXPIRED],
    });
    expect(await store.read(unreported, null)).toEqual([]);
    const [first] = (await store.read(listChanges, null)).filter((row) => row.status === DELIVERED);
    expect(first).toMatchObject({
      company_id: 1,
      kind: changeKind.message,
      batch_id: null,
      changed_at: 7_000,
    });
  });

  test('[HOOK-2] The journal has the steps of a batch and the later statuses of its messages', async () => {
    const { store } = given;
    await store.write(listen, listener);
    await putBatch(store, { id: 1, count: 3 });
    const advance = new Advance(store, (companyId) => companyId === 1);
    for (;;) {
      const [key] = await store.read(listUnderWay, { now: 5_000, limit: 1 });
      if (key === undefined) break;
      await advance.step(key, 5_000);
    }
    const codes = [batchCode.received, batchCode.validating, batchCode.processing, batchCode.ok];
    expect(await statusesInJournal(store)).toEqual({ 'batch 1': codes });
    const { messages } = await store.write(claimMessages, { ...claim, room: 1 });
    const id = messages[0]?.id as number;
    await store.write(recordOutcomes, { ...record(7), advances: [sent(id)], taken: [part(id)] });
    expect(await statusesInJournal(store)).toEqual({ 'batch 1': codes, [`message ${id}`]: [status.SENT] });
    expect((await store.read(listChanges, null)).at(-1)).toMatchObject({ batch_id: 1 });
  });

  test('[HOOK-2] The journal has incoming SMS of companies that are listened to', async () => {
    const { store } = given;
    await store.write(putNumber, { number: '46731230001', userId: 10 });
    const sms = { sender: '46701740600', recipient: '46731230001', text: 'Yes', receivedAt: 3_000 };
    await store.write(storeIncoming, { ...sms, id: 1 });
    await store.write(listen, listener);
    await store.write(storeIncoming, { ...sms, id: 2 });
    await store.write(storeIncoming, { ...sms, id: 3, recipient: '46731239999' });
    expect(await statusesInJournal(store)).toEqual({ 'incoming 2': [null], 'conversation 1': [null] });
    const one = { company_id: 1, changed_at: 3_000 };
    expect(await store.read(listChanges, null)).toMatchObject([one, one]);
  });

  test('[PORT-4] When someone begins to watch, the journal takes in the latest messages under way', async () => {
    const { store } = given;
    await store.write(putMessages, [
      { id: 1, stage: null, status: status.DELIVERED },
      ...Array.from({ length: 201 }, (_, place) => ({ id: 2 + place })),
    ]);
    await store.write(putMessages, [{ id: 5_000, companyId: 2 }]);
    expect(await store.write(trackLatest, 1)).toBe(200);
    expect(await store.write(trackLatest, 1)).toBe(0);
    for (const id of [2, 3, 5_000]) await store.write(cancelMessage, { id, now: 8_000 });
    const changes = await statusesInJournal(store);
    expect(Object.keys(changes).length).toBe(200);
    expect(changes['message 3']).toEqual([status.QUEUED, status.DELETED]);
    expect([changes['message 2'], changes['message 5000']]).toEqual([undefined, undefined]);
  });

  test('[HOOK-2] The journal is read in order from a reader’s place, and kept until the slowest reader is done with it', async () => {
    const { store } = given;
    await store.write(putMessages, [{ id: 1, listened: true }]);
    const before = await store.read(readNewest, null);
    const at = (name: string) => ({ ...reader, name, place: before });
    for (const name of ['fast', 'slow']) expect(await store.write(enterReader, at(name))).toBe(before);
    await store.write(
      putMessages,
      [2, 3, 4].map((id) => ({ id, listened: true })),
    );
    const to = await store.read(readNewest, null);
    const unread = async (name: string, limit: number) =>
      (await store.read(readChanges, { name, to, limit }))?.map(({ subjectId }) => subjectId);
    expect(await unread('fast', 2)).toEqual([2, 3]);
    expect(await unread('fast', 10)).toEqual([2, 3, 4]);
    expect((await store.read(readChanges, { name: 'fast', to: to - 1, limit: 10 }))?.length).toBe(2);
    await store.write(moveReader, { name: 'fast', to });
    expect(await unread('fast', 10)).toEqual([]);
    expect(await store.write(trimChanges, { now: 5_000, limit: 10 })).toMatchObject({
      changes: 1,
      dropped: [],
    });
    expect(await unread('slow', 10)).toEqual([2, 3, 4]);
    await store.write(moveReader, { name: 'slow', to: to - 1 });
    await store.write(moveReader, { name: 'slow', to: to - 2 });
    expect(await unread('slow', 10)).toEqual([4]);
    expect(await store.write(enterReader, { ...reader, name: 'slow', place: to })).toBe(to - 1);
    expect(await store.write(trimChanges, { now: 5_100, limit: 10 })).toMatchObject({ changes: 2 });
    // The newest entry is kept, so that no place is assigned twice.
    await store.write(moveReader, { name: 'slow', to });
    expect(await store.write(trimChanges, { now: 5_200, limit: 10 })).toMatchObject({ changes: 0 });
    await store.write(putMessages, [{ id: 5, listened: true }]);
    expect(await store.read(readNewest, null)).toBeGreaterThan(to);
  });

  test('[HOOK-2] The journal is not kept for a reader that stands still or is too far behind', async () => {
    const { store } = given;
    await store.write(putMessages, [{ id: 1, listened: true }]);
    const newest = await store.read(readNewest, null);
    await store.write(enterReader, { ...reader, name: 'idle', place: newest });
    await store.write(enterReader, { ...reader, name: 'gone', place: newest - 1 });
    await store.write(enterReader, { ...reader, name: 'patient', place: newest - 1, patienceMs: 60_000 });
    await store.write(enterReader, { ...reader, name: 'far', place: newest - 1 - maxUnread });
    const trim = async (now: number) => {
      const { dropped } = await store.write(trimChanges, { now, limit: 10 });
      return dropped.map(({ name }) => name).sort();
    };
    expect(await trim(10_000)).toEqual(['far']);
    expect(await trim(10_999)).toEqual([]);
    expect(await trim(11_000)).toEqual(['gone']);
    expect(await store.read(readChanges, { name: 'gone', to: newest, limit: 10 })).toBeNull();
    await store.write(moveReader, { name: 'patient', to: newest });
    await store.write(putMessages, [{ id: 2, listened: true }]);
    expect(await trim(80_000)).toEqual([]);
    expect(await trim(81_000)).toEqual(['idle']);
    expect((await store.read(listReaders, null)).map(({ name }) => name)).toEqual(['patient']);
  });
});
