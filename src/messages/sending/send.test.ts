import { beforeEach, expect, test } from 'vitest';
import { putCompany, putUser } from '../../../test/harness/account-verbs.ts';
import {
  listMessages,
  listUsed,
  type MessageRow,
  putSimulator,
} from '../../../test/harness/delivery-verbs.ts';
import { sendingOn } from '../../../test/harness/sending-node.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { readUsage } from '../management/usage.ts';
import { charge, stage, status } from '../message.ts';
import { expireWaiting, releaseDue } from '../upkeep/due-store.ts';
import { plainRequest, type SendRequest } from './parameters.ts';
import { type Sending, type Sent, send } from './send.ts';

const caller: Caller = {
  userId: 11,
  username: 'anna',
  companyId: 1,
  roles: new Set(['send']),
  defaultSender: 'Clinic',
  allowedSenders: undefined,
  replaceCharacters: false,
  maxBatch: undefined,
  allowedCountries: undefined,
  session: undefined,
};

const request: SendRequest = { ...plainRequest, to: ['46731234567'], message: 'Hello' };

const start = Date.parse('2026-06-01T12:00:00Z');
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const threeParts = 'x'.repeat(3 * 153);

eachStore('sending', (engine) => {
  let store: Store;
  let sending: Sending;
  const clock = { time: start, now: () => clock.time };

  beforeEach(async () => {
    clock.time = start;
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: 1, name: 'Clinic' });
    await store.write(putUser, { id: 11, companyId: 1, username: 'anna', quotaParts: 5 });
    await store.write(putSimulator, { id: 1, name: 'sim' });
    sending = sendingOn(store, clock);
  });

  const sendAs = (change: Partial<SendRequest>, key?: string) =>
    send(sending, caller, { ...request, ...change }, key);
  /** The code of a refusal, or `sent`. */
  const outcome = (sent: Promise<Sent>) =>
    sent.then(
      () => 'sent',
      (error: unknown) => (error instanceof ServiceError ? error.code : Promise.reject(error)),
    );
  const idOf = ({ accepted }: Sent) => Number(accepted[0]?.id);
  const find = async (id: number) =>
    (await store.read(listMessages, null)).find((message) => message.id === id) as MessageRow;
  /** The quota used by the user and by the company, then the messages and parts on the bill. */
  async function use(): Promise<readonly number[]> {
    const quotas = (await store.read(listUsed, null)).map(({ used }) => used);
    const [bill] = await store.read(readUsage, { from: '', to: '' });
    return [...quotas, bill?.messages ?? 0, bill?.parts ?? 0];
  }
  const countMessages = async () => (await store.read(listMessages, null)).length;
  const sweep = () => ({ now: clock.time, limit: 100 });

  test('[CONV-12] [SEND-5] A call to many recipients stores nothing if its client has gone, and all messages if its client waits', async () => {
    const to = Array.from({ length: 500 }, (_, index) => String(46_731_000_000 + index));
    const many = { ...request, to };
    await store.write(putUser, { id: 11, companyId: 1, username: 'anna', quotaParts: 1_000 });
    const closed = AbortSignal.abort(new Error('gone'));
    const gone = send(sending, caller, many, undefined, { call: { isOver: true, closed } });
    expect(await outcome(gone)).toBe('request_timeout');
    expect(await countMessages()).toBe(0);
    const waiting = { isOver: false, closed: new AbortController().signal };
    const sent = await send(sending, caller, many, undefined, { call: waiting });
    expect(sent.accepted.map((accepted) => accepted.to)).toEqual(to);
    expect(await countMessages()).toBe(500);
  });

  test('[CONV-12] [SEND-5] A call reads no more of the address book once its client has gone', async () => {
    const addressBook = { filterField: undefined, filter: undefined, savedFilters: [], groups: ['nurses'] };
    const closed = AbortSignal.abort(new Error('gone'));
    const selecting = { ...request, addressBook };
    expect(await outcome(send(sending, caller, selecting, undefined))).toBe('no_address_book');
    const gone = send(sending, caller, selecting, undefined, { call: { isOver: true, closed } });
    await expect(gone).rejects.toThrow('gone');
  });

  test('[SEND-13] [SEND-19] A message that no carrier takes within its validity is EXPIRED, and costs nothing', async () => {
    const id = idOf(await sendAs({ validminutes: 2, message: threeParts }));
    expect(await use()).toEqual([3, 3, 1, 3]);
    clock.time = start + 2 * minuteMs - 1;
    expect(await store.write(expireWaiting, sweep())).toBe(0);
    clock.time += 1;
    expect(await store.write(expireWaiting, sweep())).toBe(1);
    expect(await find(id)).toMatchObject({
      status: status.EXPIRED,
      stage: null,
      changed_at: clock.time,
      version: 2,
      unread: 1,
      charge: charge.refunded,
    });
    expect(await use()).toEqual([0, 0, 0, 0]);
    expect(await store.write(expireWaiting, sweep())).toBe(0);
  });

  test('[SEND-12] [SEND-13] The validity of a scheduled message begins at its scheduled time', async () => {
    const id = idOf(await sendAs({ validminutes: 1, scheduletime: '2026-06-01T12:10:00Z' }));
    clock.time = start + 10 * minuteMs - 1;
    await store.write(releaseDue, sweep());
    await store.write(expireWaiting, sweep());
    expect(await find(id)).toMatchObject({
      status: status.SCHEDULED,
      stage: stage.scheduled,
    });
    clock.time += 1;
    await store.write(releaseDue, sweep());
    await store.write(expireWaiting, sweep());
    const released = {
      status: status.QUEUED,
      stage: stage.waiting,
      changed_at: clock.time,
      unread: 1,
      version: 2,
    };
    expect(await find(id)).toMatchObject(released);
    clock.time += minuteMs;
    await store.write(expireWaiting, sweep());
    expect(await find(id)).toMatchObject({ status: status.EXPIRED });
  });

  test('[SEND-19] Of many concurrent calls, as many are accepted as the quota covers, in the order they came', async () => {
    const calls = [threeParts, threeParts, 'two', 'parts', 'no more'].map((message) =>
      outcome(sendAs({ message })),
    );
    expect(await Promise.all(calls)).toEqual(['sent', 'quota_exceeded', 'sent', 'sent', 'quota_exceeded']);
    expect(await use()).toEqual([5, 5, 3, 5]);
  });

  test('[SEND-20] An idempotency key is valid for 24 hours, and may then be used for another call', async () => {
    const first = await sendAs({}, 'key');
    clock.time = start + dayMs - 1;
    expect(await sendAs({}, 'key')).toEqual(first);
    expect(await outcome(sendAs({ message: 'Bye' }, 'key'))).toBe('idempotency_mismatch');
    clock.time += 1;
    const second = await sendAs({ message: 'Bye' }, 'key');
    expect(idOf(second)).not.toBe(idOf(first));
    expect(await sendAs({ message: 'Bye' }, 'key')).toEqual(second);
    expect(await outcome(sendAs({}, 'key'))).toBe('idempotency_mismatch');
    expect(await countMessages()).toBe(2);
  });

  test('[SEND-12] [SEND-20] A scheduled call that is repeated after its time gets its first response', async () => {
    const scheduled = { scheduletime: '2026-06-01T12:10:00Z' };
    const first = await sendAs(scheduled, 'key');
    clock.time = start + 30 * minuteMs;
    expect(await sendAs(scheduled, 'key')).toEqual(first);
    expect(await outcome(sendAs(scheduled, 'other key'))).toBe('invalid_time');
  });

  test('[SEND-19] [SEND-20] A call that the quota refuses leaves its idempotency key to calls that the quota covers', async () => {
    const tooMuch = { message: 'x'.repeat(6 * 153) };
    const calls = [tooMuch, tooMuch, {}, tooMuch, {}].map((change) => sendAs(change, 'key'));
    const outcomes = await Promise.all(calls.map(outcome));
    for (const index of [0, 1, 3]) expect(outcomes[index]).toMatch(/^(quota_exceeded|idempotency_mismatch)$/);
    const [first, second] = await Promise.all([calls[2], calls[4]]);
    expect(second).toEqual(first);
    expect(await countMessages()).toBe(1);
  });
});
