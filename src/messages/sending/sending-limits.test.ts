/** Tests what the operator lets a company and its users send: how much per minute and day, and to which countries. */

import { beforeEach, expect, test } from 'vitest';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { sendingOn } from '../../../test/harness/sending-node.ts';
import { eachStore, type FreshStore } from '../../../test/harness/stores.ts';
import { type Account, findAccountByUsername } from '../../accounts/account.ts';
import { callerOf } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { SecurityEvent } from '../../foundation/security-log.ts';
import { Ids } from '../../storage/ids.ts';
import type { Store } from '../../storage/store.ts';
import { readUsage } from '../management/usage.ts';
import { cancel } from '../operator/cancel.ts';
import { plainRequest, type SendRequest } from './parameters.ts';
import { type Sending, type Sent, send } from './send.ts';

const plain: SendRequest = {
  ...plainRequest,
  to: ['46701740600'],
  from: 'Clinic',
  message: 'Hello',
  validminutes: 60,
};

const start = Date.parse('2026-06-15T12:00:00Z');
const parts = (count: number) => ({ message: 'x'.repeat(count === 1 ? 5 : 153 * count) });

function limited(company: string, ofAnna = ''): string {
  const limits = (of: string) => (of === '' ? '' : `, limits: { ${of} }`);
  return `companies:
  - { name: Clinic${limits(company)}, users: [
      { username: anna, roles: [send]${limits(ofAnna)} }, { username: bo, roles: [send] }] }`;
}

eachStore('limits of sending', (engine) => {
  let fresh: FreshStore;
  let nodes: readonly Sending[];
  let events: SecurityEvent[];
  const clock = { time: start, now: () => clock.time };
  const { linesOf: apply } = provisioningOf(() => fresh.store);

  beforeEach(async () => {
    clock.time = start;
    events = [];
    fresh = await engine.openFreshStore();
    // SQLite has one process, whose callers share its store.
    const other = engine.name === 'sqlite' ? fresh.store : await fresh.openAnother();
    nodes = [fresh.store, other].map(sendingWith);
    await apply('carriers: [{ name: sim, type: simulator }]');
  });

  function sendingWith(store: Store): Sending {
    return sendingOn(store, clock, {
      ids: new Ids(store, 'message', 1_000),
      security: { record: (event) => void events.push(event) },
    });
  }

  async function sendAs(username: string, change: Partial<SendRequest> = {}, key?: string, node = 0) {
    const account = (await fresh.store.read(findAccountByUsername, username)) as Account;
    try {
      return await send(nodes[node] as Sending, callerOf(account), { ...plain, ...change }, key);
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }
  const codeOf = (sent: Sent | ServiceError) => (sent instanceof ServiceError ? sent.code : 'sent');
  const billed = async () =>
    (await fresh.store.read(readUsage, { from: '', to: '' })).reduce((sum, use) => sum + use.parts, 0);

  test('[CONV-11] [SEND-19] A call over the rate limit gets 429, with the time when it fits again and what is left', async () => {
    await apply(limited('partsPerMinute: 10, partsPerDay: 100', 'partsPerDay: 12'));
    expect(codeOf(await sendAs('anna', parts(8)))).toBe('sent');
    clock.time += 18_500;
    expect(await sendAs('anna', parts(3))).toMatchObject({
      code: 'rate_exceeded',
      status: 429,
      headers: { 'retry-after': '42' },
      body: { left: { minute: 2, day: 4 } },
      message:
        'The company may send 10 SMS parts a minute, of which 2 are left; this call has 3. Nothing was sent; try again in 42 s.',
    });
    expect(codeOf(await sendAs('bo', parts(2)))).toBe('sent');
    clock.time += 41_500;
    const midnight = String((Date.parse('2026-06-16T00:00:00Z') - clock.time) / 1_000);
    expect(await sendAs('anna', parts(5))).toMatchObject({
      code: 'rate_exceeded',
      headers: { 'retry-after': midnight },
      body: { left: { minute: 10, day: 4 } },
      message: expect.stringMatching(/^The account may send 12 SMS parts a day, of which 4 are left;/),
    });
    expect(codeOf(await sendAs('anna', parts(4)))).toBe('sent');
    expect(events).toEqual([
      { event: 'rate_exceeded', username: 'anna', companyId: 1_001, object: 'company', reason: 'minute' },
      { event: 'rate_exceeded', username: 'anna', companyId: 1_001, object: 'account', reason: 'day' },
    ]);
    clock.time = Date.parse('2026-06-16T00:00:00Z');
    expect(codeOf(await sendAs('anna', parts(10)))).toBe('sent');
  });

  test('[CONV-11] A call that can never fit the rate limit is refused without a time to retry', async () => {
    await apply(limited('partsPerMinute: 10'));
    expect(await sendAs('anna', parts(11))).toMatchObject({
      code: 'too_many_parts',
      status: 400,
      headers: {},
    });
    expect(events).toEqual([]);
    expect(codeOf(await sendAs('anna', parts(10)))).toBe('sent');
    // The call is refused as too large, whatever else it would have to wait for.
    await apply(limited('partsPerMinute: 10, partsPerDay: 15'));
    expect(codeOf(await sendAs('anna', parts(11)))).toBe('too_many_parts');
    expect(codeOf(await sendAs('anna', parts(6)))).toBe('rate_exceeded');
  });

  test('[CONV-11] [SEND-20] [SEND-12] Repeats count once for the rate limit, scheduled SMS when accepted, and cancelling gives nothing back', async () => {
    await apply(limited('partsPerMinute: 10'));
    const first = await sendAs('anna', parts(6), 'key');
    expect(await sendAs('anna', parts(6), 'key')).toEqual(first);
    const planned = (await sendAs('anna', { ...parts(4), scheduletime: '2026-06-16T12:00:00Z' })) as Sent;
    await cancel(fresh.store, clock, planned.accepted[0]?.id as string);
    expect(codeOf(await sendAs('anna', {}, 'other key'))).toBe('rate_exceeded');
    expect(await billed()).toBe(6);
    clock.time += 60_000;
    // A refusal is not stored, so the same key now sends.
    expect(codeOf(await sendAs('anna', {}, 'other key'))).toBe('sent');
  });

  test('[CONV-11] [SEND-19] [RUN-2] Concurrent calls on two nodes never exceed the rate limit, and use it up', async () => {
    await apply(limited('partsPerMinute: 40, partsPerDay: 90', 'partsPerMinute: 25'));
    let sent = 0;
    for (const expected of [40, 40, 10, 0]) {
      const calls = Array.from({ length: 60 }, (_, index) =>
        sendAs(index % 3 === 0 ? 'bo' : 'anna', parts(1 + (index % 2)), undefined, index % 2),
      );
      const singles = Array.from({ length: 20 }, (_, index) => sendAs('bo', {}, undefined, index % 2));
      const outcomes = (await Promise.all([...calls, ...singles])).map(codeOf);
      expect(new Set(outcomes)).not.toContain('too_many_parts');
      sent += expected;
      expect(await billed()).toBe(sent);
      clock.time += 60_000;
    }
  });

  test('[CONV-11] Without rate limits nothing is counted, and a new limit counts only what comes after it', async () => {
    await apply(limited(''));
    expect(codeOf(await sendAs('anna', parts(50)))).toBe('sent');
    expect(await apply(limited('partsPerMinute: 10'))).toEqual([
      '~ company Clinic: limits none -> 10 a minute',
    ]);
    expect(codeOf(await sendAs('anna', parts(10)))).toBe('sent');
    expect(codeOf(await sendAs('anna'))).toBe('rate_exceeded');
    // Usage counted so far is kept, whatever the file says about the limit.
    expect(await apply(limited('partsPerMinute: 12', 'countries: [SE, no], partsPerDay: 5'))).toEqual([
      '~ company Clinic: limits 10 a minute -> 12 a minute',
      '~ user anna in Clinic: limits none -> 5 a day, NO SE only',
    ]);
    expect(codeOf(await sendAs('bo', parts(2)))).toBe('sent');
    expect(codeOf(await sendAs('bo'))).toBe('rate_exceeded');
    await apply(limited(''));
    expect(codeOf(await sendAs('anna', parts(50)))).toBe('sent');
  });

  test('[SEND-4] A recipient in a country that is not allowed is rejected, and the others go out', async () => {
    await apply(limited('countries: [SE, NO, US]', 'countries: [NO, SE, FI]'));
    const to = ['+46 70 174 06 00', '12025550123', '4740612345', '358401234567', '88213123456'];
    expect(await sendAs('anna', { to })).toMatchObject({
      accepted: [{ to: '46701740600' }, { to: '4740612345' }],
      rejected: ['12025550123', '358401234567', '88213123456'],
    });
    expect(await sendAs('bo', { to: ['12025550123'] })).toMatchObject({ rejected: [] });
    expect(await sendAs('anna', { to: ['12025550123'] })).toMatchObject({
      code: 'nothing_queued',
      errors: [{ field: 'to[0]', code: 'country_not_allowed' }],
      message: 'No SMS was queued. 12025550123 is not in a country that the account may send to (NO, SE).',
    });
  });

  test.each([
    ['partsPerMinute: 0', /partsPerMinute.*must be a whole number from 1/],
    ['countries: []', /countries.*must name at least one country; leave the key out for all/],
    ['countries: [SE, Sweden]', /countries\[1\].*must be the code of a country/],
    ['partsPerHour: 5', /unknown key/],
  ])(
    '[RUN-3] [CONV-11] A fault in the limits of a provisioning file is reported: %s',
    async (limits, fault) => {
      const { faultsOf } = provisioningOf(() => fresh.store);
      for (const file of [limited(limits), limited('', limits)])
        expect(await faultsOf(file)).toEqual([expect.stringMatching(fault)]);
    },
  );
});
