/** Tests the management API of messages: one message with its timeline, actions on messages, and the audit log of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, ifMatch, type Parameters } from '../harness/api-client.ts';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { beginSession } from '../harness/browser-session.ts';
import { eachEngine } from '../harness/engines.ts';
import { inAnHour, recipient, sendOne, sendPath, whenAllAre } from '../harness/messaging.ts';

const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    quotaParts: 1000
    users:
      - { username: alice, password: "alice's long password", roles: [send, companyAdmin] }
      - { username: bob, password: "bob's long password", roles: [send] }
  - name: Southern Care
    users: [{ username: zoe, password: "zoe's very long password", roles: [send, companyAdmin] }]
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
  - { name: others, type: simulator }
  - { name: own, type: simulator }
routes:
  - { name: all, prefix: "", carriers: [sim] }
  - { name: other, prefix: "999", carriers: [others], users: [zoe] }
  - { name: own, prefix: "998", carriers: [own], users: [bob, zoe] }
numbers:
  - { number: "46731230009", pool: true }
`;

/** The simulator's number of a phone that is switched off. */
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

  test('[STAT-7] [PORT-4] The management API shows a message with its timeline and the reason for its state', async () => {
    const id = await sendOne(app.as(bob), { message: 'Årets möte', conversation: 'c 1', costcenter: '7' });
    await whenAllAre(app.as(bob), [id], 'DELIVERED');
    const { status, body } = await app.as(bob).get(path(id));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      to: recipient(0),
      from: 'NordicCare',
      status: 'DELIVERED',
      statusCode: '2',
      username: 'bob',
      conversation: 'c 1',
      costCenter: '7',
      message: 'Årets möte',
      flash: false,
      carrier: 'sim',
      parts: 1,
      inDoubt: false,
      simulated: true,
      why: 'The simulator sim reports it as delivered, but no phone has received it.',
      leftOut: 0,
    });
    expect(body.timeline.map(({ what }: { what: string }) => what)).toEqual([
      ...['accepted', 'claimed', 'taken', 'receipt'],
    ]);
    expect(body.timeline[2]).toMatchObject({ part: 1, parts: 1, carrierMessageId: expect.any(String) });
    for (const { time } of body.timeline) expect(new Date(time).toISOString()).toBe(time);
    expect(body).not.toHaveProperty('batchId');
  });

  test('[DLV-5] [PORT-4] [PORT-5] The management API shows receipts as they came, explains their fields, and gives reasons in Swedish too', async () => {
    const [one, many] = [
      await sendOne(app.as(bob), { to: [unreachable] }),
      await sendOne(app.as(bob), { to: [unreachable], message: 'x'.repeat(200) }),
    ];
    await whenAllAre(app.as(bob), [one, many], 'ABSENTSUBSCRIBER');
    for (const [id, count] of [
      [one, 1],
      [many, 2],
    ] as const) {
      // The receipt of one part decides the status, and the other part's receipt may come later.
      const receipts = async (): Promise<
        readonly { readonly receipt: { readonly text: string; readonly fields: readonly object[] } }[]
      > => {
        const { body } = await app.as(bob).get(path(id));
        return body.timeline.filter(({ what }: { what: string }) => what === 'receipt');
      };
      await until(async () => (await receipts()).length === count);
      for (const { receipt } of await receipts()) {
        expect(receipt.text).toMatch(/^id:sim-\S+ sub:001 .* stat:UNDELIV err:008 text:$/);
        expect(receipt.fields).toContainEqual({
          name: 'err',
          value: '008',
          meaning: "The carrier's own code, which means ABSENTSUBSCRIBER in its table.",
        });
      }
    }
    const { body } = await app.as(bob).get(path(one), { language: 'sv' });
    expect(body.why).toMatch(/^Telefonen var avstängd/);
    expect((await app.as(bob).get(path(one), { language: 'tlh' })).body.code).toBe('invalid_value');
  });

  test('[PORT-4] [SEND-12] [PORT-7] Scheduled messages are listed, and can get another send time unless another user has changed them first', async () => {
    const id = await sendOne(app.as(bob), {
      scheduletime: inAnHour(),
      conversation: 'later',
      validminutes: 90,
    });
    const list = async (query: Parameters = {}) =>
      (await app.as(bob).get('/api/v1/scheduled', query)).body.scheduled as {
        readonly id: string;
        readonly version: string;
        readonly scheduleTime: string;
      }[];
    const shown = (await list()).find((item) => item.id === id);
    expect(shown).toMatchObject({
      kind: 'message',
      to: recipient(0),
      conversation: 'later',
      username: 'bob',
      validMinutes: 90,
    });
    const sooner = new Date(Date.now() + 1_800_000).toISOString();
    const change = [`/api/v1/scheduled/${id}`, { scheduleTime: sooner }, ifMatch(shown?.version)] as const;
    const changed = await app.as(alice).patch(...change);
    expect(changed.body).toMatchObject({ id, scheduleTime: sooner });
    const late = await app.as(bob).patch(...change);
    expect([late.status, late.body.code]).toEqual([412, 'changed_meanwhile']);
    expect((await audit())[0]).toMatchObject({ act: 'message.reschedule', object: id, username: 'alice' });
    const { body } = await app.as(bob).get(path(id));
    expect(body.timeline.at(-1)).toMatchObject({ what: 'rescheduled', againAt: sooner });
    expect(new Date(body.expires).getTime()).toBe(new Date(sooner).getTime() + 90 * 60_000);
    expect((await list({ until: sooner })).map((item) => item.id)).not.toContain(id);
    await app.as(bob).patch(`/api/v1/scheduled/${id}`, { scheduleTime: new Date().toISOString() });
    await whenAllAre(app.as(bob), [id], 'DELIVERED');
    const over = await app.as(bob).patch(`/api/v1/scheduled/${id}`, { scheduleTime: inAnHour() });
    expect([over.status, over.body.code]).toEqual([409, 'too_late']);
    expect((await list()).map((item) => item.id)).not.toContain(id);
  });

  test('[RUN-7] [SEND-19] Usage is summed up as JSON and as a file, and the quota shows what is left', async () => {
    const before = (await app.as(bob).get('/api/v1/quota')).body;
    expect(before).not.toHaveProperty('company');
    const company = async () => (await app.as(alice).get('/api/v1/quota')).body.company.quota;
    const { left } = await company();
    const parts = { message: 'x'.repeat(200), costcenter: '=ward' };
    const id = await sendOne(app.as(bob), parts);
    expect(await company()).toEqual({ limit: 1_000, left: left - 2 });
    const query = { by: 'costCenter,username', username: 'bob' };
    await whenAllAre(app.as(bob), [id], 'DELIVERED');
    const { body } = await app.as(alice).get('/api/v1/usage', query);
    const sum = { username: 'bob', costCenter: '=ward', messages: 1, parts: 2, simulated: 2 };
    expect(body.usage).toContainEqual(sum);
    const file = await app.as(alice).get('/api/v1/usage.csv', query);
    expect(file.text.split('\n')).toContain("bob,'=ward,1,2,2");
    const wrong = await app.as(bob).get('/api/v1/usage', { from: '2027-13' });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_value']);
  });

  test('[PORT-4] [PORT-7] The results of a message search can be exported, and the audit log records who did it', async () => {
    const ids = [
      await sendOne(app.as(bob), { conversation: 'to export' }),
      await sendOne(app.as(bob), { conversation: 'to export', costcenter: '-1' }),
    ];
    const { text } = await app.as(bob).get('/api/v1/messages.csv', { conversation: 'to export' });
    const [head, ...lines] = text.trim().split(/\r?\n/);
    expect(head).toContain('accepted,id,to,from,status');
    expect(lines.map((line) => line.split(',')[1])).toEqual(ids.toReversed());
    expect(lines[0]).toContain("'-1");
    expect([head?.split(',').at(-1), lines[0]?.split(',').at(-1)]).toEqual(['simulated', 'true']);
    expect((await audit())[0]).toMatchObject({
      act: 'message.export',
      username: 'bob',
      channel: 'api',
      details: 'conversation=to export',
    });
  });

  test('[PORT-7] Administrators can filter the audit log and export what they found, which the log records', async () => {
    const since = new Date().toISOString();
    const ids = [
      await sendOne(app.as(bob), { scheduletime: inAnHour() }),
      await sendOne(app.as(alice), { scheduletime: inAnHour() }),
    ] as const;
    await app.as(bob).post(path(ids[0], '/cancel'));
    await app.as(alice).post(path(ids[1], '/cancel'));
    await app.as(alice).get(path(ids[0]));
    const found = async (query: Parameters) => {
      const { entries } = (await app.as(alice).get('/api/v1/audit', { since, ...query })).body;
      return entries.map((entry: Record<string, string>) =>
        [entry.username, entry.act, entry.object].join(' '),
      );
    };
    const cancelled = [`alice message.cancel ${ids[1]}`, `bob message.cancel ${ids[0]}`];
    const read = `alice message.read ${ids[0]}`;
    expect(await found({})).toEqual([read, ...cancelled]);
    expect(await found({ act: 'message.cancel,group.make' })).toEqual(cancelled);
    expect(await found({ act: 'message.cancel', username: 'bob' })).toEqual(cancelled.slice(1));
    expect(await found({ object: ids[0] })).toEqual([read, ...cancelled.slice(1)]);
    expect(await found({ until: since })).toEqual([]);
    const first = await app.as(alice).get('/api/v1/audit', { since, limit: 1 });
    expect(await found({ after: first.body.next })).toEqual(cancelled);
    const wrong = await app.as(alice).get('/api/v1/audit', { act: 'message.eat', since: 'yesterday' });
    expect([wrong.status, wrong.body.errors.map(({ field }: { field: string }) => field).sort()]).toEqual([
      ...[400, ['act', 'since']],
    ]);
    const file = await app.as(alice).get('/api/v1/audit.csv', { since, act: 'message.cancel' });
    const [head, ...lines] = file.text.trim().split(/\r?\n/);
    expect(head).toBe('time,username,channel,act,object,details');
    expect(lines.map((line) => line.split(',').slice(1, 5).join(' '))).toEqual([
      ...[`alice api message.cancel ${ids[1]}`, `bob api message.cancel ${ids[0]}`],
    ]);
    expect((await audit())[0]).toMatchObject({
      act: 'audit.export',
      username: 'alice',
      details: `act=message.cancel, since=${since}`,
    });
  });

  const list = async (credentials: typeof bob, query: Parameters) =>
    (await app.as(credentials).get('/api/v1/messages', query)).body;

  test('[PORT-4] A message search finds by number in any form, sender, status, time, conversation, cost centre and user', async () => {
    const since = new Date().toISOString();
    const to = '46701740699';
    const own = { conversation: 'find me, and me', costcenter: 'ward 7', from: 'Finder' };
    const first = await sendOne(app.as(bob), { to: [to], ...own });
    const second = await sendOne(app.as(alice), { to: [to], scheduletime: inAnHour() });
    await whenAllAre(app.as(bob), [first], 'DELIVERED');
    const found = async (credentials: typeof bob, query: Parameters) => {
      const { messages, next } = await list(credentials, { since, ...query });
      expect(next).toBeUndefined();
      return messages.map(({ id }: { id: string }) => id);
    };
    expect(await found(alice, {})).toEqual([second, first]);
    expect(await found(bob, {})).toEqual([first]);
    for (const form of [to, '+46 70-174 06 99', '0046701740699', '(46) 70.174.06.99'])
      expect(await found(alice, { to: form })).toEqual([second, first]);
    expect(await found(alice, { to: '070-174 06 99', defaultCountryCode: 46 })).toEqual([second, first]);
    expect(await found(alice, { to, status: 'scheduled,QUEUED' })).toEqual([second]);
    expect(await found(alice, { from: 'Finder' })).toEqual([first]);
    expect(await found(alice, { conversation: own.conversation })).toEqual([first]);
    expect(await found(alice, { costCenter: own.costcenter, status: 'DELIVERED' })).toEqual([first]);
    expect(await found(alice, { username: 'alice' })).toEqual([second]);
    expect(await found(bob, { username: 'bob' })).toEqual([first]);
    expect(await found(alice, { until: since })).toEqual([]);
    const { costcenter: costCenter, ...named } = own;
    expect((await list(bob, { to, since })).messages).toMatchObject([
      { ...named, costCenter, id: first, to, status: 'DELIVERED', username: 'bob', parts: 1 },
    ]);
    expect((await list(bob, { to, since })).messages[0]).not.toHaveProperty('message');
  });

  test('[PORT-4] A message search finds the messages of a batch, page by page', async () => {
    const { body } = await app.as(bob).post('/restsms/svcrest/batchsend/json', {
      message: 'Many',
      batch: Array.from({ length: 7 }, (_, index) => ({ t: recipient(index) })),
    });
    const ids: string[] = [];
    await until(async () => (await list(bob, { batchId: body.batchid })).messages.length === 7);
    let after: string | undefined;
    do {
      const page = await list(bob, { batchId: body.batchid, limit: 3, ...(after && { after }) });
      ids.push(...page.messages.map(({ id }: { id: string }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => Number(b) - Number(a)));
    expect(ids.length).toBe(7);
    expect((await list(bob, { batchId: body.batchid, to: recipient(2) })).messages).toMatchObject([
      { to: recipient(2), batchId: body.batchid },
    ]);
    expect((await list(alice, { batchId: body.batchid, username: 'alice' })).messages).toEqual([]);
  });

  // The store's own tests cover, on both engines, everything that the tests below use of the store.
  if (engine === 'postgres') return;

  test('[PORT-3] Administrators see the state of the carriers that their company uses', async () => {
    const { body } = await app.as(alice).get('/api/v1/carriers');
    expect(body.carriers).toMatchObject([
      { name: 'sim', type: 'simulator', nodes: [{ state: 'up' }] },
      { name: 'own' },
    ]);
    expect(body.carriers).toHaveLength(2);
  });

  test('[SEND-21] [PORT-7] A waiting message can be cancelled once, and the audit log keeps who did it', async () => {
    const id = await sendOne(app.as(bob), { scheduletime: inAnHour() });
    expect((await app.as(alice).post(path(id, '/cancel'))).body).toEqual({ id, status: 'CANCELED' });
    const late = await app.as(bob).post(path(id, '/cancel'));
    expect([late.status, late.body.code]).toEqual([409, 'too_late']);
    expect((await app.as(bob).get(path(id))).body).toMatchObject({
      status: 'CANCELED',
      why: 'It was cancelled before its send time (cancelled by alice).',
    });
    expect((await audit())[0]).toEqual({
      id: expect.any(String),
      time: expect.any(String),
      username: 'alice',
      channel: 'api',
      act: 'message.cancel',
      object: id,
    });
    const other = await sendOne(app.as(bob), { scheduletime: inAnHour() });
    expect((await app.run('message', 'cancel', other)).exitCode).toBe(0);
    expect((await audit())[0]).toMatchObject({ channel: 'command', act: 'message.cancel', object: other });
    expect((await audit())[0]).not.toHaveProperty('username');
  });

  test('[PORT-7] The audit log distinguishes what was done in the portal from what was done by a program', async () => {
    const portal = await beginSession(app, alice);
    const id = await sendOne(app.as(bob), { scheduletime: inAnHour() });
    const since = '2026-01-01T00:00:00.000Z';
    const steps: readonly (readonly [() => Promise<Answer>, object])[] = [
      [
        () => portal.get('/api/v1/messages.csv', { status: 'expired', since }),
        { act: 'message.export', details: `status=EXPIRED, since=${since}` },
      ],
      [
        () =>
          portal.patch(`/api/v1/scheduled/${id}`, { scheduleTime: new Date(Date.now() + 9e6).toISOString() }),
        { act: 'message.reschedule', object: id },
      ],
      [() => portal.post(path(id, '/cancel'), {}), { act: 'message.cancel', object: id }],
      [
        () => portal.post('/api/v1/templates', { name: 'Taxi', text: 'It waits.' }),
        { act: 'template.make', details: 'Taxi' },
      ],
    ];
    for (const [act, entry] of steps) {
      expect([200, 201]).toContain((await act()).status);
      expect((await audit())[0]).toMatchObject({ channel: 'portal', username: 'alice', ...entry });
    }
  });

  test('[PORT-7] The audit log records who looked at another user’s message, but not a user looking at their own', async () => {
    const id = await sendOne(app.as(bob), { scheduletime: inAnHour() });
    const before = (await audit()).length;
    expect((await app.as(bob).get(path(id))).status).toBe(200);
    expect((await audit()).length).toBe(before);
    expect((await app.as(alice).get(path(id))).status).toBe(200);
    expect((await audit())[0]).toMatchObject({
      username: 'alice',
      act: 'message.read',
      object: id,
      details: 'of bob',
    });
  });

  test('[SEND-20] [PORT-7] A message can be sent again, once per idempotency key, and the audit log records it', async () => {
    const id = await sendOne(app.as(bob), { message: 'Once more', conversation: 'again', from: 'Desk' });
    const headers = { 'Idempotency-Key': `again ${id}` };
    const first = await app.as(bob).post(path(id, '/resend'), {}, headers);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({ to: recipient(0), id: expect.any(String), parts: '1' });
    expect(first.body.id).not.toBe(id);
    expect((await app.as(bob).post(path(id, '/resend'), {}, headers)).body).toEqual(first.body);
    const otherwise = await app.as(bob).post(path(id, '/resend'), { validMinutes: 5 }, headers);
    expect([otherwise.status, otherwise.body.code]).toEqual([422, 'idempotency_mismatch']);
    expect((await app.as(bob).get(path(first.body.id))).body).toMatchObject({
      message: 'Once more',
      conversation: 'again',
      from: 'Desk',
      to: recipient(0),
      username: 'bob',
    });
    const acts = (await audit()).filter((entry) => 'object' in entry && entry.object === id);
    expect(acts).toMatchObject([{ act: 'message.resend', details: `as ${first.body.id}`, username: 'bob' }]);
  });

  test('[SEND-20] A message is not sent again if it has got another status than the one for which it would be', async () => {
    const id = await sendOne(app.as(bob), { to: [unreachable] });
    await whenAllAre(app.as(bob), [id], 'ABSENTSUBSCRIBER');
    const late = await app.as(bob).post(path(id, '/resend'), { ifStatus: 'EXPIRED' });
    expect([late.status, late.body]).toMatchObject([409, { code: 'too_late' }]);
    expect(late.body.error).toBe(`Message ${id} is ABSENTSUBSCRIBER by now. Nothing was sent.`);
    const unknown = await app.as(bob).post(path(id, '/resend'), { ifStatus: 'FAILED' });
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([400, 'ifStatus']);
    const acts = (await audit()).filter((entry) => 'object' in entry && entry.object === id);
    expect(acts).toEqual([]);
    // What a program of the user has sent with a key of its own is another matter.
    const other = { to: [recipient(0)], message: 'Other' };
    const sent = await app.as(bob).post(sendPath, other, { 'Idempotency-Key': `resend ${id}` });
    expect(sent.status).toBe(200);
    expect((await app.as(bob).post(path(id, '/resend'), { ifStatus: 'absentsubscriber' })).status).toBe(200);
  });

  test('[INC-2] A two-way message that is sent again comes from the reply pool too', async () => {
    const id = await sendOne(app.as(bob), { twoway: true, conversation: 'pool' });
    const again = await app.as(bob).post(path(id, '/resend'));
    expect((await app.as(bob).get(path(again.body.id))).body).toMatchObject({
      from: '46731230009',
      conversation: 'pool',
    });
  });

  test('[CONV-10] [CONV-12] A message id that is not an id is answered with 404 or 400, whatever it contains', async () => {
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

  test('[CONV-2] The message id is taken from the path only, and an id in the query or body is ignored', async () => {
    const [one, other] = [
      await sendOne(app.as(bob), { scheduletime: inAnHour() }),
      await sendOne(app.as(bob), { scheduletime: inAnHour() }),
    ];
    expect((await app.as(bob).get(path(one), { id: other })).body.id).toBe(one);
    expect((await app.as(bob).post(path(one, '/cancel'), { id: other })).body.id).toBe(one);
    expect((await app.as(bob).get(path(other))).body.status).toBe('SCHEDULED');
  });

  test.each([
    [{ to: '070-1' }, 'to', 'invalid_number'],
    [{ to: 'Bobby' }, 'to', 'invalid_number'],
    [{ status: 'DELIVERD' }, 'status', 'invalid_value'],
    [{ status: 'SENT,'.repeat(40) }, 'status', 'invalid_value'],
    [{ since: 'yesterday' }, 'since', 'invalid_time'],
    [{ batchId: '0' }, 'batchId', 'invalid_value'],
    [{ after: '1e9' }, 'after', 'invalid_value'],
    [{ limit: '-1' }, 'limit', 'invalid_value'],
    [{ conversation: 'c'.repeat(1_001) }, 'conversation', 'invalid_value'],
  ])(
    '[CONV-12] A message search by the invalid value %o is refused with its field and a code',
    async (query, field, code) => {
      const answer = await app.as(alice).get('/api/v1/messages', query);
      expect([answer.status, answer.body.errors[0]]).toMatchObject([400, { field, code }]);
    },
  );

  test('[PORT-3] A user name that the caller may not see is answered with 404, like one that does not exist', async () => {
    for (const username of ['nobody', 'alice', "' OR 1=1"])
      expect((await app.as(bob).get('/api/v1/messages', { username })).status).toBe(404);
    expect((await app.as(alice).get('/api/v1/messages', { username: 'nobody' })).status).toBe(404);
  });

  test('[PORT-4] [PORT-7] Administrators read the audit log in pages, latest first, and operators read it by command', async () => {
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
    const listed = JSON.parse(
      (await app.run('audit', '--company', 'Nordic Care', '--json')).stdout,
    ) as object[];
    expect(listed).toMatchObject(all.map((entry) => ({ object: 'object' in entry ? entry.object : '' })));
    expect((await app.run('audit')).stdout).toContain('message.resend');
    expect((await app.run('audit', '--company', 'Nobody')).stderr).toContain('There is no company Nobody.');
    for (const after of ['x', '1.', '-1', '1.2.3', '9'.repeat(17)]) {
      const answer = await app.as(alice).get('/api/v1/audit', { after });
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'after']);
    }
    expect((await app.as(alice).get('/api/v1/audit', { limit: 0 })).status).toBe(400);
  });

  test('[STAT-1] A message says why its phone was not reached and what can be done', async () => {
    const id = await sendOne(app.as(bob), { to: [unreachable] });
    await whenAllAre(app.as(bob), [id], 'ABSENTSUBSCRIBER');
    expect((await app.as(bob).get(path(id))).body).toMatchObject({
      why: expect.stringContaining('switched off or out of reach'),
      todo: expect.stringContaining('Send it again'),
    });
  });
});
