/** The management API: one message with its timeline, acts on messages, and the audit log of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';
import { inAnHour, recipient, sendOne, whenAllAre } from '../harness/messaging.ts';

const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    quotaParts: 1000
    users:
      - { username: alice, password: "alice's long password", roles: [send, companyAdmin] }
      - { username: bob, password: "bob's long password", roles: [send] }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - { number: "46731230009", pool: true }
`;

/** The simulator's number whose phone is off. */
const unreachable = '46701740608';

eachEngine('the management API of messages', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  const path = (id: string, act = '') => `/api/v1/messages/${id}${act}`;
  const audit = async () =>
    (await app.as(alice).get('/api/v1/audit', { limit: 200 })).body.entries as object[];

  test('[STAT-7] [PORT-4] shows a message with what happened to it, and why it is where it is', async () => {
    const id = await sendOne(app.as(bob), { message: 'Årets möte', conversation: 'c 1', costcenter: '7' });
    await whenAllAre(app.as(bob), [id], 'DELIVERED');
    const { status, body } = await app.as(bob).get(path(id));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ id, to: recipient(0), from: 'NordicCare', status: 'DELIVERED', statuscode: '2', username: 'bob' },
      ...{
        conversation: 'c 1',
        costcenter: '7',
        message: 'Årets möte',
        flash: false,
        carrier: 'sim',
        parts: 1,
      },
      ...{ indoubt: false, why: 'The phone has received it.', leftout: 0 },
    });
    expect(body.timeline.map(({ what }: { what: string }) => what)).toEqual([
      ...['accepted', 'claimed', 'taken', 'receipt'],
    ]);
    expect(body.timeline[2]).toMatchObject({ part: 1, parts: 1, carriermessageid: expect.any(String) });
    for (const { time } of body.timeline) expect(new Date(time).toISOString()).toBe(time);
    expect(body).not.toHaveProperty('batchid');
  });

  test('[SEND-21] [PORT-7] cancels what waits, once, and keeps who did it', async () => {
    const id = await sendOne(app.as(bob), { scheduletime: inAnHour() });
    expect((await app.as(alice).post(path(id, '/cancel'))).body).toEqual({ id, status: 'CANCELED' });
    const late = await app.as(bob).post(path(id, '/cancel'));
    expect([late.status, late.body.code]).toEqual([409, 'too_late']);
    expect((await app.as(bob).get(path(id))).body).toMatchObject({
      status: 'CANCELED',
      why: 'It was cancelled before its time (cancelled by alice).',
    });
    expect((await audit())[0]).toEqual({
      ...{ id: expect.any(String), time: expect.any(String), username: 'alice', channel: 'api' },
      ...{ act: 'message.cancel', object: id },
    });
    const other = await sendOne(app.as(bob), { scheduletime: inAnHour() });
    expect((await app.run('message', 'cancel', other)).exitCode).toBe(0);
    expect((await audit())[0]).toMatchObject({ channel: 'command', act: 'message.cancel', object: other });
    expect((await audit())[0]).not.toHaveProperty('username');
  });

  test('[PORT-7] tells who looked at the text of somebody else, and not who looked at an own one', async () => {
    const id = await sendOne(app.as(bob), { scheduletime: inAnHour() });
    const before = (await audit()).length;
    expect((await app.as(bob).get(path(id))).status).toBe(200);
    expect((await audit()).length).toBe(before);
    expect((await app.as(alice).get(path(id))).status).toBe(200);
    expect((await audit())[0]).toMatchObject({
      ...{ username: 'alice', act: 'message.read', object: id, details: 'of bob' },
    });
  });

  test('[SEND-20] [PORT-7] sends a message again, and never twice by one key', async () => {
    const id = await sendOne(app.as(bob), { message: 'Once more', conversation: 'again', from: 'Desk' });
    const headers = { 'Idempotency-Key': `again ${id}` };
    const first = await app.as(bob).post(path(id, '/resend'), {}, headers);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({ to: recipient(0), id: expect.any(String), parts: '1' });
    expect(first.body.id).not.toBe(id);
    expect((await app.as(bob).post(path(id, '/resend'), {}, headers)).body).toEqual(first.body);
    const otherwise = await app.as(bob).post(path(id, '/resend'), { validminutes: 5 }, headers);
    expect([otherwise.status, otherwise.body.code]).toEqual([422, 'idempotency_mismatch']);
    expect((await app.as(bob).get(path(first.body.id))).body).toMatchObject({
      ...{ message: 'Once more', conversation: 'again', from: 'Desk', to: recipient(0), username: 'bob' },
    });
    const acts = (await audit()).filter((entry) => 'object' in entry && entry.object === id);
    expect(acts).toMatchObject([{ act: 'message.resend', details: `as ${first.body.id}`, username: 'bob' }]);
  });

  test('[INC-5] sends one again from the reply pool that went out from there', async () => {
    const id = await sendOne(app.as(bob), { twoway: true, conversation: 'pool' });
    const again = await app.as(bob).post(path(id, '/resend'));
    expect((await app.as(bob).get(path(again.body.id))).body).toMatchObject({
      ...{ from: '46731230009', conversation: 'pool' },
    });
  });

  test('[CONV-10] [CONV-12] finds nothing under ids that are none, whatever they are', async () => {
    const none = ['0', '-1', '1e3', '9'.repeat(20), '٣', 'null', "1'--", '1000000001.0', '../users', '{id}'];
    for (const id of none) {
      const answer = await app.as(alice).get(path(encodeURIComponent(id)));
      expect([id, answer.status, answer.body.code]).toEqual([id, 404, 'not_found']);
      expect((await app.as(alice).post(path(encodeURIComponent(id), '/cancel'))).status).toBe(404);
    }
    for (const [id, code] of [
      ['%', 'bad_encoding'],
      ['%ff', 'bad_encoding'],
      ['%00', 'invalid_value'],
      ['9'.repeat(21), 'invalid_value'],
    ] as const) {
      const answer = await app.as(alice).get(path(id));
      expect([id, answer.status, answer.body.code]).toEqual([id, 400, code]);
      expect((await app.as(alice).post(path(id, '/resend'))).body.code).toBe(code);
    }
    expect((await app.as(alice).get('/api/v1/messages/')).status).toBe(404);
    expect((await app.as(alice).get(path('1', '/'))).status).toBe(404);
    const wrong = await app.as(alice).post(path('1'));
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET']);
    expect((await app.as().get(path('1'))).status).toBe(401);
  });

  test('[CONV-2] takes what stands in the path from nowhere else', async () => {
    const [one, other] = [
      await sendOne(app.as(bob), { scheduletime: inAnHour() }),
      await sendOne(app.as(bob), { scheduletime: inAnHour() }),
    ];
    expect((await app.as(bob).get(path(one), { id: other })).body.id).toBe(one);
    expect((await app.as(bob).post(path(one, '/cancel'), { id: other })).body.id).toBe(one);
    expect((await app.as(bob).get(path(other))).body.status).toBe('SCHEDULED');
  });

  test('[PORT-4] [PORT-7] gives the audit log in pages, the latest first, to administrators and to operators', async () => {
    const all = await audit();
    const seen: object[] = [];
    let after: string | undefined;
    do {
      const { body } = await app.as(alice).get('/api/v1/audit', { limit: 2, ...(after && { after }) });
      expect(body.entries.length).toBeLessThanOrEqual(2);
      seen.push(...body.entries);
      after = body.next;
    } while (after !== undefined);
    expect(seen).toEqual(all);
    const told = JSON.parse(
      (await app.run('audit', '--company', 'Nordic Care', '--json')).stdout,
    ) as object[];
    expect(told).toMatchObject(all.map((entry) => ({ object: 'object' in entry ? entry.object : '' })));
    expect((await app.run('audit')).stdout).toContain('message.resend');
    expect((await app.run('audit', '--company', 'Nobody')).stderr).toContain('There is no company Nobody.');
    for (const after of ['x', '1.', '-1', '1.2.3', '9'.repeat(17)]) {
      const answer = await app.as(alice).get('/api/v1/audit', { after });
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'after']);
    }
    expect((await app.as(alice).get('/api/v1/audit', { limit: 0 })).status).toBe(400);
  });

  test('[STAT-1] says why a phone was not reached, and what can be done', async () => {
    const id = await sendOne(app.as(bob), { to: [unreachable] });
    await whenAllAre(app.as(bob), [id], 'ABSENTSUBSCRIBER');
    expect((await app.as(bob).get(path(id))).body).toMatchObject({
      why: expect.stringContaining('switched off or out of reach'),
      todo: expect.stringContaining('Send it again'),
    });
  });
});
