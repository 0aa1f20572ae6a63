/** Tests two-way SMS through the API: pool numbers as senders, and answers that reach the user who asked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command } from '../../src/app/control.ts';
import type { Answer } from '../harness/api-client.ts';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import {
  acceptedOf,
  incomingPath,
  query,
  recipient,
  sendPath,
  singleIncomingPath,
  singlePath,
  storedOf,
  whenAllAre,
} from '../harness/messaging.ts';

const pool = ['46731239001', '46731239002', '46731239003'];
const rented = '46731230001';
const provisioning = `${standardProvisioning}${pool.map((number) => `  - { number: "${number}", pool: true }\n`).join('')}`;

let nextRecipient = 100;
/** A recipient that no test has sent to yet. */
const fresh = () => recipient(nextRecipient++);
const dayMs = 24 * 60 * 60 * 1_000;

describe('two-way SMS', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const post = (body: object, user = alice) =>
    app.as(user).post(sendPath, { message: 'Can you come?', twoway: true, ...body });
  const sendersOf = async (answer: Answer) => (await storedOf(app, answer)).map(({ sender }) => sender);
  /** Sends a two-way SMS, and returns its id and the number that it came from. */
  async function ask(to: string, parameters: object = {}, user = alice) {
    const answer = await post({ to: [to], ...parameters }, user);
    const [message] = await storedOf(app, answer);
    if (message === undefined) throw new Error(answer.text);
    return { id: message.id, number: message.sender };
  }
  async function arrive(text: string, from: string, to: string) {
    const input = { to, from, text };
    return (await command(app.env.CARILLON_DATA as string, 'simulate-incoming', input)) as {
      readonly id: string;
      readonly routed: boolean;
      readonly processId: number;
    };
  }
  const unread = async (user = alice, parameters: object = {}) =>
    (await app.as(user).post(incomingPath, { getoriginal: true, ...parameters })).body.incoming;

  test('[SEND-16] A two-way SMS comes from a number of the pool, whatever sender is given, by POST and GET', async () => {
    const [one, two, three, four] = [fresh(), fresh(), fresh(), fresh()];
    const byPost = await post({ to: [one], from: 'no sender at all, as it is too long' });
    expect(pool).toContain((await sendersOf(byPost))[0]);
    const byGet = await app.as(alice).get(sendPath, `T=${two}&M8=Hello&2=YES&F=Clinic`);
    expect(pool).toContain((await sendersOf(byGet))[0]);
    const single = await app.as(alice).post(singlePath, { to: three, message: 'Hello', twoway: true });
    expect(single.status).toBe(200);
    const ids = [...acceptedOf(byPost), ...acceptedOf(byGet), { id: single.body.id }].map(({ id }) => id);
    for (const { from } of await whenAllAre(app.as(alice), ids, 'DELIVERED')) expect(pool).toContain(from);
    expect(await sendersOf(await post({ to: [four], twoway: false }))).toEqual(['NordicCare']);
  });

  test('[SEND-16] A two-way SMS takes the pool number that was used longest ago', async () => {
    const used = [];
    for (let index = 0; index < 6; index++) used.push((await ask(fresh())).number);
    expect(new Set(used.slice(0, 3))).toEqual(new Set(pool));
    expect(used.slice(3)).toEqual(used.slice(0, 3));
    const many = await post({ to: Array.from({ length: 300 }, fresh) });
    const senders = await sendersOf(many);
    for (const number of pool) expect(senders.filter((sender) => sender === number)).toHaveLength(100);
  });

  test('[SEND-16] Two-way conversations with one person have different numbers as long as numbers are free', async () => {
    const to = fresh();
    const asked = [];
    for (const conversation of ['a', 'b', 'c']) asked.push(await ask(to, { conversation }));
    const numbers = asked.map(({ number }) => number);
    expect(new Set(numbers)).toEqual(new Set(pool));
    for (const [index, conversation] of ['a', 'b', 'c'].entries()) {
      expect((await ask(to, { conversation })).number).toBe(numbers[index]);
    }
    // Now b speaks again and is no longer the second oldest, so the fourth conversation takes over a's number, and the fifth c's.
    await ask(to, { conversation: 'b' });
    expect((await ask(to, { conversation: 'd' })).number).toBe(numbers[0]);
    expect((await ask(to, { conversation: 'b' }, bob)).number).toBe(numbers[2]);
    expect((await ask(to, { conversation: 'b' })).number).toBe(numbers[1]);
  });

  test('[SEND-16] Two-way messages without a conversation are distinguished by their numbers', async () => {
    const to = fresh();
    const asked = [await ask(to), await ask(to), await ask(to)];
    expect(new Set(asked.map(({ number }) => number))).toEqual(new Set(pool));
    for (const { number } of asked) await arrive('yes', to, number);
    expect((await unread()).map(({ resptoid }: { resptoid: string }) => resptoid)).toEqual(
      asked.map(({ id }) => id),
    );
  });

  test('[SEND-16] A lease of a pool number lasts from the send time for the validity plus 72 hours', async () => {
    const to = fresh();
    const at = Math.ceil(Date.now() / 60_000) * 60_000 + dayMs;
    const now = await ask(to, { validminutes: 60 });
    const later = await ask(to, { validminutes: 120, scheduletime: new Date(at).toISOString() });
    const leases = await query(
      app,
      `SELECT message_id, starts_at, ends_at FROM number_leases WHERE recipient = '${to}' ORDER BY starts_at`,
    );
    expect(leases.map((lease) => String(lease.message_id))).toEqual([now.id, later.id]);
    const [first = {}, second = {}] = leases;
    expect(Number(first.ends_at) - Number(first.starts_at)).toBe(3_600_000 + 3 * dayMs);
    expect(Number(second.starts_at)).toBe(at);
    expect(Number(second.ends_at)).toBe(at + 7_200_000 + 3 * dayMs);
  });

  test('[SEND-16] The same call with the same idempotency key leases no number twice', async () => {
    const body = { to: [fresh()], message: 'Hello', twoway: true };
    const send = () => app.as(alice).post(sendPath, body, { 'idempotency-key': 'two-way' });
    const first = await send();
    expect((await send()).body).toEqual(first.body);
    const leases = await query(app, `SELECT 1 FROM number_leases WHERE recipient = '${body.to[0]}'`);
    expect(leases).toHaveLength(1);
  });

  test('[INC-2] An answer goes to the user who asked, with conversation, message id and, on request, the original text', async () => {
    const to = fresh();
    const ofAlice = await ask(to, { conversation: 'shift 7' });
    const ofBob = await ask(to, { conversation: 'parcel', message: 'Are you home?' }, bob);
    const toBob = await arrive('Yes, at home', to, `+${ofBob.number}`);
    const toAlice = await arrive('Ja, gärna', `+${to}`, ofAlice.number);
    expect([toBob.routed, toAlice.routed]).toEqual([true, true]);
    const record = {
      from: to,
      to: ofAlice.number,
      id: toAlice.id,
      message: 'Ja, gärna',
      time: expect.any(String),
    };
    const expected = { ...record, conversation: 'shift 7', resptoid: ofAlice.id };
    expect(await unread(alice, { markasread: false })).toEqual([{ ...expected, origmess: 'Can you come?' }]);
    expect(await unread(alice, { markasread: false, getoriginal: false })).toEqual([
      { ...expected, origmess: '' },
    ]);
    expect((await app.as(alice).get(incomingPath, `I=${toAlice.id}&G=T&R=F`)).body.incoming).toEqual([
      { ...expected, origmess: 'Can you come?' },
    ]);
    expect((await app.as(alice).post(singleIncomingPath, { getoriginal: true })).body).toEqual({
      ...expected,
      origmess: 'Can you come?',
    });
    const foreign = await app.as(alice).post(incomingPath, { id: [toBob.id] });
    expect(foreign.body).toEqual({ incoming: [], notfound: [toBob.id] });
    expect(await unread(bob)).toMatchObject([{ resptoid: ofBob.id, origmess: 'Are you home?' }]);
  });

  test('[INC-2] An answer in a conversation belongs to its newest message', async () => {
    const to = fresh();
    const [, second] = [await ask(to, { conversation: 'x' }), await ask(to, { conversation: 'x' })];
    await arrive('yes', to, second.number);
    expect(await unread()).toMatchObject([{ resptoid: second.id, conversation: 'x' }]);
  });

  test('[INC-2] An answer never belongs to a message that is still to come or was cancelled', async () => {
    const to = fresh();
    const scheduletime = new Date(Date.now() + dayMs).toISOString();
    const asked = await ask(to, { conversation: 'x' });
    const planned = await ask(to, { conversation: 'x', scheduletime });
    expect(planned.number).toBe(asked.number);
    await arrive('yes', to, asked.number);
    expect(await unread()).toMatchObject([{ resptoid: asked.id }]);

    const alone = await ask(fresh(), { scheduletime });
    const cancelled = await app.as(alice).post(`/api/v1/messages/${alone.id}/cancel`);
    expect(cancelled.status, cancelled.text).toBe(200);
    const [{ recipient: phone } = {}] = await query(
      app,
      `SELECT recipient FROM messages WHERE id = ${alone.id}`,
    );
    expect(await arrive('yes?', String(phone), alone.number)).toMatchObject({ routed: false });
  });

  test('[INC-3] An SMS to a pool number from a phone that was not asked is unrouted', async () => {
    const { number } = await ask(fresh());
    const stored = await arrive('Who is this?', fresh(), number);
    expect(stored.routed).toBe(false);
    expect((await app.run('unrouted')).stdout).toContain(stored.id);
    expect(await arrive('Hello', fresh(), rented)).toMatchObject({ routed: true });
    await unread();
  });

  test('[SEND-16] Without a pool, each recipient of a two-way SMS is rejected with the reason', async () => {
    const empty = `numbers:\n${pool.map((number) => `  - { number: "${number}" }\n`).join('')}`;
    const asked = await ask(fresh(), { conversation: 'before' });
    expect((await app.run('numbers')).stdout).toMatch(/46731239001 {2}pool of all companies\n/);
    expect(await app.apply(empty)).toMatchObject({ exitCode: 0 });
    expect((await app.run('numbers')).stdout).toMatch(/46731230001 {2}rented by \w+\n46731239001 {2}none\n/);
    const [one, two] = [fresh(), fresh()];
    const answer = await post({ to: [`+${one}`, 'abc', two] });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        code: 'nothing_queued',
        rejected: ['abc', `+${one}`, two],
        errors: [
          { field: 'to[1]', code: 'invalid_number' },
          { field: 'to[0]', code: 'no_pool_number', error: expect.stringContaining(`+${one}`) },
          { field: 'to[2]', code: 'no_pool_number' },
        ],
      },
    });
    const [{ recipient: phone } = {}] = await query(
      app,
      `SELECT recipient FROM messages WHERE id = ${asked.id}`,
    );
    expect(await arrive('still here', String(phone), asked.number)).toMatchObject({ routed: true });
    await unread();
    expect(await app.apply(provisioning.slice(provisioning.indexOf('numbers:')))).toMatchObject({
      exitCode: 0,
    });
    expect((await post({ to: [one] })).status).toBe(200);
  });
});
