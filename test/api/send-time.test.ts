/** Tests SMS that are sent later: the forms of the time, the wait, and cancelling them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stage } from '../../src/messages/message.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { HeldTime } from '../harness/held-server-time.ts';
import {
  acceptedOf,
  query,
  recipient,
  sendOne,
  sendPath,
  singlePath,
  statusesOf,
  storedMessages,
  storedOf,
  whenAllAre,
} from '../harness/messaging.ts';

/** Messages to Norway wait long for their carrier, which takes one part at a time. */
const provisioning = standardProvisioning
  .replace('carriers:\n', 'carriers:\n  - { name: slow, type: simulator, submitDelayMs: 60000, window: 1 }\n')
  .replace('routes:\n', 'routes:\n  - { name: slow, prefix: "47", carriers: [slow] }\n');

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Formats a time to the second, as the API contract does. */
function instant(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** The same instant as a clock in a zone shows it. */
function localTime(time: number, offset: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * minuteMs * (sign === '-' ? -1 : 1);
  return instant(time + offsetMs).replace('Z', offset);
}

describe('/send, time', () => {
  let app: WholeApp;
  const held = new HeldTime();
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning, env: held.env });
  });
  afterAll(async () => {
    await app?.close();
    held.remove();
  });

  const post = (body: object) =>
    app.as(alice).post(sendPath, { to: [recipient(1)], message: 'Later', ...body });
  const cancel = (id: string) => app.as(alice).post(`/api/v1/messages/${id}/cancel`);
  /** A whole minute, some days ahead. */
  const ahead = Math.ceil((Date.now() + 3 * dayMs) / minuteMs) * minuteMs;

  test.each<[form: string, written: string]>([
    ['seconds, UTC', instant(ahead)],
    ['minutes, UTC', instant(ahead).replace(':00Z', 'Z')],
    ['seconds, offset', localTime(ahead, '+02:00')],
    ['offset to the west', localTime(ahead, '-11:00')],
    ['offset of half an hour', localTime(ahead, '+05:30')],
    ['minutes, offset', localTime(ahead, '+02:00').replace(':00+', '+')],
    ['a fraction of a second', instant(ahead).replace('Z', '.000Z')],
  ])('[SEND-12] [SEND-13] A send time may have this form (%s): %s', async (_, scheduletime) => {
    const answers = [
      await post({ scheduletime, validminutes: 10 }),
      await app.as(alice).get(sendPath, { T: recipient(1), M8: 'Later', V: 10, AT: scheduletime }),
    ];
    for (const answer of answers) {
      const [stored] = await storedOf(app, answer);
      expect(stored?.expiresAt).toBe(ahead + 10 * minuteMs);
      expect(await statusesOf(app.as(alice), [stored?.id ?? ''])).toMatchObject([
        { status: 'SCHEDULED', statuscode: '14' },
      ]);
    }
    const single = { to: recipient(1), message: 'Later', scheduletime };
    const answer = await app.as(alice).post(singlePath, single);
    expect(await statusesOf(app.as(alice), [answer.body.id])).toMatchObject([{ status: 'SCHEDULED' }]);
  });

  test.each<[what: string, write: () => string]>([
    ['past', () => instant(Date.now() - 90_000)],
    ['over 366 days ahead', () => instant(Date.now() + 366 * dayMs + 10 * minuteMs)],
    ['no zone', () => instant(ahead).replace('Z', '')],
    ['a space for the plus sign', () => localTime(ahead, '+02:00').replace('+', ' ')],
    ['no such day', () => '2027-02-29T08:00:00Z'],
    ['a date alone', () => '2027-02-28'],
    ['milliseconds since the epoch', () => String(ahead)],
    ['words', () => 'tomorrow'],
  ])('[SEND-12] %s is refused, and nothing is sent', async (_, write) => {
    const scheduletime = write();
    const before = (await storedMessages(app)).length;
    expect(await post({ scheduletime })).toMatchObject({ status: 400, body: { code: 'invalid_time' } });
    const byGet = await app.as(alice).get(sendPath, { T: recipient(1), M8: 'x', AT: scheduletime });
    expect(byGet).toMatchObject({ status: 400, body: { code: 'invalid_time' } });
    expect((await storedMessages(app)).length).toBe(before);
  });

  test('[SEND-12] A send time with an unencoded plus sign in a URL is refused with a hint', async () => {
    const answer = await app
      .as(alice)
      .get(sendPath, `T=${recipient(1)}&M8=x&AT=${localTime(ahead, '+02:00')}`);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain('%2B');
  });

  test('[SEND-12] A send time less than a minute in the past counts as now', async () => {
    const id = await sendOne(app.as(alice), { scheduletime: instant(Date.now() - 30_000) });
    await whenAllAre(app.as(alice), [id], 'DELIVERED');
    expect(await post({ scheduletime: instant(Date.now() + 365 * dayMs) })).toMatchObject({ status: 200 });
  });

  test('[SEND-21] A queued message that is cancelled becomes DELETED, and a message that is with its carrier cannot be cancelled', async () => {
    const to = [1, 2, 3, 4, 5].map((index) => `479100000${index}0`);
    const ids = acceptedOf(await post({ to })).map(({ id }) => id);
    const [first = '', last = ''] = [ids[0], ids.at(-1)];
    const isInFlight = `SELECT 1 FROM messages WHERE id = ${first} AND stage = ${stage.inFlight}`;
    await until(async () => (await query(app, isInFlight)).length === 1);
    expect(await cancel(last)).toMatchObject({ status: 200, body: { id: last, status: 'DELETED' } });
    const tooLate = { code: 'too_late', error: expect.stringContaining('carrier') };
    expect(await cancel(first)).toMatchObject({ status: 409, body: tooLate });
    expect(await statusesOf(app.as(alice), [last, first])).toMatchObject([
      { status: 'DELETED', statuscode: '3' },
      { status: 'QUEUED', statuscode: '0' },
    ]);
  });

  test('[SEND-21] A message that has ended or is unknown cannot be cancelled', async () => {
    const id = await sendOne(app.as(alice));
    await whenAllAre(app.as(alice), [id], 'DELIVERED');
    expect((await cancel(id)).body.error).toContain('already DELIVERED');
    const unknown = await cancel('123');
    expect(unknown).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining('no message 123') },
    });
  });

  describe('with a clock that is set', () => {
    let setByMs = 0;
    /** Sets the server's clock to `time`. */
    async function setClock(time: number): Promise<void> {
      setByMs = time - Date.now();
      held.setClock(setByMs);
      // Once a new message is delivered at the new time, all the server's threads have that time.
      await until(async () => {
        const id = await sendOne(app.as(alice));
        const [{ time: deliveredAt } = {}] = await whenAllAre(app.as(alice), [id], 'DELIVERED');
        return Number(deliveredAt) >= time;
      });
    }
    /** A whole minute, some way ahead of the server's clock. */
    const laterTime = () => Math.ceil((Date.now() + setByMs) / minuteMs) * minuteMs + 60 * minuteMs;

    test('[SEND-12] A message is SCHEDULED until its send time, and leaves then', async () => {
      const at = laterTime();
      const answer = await post({ to: [recipient(1), recipient(2)], scheduletime: instant(at) });
      const ids = acceptedOf(answer).map(({ id }) => id);
      await setClock(at - 30 * minuteMs);
      for (const { status, time } of await statusesOf(app.as(alice), ids)) {
        expect(status).toBe('SCHEDULED');
        expect(Number(time)).toBeLessThan(at);
      }
      await setClock(at);
      for (const { time } of await whenAllAre(app.as(alice), ids, 'DELIVERED'))
        expect(Number(time)).toBeGreaterThanOrEqual(at);
    });

    test('[SEND-21] A scheduled message that is cancelled becomes CANCELED, and never leaves', async () => {
      const at = laterTime();
      const answer = await post({ to: [recipient(1), recipient(2)], scheduletime: instant(at) });
      const [id = '', other = ''] = acceptedOf(answer).map(({ id }) => id);
      const result = await app.run('message', 'cancel', id);
      expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('CANCELED') });
      const canceled = { id, status: 'CANCELED', statuscode: '15' };
      expect(await statusesOf(app.as(alice), [id])).toMatchObject([canceled]);
      await setClock(at);
      await whenAllAre(app.as(alice), [other], 'DELIVERED');
      expect(await statusesOf(app.as(alice), [id])).toMatchObject([canceled]);
      const again = await app.run('message', 'cancel', id);
      expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('already CANCELED') });
    });
  });
});
