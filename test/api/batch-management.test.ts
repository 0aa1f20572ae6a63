/** Tests batches in the management API: their progress, pausing and resuming, what failed, and what they would cost. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { batchBecomes, to } from '../harness/batch-calls.ts';
import { beginSession } from '../harness/browser-session.ts';
import { eachEngine } from '../harness/engines.ts';
import { inAnHour, query } from '../harness/messaging.ts';

/** Numbers of this carrier are sent one by one, so a batch takes longer than a test may take. */
const slowPrefix = '4790';
const head = { username: 'head', password: "head's long password" };
const provisioning = standardProvisioning
  .replace('username: bob,', 'username: bob, maxBatch: 5,')
  .replace(
    '      - { username: carol',
    `      - { username: head, password: "${head.password}", roles: [companyAdmin] }\n      - { username: carol`,
  )
  .replace(
    'routes:',
    '  - { name: slow, type: simulator, submitDelayMs: 20, receiptDelayMs: 20, throughput: 4, window: 1 }\nroutes:',
  )
  .replace('numbers:', `  - { name: slow, prefix: "${slowPrefix}", carriers: [slow] }\nnumbers:`);

/** The same carrier after it has become fast. */
const quickly = provisioning.replace(
  'submitDelayMs: 20, receiptDelayMs: 20, throughput: 4, window: 1',
  'receiptDelayMs: 20',
);

const path = '/api/v1/batches';
const slow = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ t: `${slowPrefix}${100_000 + index}20` }));

eachEngine('batches by the management API', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  const send = async (body: object, idempotencyKey?: string) => {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    const sent = await app.as(alice).post(path, body, headers);
    expect(sent).toMatchObject({ status: 201 });
    return String(sent.body.batchid);
  };
  const act = (id: string, name: string) => app.as(alice).post(`${path}/${id}/${name}`, {});
  const becomes = (id: string, isExpected: Parameters<typeof batchBecomes>[2]) =>
    batchBecomes(app.as(alice), id, isExpected);

  test('[BATCH-2] [PORT-4] The management API lists batches latest first, a page at a time, with the state and counts of each', async () => {
    const ids: string[] = [];
    for (const name of ['first', 'second', 'third'])
      ids.unshift(await send({ name, message: 'Hello', batch: [{ t: to(1) }, { t: to(2) }] }));
    for (const id of ids) await becomes(id, ({ state }) => state === 'done');
    const { body } = await app.as(alice).get(path, { limit: 2 });
    expect(body.batches).toMatchObject([
      { id: ids[0], name: 'third', username: 'alice', state: 'done', messages: 2, totals: { delivered: 2 } },
      { id: ids[1], name: 'second', batchStatusCode: 0 },
    ]);
    const more = await app.as(alice).get(path, { limit: 1, after: body.next });
    expect(more.body.batches).toMatchObject([{ id: ids[2], name: 'first' }]);
    expect((await app.as(bob).get(path)).body).toEqual({ batches: [] });
  });

  test('[BATCH-5] [PORT-4] A paused batch sends nothing more until it is resumed, and then sends each of its messages once', async () => {
    const id = await send({ message: 'Hello', batch: slow(600) });
    await becomes(id, ({ totals }) => totals.delivered > 1);
    const looked = await becomes(id, ({ speed }) => speed !== undefined);
    expect(looked).toMatchObject({ speed: expect.any(Number), secondsLeft: expect.any(Number) });
    const portal = await beginSession(app, alice);
    expect((await portal.post(`${path}/${id}/pause`, {})).body).toMatchObject({ id, state: 'paused' });
    // All waiting messages are set aside, including those that the carrier gives back.
    const atRest = `SELECT 1 FROM messages WHERE batch_id = ${id} AND stage IS NOT NULL AND stage <> 5
      UNION SELECT 1 FROM batches WHERE id = ${id} AND clearing > 0`;
    await until(async () => (await query(app, atRest)).length === 0);
    const paused = (await app.as(alice).get(`${path}/${id}`)).body;
    expect(paused.totals.waiting).toBeGreaterThan(0);
    expect(paused.totals.waiting + paused.totals.delivered).toBe(600);
    const [one] = await query(app, `SELECT id FROM messages WHERE batch_id = ${id} AND stage = 5`);
    expect((await app.as(alice).get(`/api/v1/messages/${one?.id}`)).body.why).toBe('Its batch is paused.');
    expect((await app.apply(quickly)).exitCode).toBe(0);
    expect((await act(id, 'resume')).body.state).toBe('sending');
    const done = await becomes(id, ({ state }) => state === 'done');
    expect(done.totals).toEqual({ waiting: 0, sent: 0, delivered: 600, failed: 0, withdrawn: 0 });
    const metrics = await (await fetch(`${app.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^carillon_submissions_total\{carrier="slow",outcome="accepted"\} 600$/m);
    const acts = await query(
      app,
      `SELECT act, channel, username FROM audit_log WHERE object = '${id}' ORDER BY id`,
    );
    expect(acts).toEqual([
      { act: 'batch.make', channel: 'api', username: 'alice' },
      { act: 'batch.pause', channel: 'portal', username: 'alice' },
      { act: 'batch.resume', channel: 'api', username: 'alice' },
    ]);
  });

  test('[BATCH-5] A scheduled batch that is paused before it begins can be aborted', async () => {
    const id = await send({ name: 'later', message: 'Hello', scheduletime: inAnHour(), batch: slow(3) });
    await becomes(id, ({ state }) => state === 'scheduled');
    expect((await act(id, 'pause')).body.state).toBe('paused');
    expect((await act(id, 'abort')).body.state).toBe('aborted');
    const done = await becomes(id, ({ totals }) => totals.withdrawn === 3);
    expect(done).toMatchObject({ state: 'aborted', batchStatusCode: 99, reason: 'aborted by alice' });
  });

  test('[BATCH-4] [PORT-4] [PORT-7] A batch’s failures are listed with reasons, viewing them is audited, and a resend repeats each text once', async () => {
    const rows = [{ t: to(1) }, { t: '46701740606', m: 'Own text', i: 'row 2' }, { t: '46701740609' }];
    const id = await send({ name: 'mixed', message: 'Hello', batch: rows });
    await becomes(id, ({ totals }) => totals.failed === 2 && totals.delivered === 1);
    const { body } = await app.as(alice).get(`${path}/${id}/failed`);
    expect(body.failed).toMatchObject([
      { to: '46701740606', status: 'UNDELIVERABLE', message: 'Own text', conversation: 'row 2' },
      { to: '46701740609', status: 'UNKNOWNSUBSCRIBER', mayHaveArrived: false, simulated: true },
    ]);
    expect(body.failed[0].why).toMatch(/^The network could not deliver it/);
    const swedish = await app.as(alice).get(`${path}/${id}/failed?language=sv`);
    expect(swedish.body.failed[0].why).toMatch(/^Nätet kunde inte leverera det/);
    const csv = (await app.as(alice).get(`${path}/${id}/failed/csv`)).text.split('\n');
    expect(csv).toHaveLength(4);
    expect(csv[1]).toMatch(
      /^46701740606,UNDELIVERABLE,The network could not deliver it.*,Own text,row 2,\d+,.+,true\r?$/,
    );
    for (const end of ['failed', 'failed', 'failed/csv'])
      expect((await app.as(head).get(`${path}/${id}/${end}`)).status).toBe(200);
    const auditSql = `SELECT act, username, details FROM audit_log WHERE object = '${id}' ORDER BY id`;
    const details = '{"sentence":"of_user","user":"alice"}';
    expect(await query(app, auditSql)).toEqual([
      { act: 'batch.make', username: 'alice', details: expect.stringContaining('mixed') },
      { act: 'message.export', username: 'alice', details },
      { act: 'batch.look', username: 'head', details },
      { act: 'message.export', username: 'head', details },
    ]);
    const again = () =>
      app.as(alice).post(`${path}/${id}/resend-failed`, {}, { 'idempotency-key': `again ${id}` });
    const first = await again();
    expect(first.status).toBe(200);
    expect((await again()).body).toEqual(first.body);
    const repeated = await app.as(alice).post(`${path}/${id}/resend-failed`, {});
    expect(repeated.body).toMatchObject({ code: 'no_recipients' });
    expect((await app.as(alice).get(`${path}/${id}`)).body.failedResent).toMatch(/Z$/);
    await becomes(first.body.batchId, ({ totals }) => totals.failed === 2);
    const { batchId } = first.body;
    const failures = [
      { status: 'UNDELIVERABLE', messages: 1 },
      { status: 'UNKNOWNSUBSCRIBER', messages: 1 },
    ];
    const source = (await app.as(alice).get(`${path}/${id}`)).body;
    expect(source).toMatchObject({ failures, resentAs: [batchId] });
    expect(source.resentFrom).toBeUndefined();
    expect((await app.as(alice).get(`${path}/${batchId}`)).body).toMatchObject({
      name: 'mixed (again)',
      failures,
      resentFrom: id,
      resentAs: [],
    });
    const byId = (await app.as(alice).post(`${path}/${batchId}/resend-failed`, {})).body.batchId;
    const third = (await app.as(alice).get(`${path}/${byId}`)).body;
    expect(third).toMatchObject({ name: 'mixed (again)', resentFrom: batchId });
    const stored = await query(
      app,
      `SELECT recipient, text, conversation FROM messages WHERE batch_id = ${first.body.batchId} ORDER BY id`,
    );
    expect(stored).toEqual([
      { recipient: '46701740606', text: 'Own text', conversation: 'row 2' },
      { recipient: '46701740609', text: 'Hello', conversation: '' },
    ]);
  });

  test('[BATCH-4] [PORT-4] A batch leaves out faulty recipients if asked to, tells which, and repeats the answer under its key', async () => {
    const batch = [
      ...[
        { t: to(1) },
        { t: 'nobody' },
        { t: to(2), ward: '7' },
        { t: to(3), m: '' },
        { t: to(4), m: '\u{feff}' },
      ],
      ...[{ t: '1555' }, { t: to(1) }],
    ];
    const refused = await app.as(alice).post(path, { message: 'Hi', batch });
    expect(refused).toMatchObject({ status: 400 });
    const preview = await app.as(alice).post(`${path}/preview`, { message: 'Hi', batch });
    const { faulty, faultyPlaces, faultCount, messages, duplicates } = preview.body;
    expect({ faulty, faultyPlaces, faultCount, messages, duplicates }).toEqual({
      faulty: 4,
      faultyPlaces: [1, 2, 4, 5],
      faultCount: 4,
      messages: 2,
      duplicates: 1,
    });
    const call = { message: 'Hi', batch, skipFaulty: true };
    const key = { 'idempotency-key': 'skips' };
    const sent = await app.as(alice).post(path, call, key);
    expect(sent).toMatchObject({ status: 201, body: { skipped: faulty } });
    const fields = sent.body.faults.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(preview.body.faults.map(({ field }: { field: string }) => field));
    await becomes(sent.body.batchid, (one) => one.state === 'done' && one.totals.delivered === messages);
    expect((await app.as(alice).post(path, call, key)).body).toEqual(sent.body);
    const other = await app.as(alice).post(path, { ...call, skipFaulty: false }, key);
    expect(other.body.code).toBe('idempotency_mismatch');
  });

  test('[BATCH-4] [PORT-4] A batch with only faulty recipients is refused even if they may be left out', async () => {
    const call = { message: 'Hi', skipFaulty: true };
    const none = await app.as(alice).post(path, { ...call, batch: [{ t: 'nobody' }, { t: '1' }] });
    expect(none).toMatchObject({ status: 400, body: { code: 'invalid_number', errors: [{}, {}] } });
    const blank = await app.as(alice).post(path, { skipFaulty: true, batch: [{ t: to(1) }] });
    expect(blank).toMatchObject({ status: 400, body: { code: 'no_text' } });
    const long = await app
      .as(alice)
      .post(path, { skipFaulty: true, message: '{a}', holders: ['{a}'], batch: [{ t: to(1), s: [''] }] });
    expect(long.status).toBe(400);
    expect(await app.as(alice).post(path, { ...call, batch: [{ t: to(1) }] })).toMatchObject({
      status: 201,
      body: { skipped: 0, faults: [] },
    });
  });

  test('[BATCH-4] [PORT-4] A dry run of a batch reports its faults, its cost in parts and what would save parts', async () => {
    const curly = `Don’t forget: ${'x'.repeat(80)}`;
    const batch = [
      ...[{ t: to(1), m: curly }, { t: to(2), m: curly }, { t: to(2), m: curly }, { t: 'nobody' }],
      ...[{ t: to(3), m: 'x'.repeat(165) }, { t: to(4) }],
    ];
    const { body, status } = await app.as(alice).post(`${path}/preview`, { message: 'Hi', batch, from: '?' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      recipients: 6,
      messages: 4,
      duplicates: 1,
      parts: 2 + 2 + 2 + 1,
      unicode: 2,
      faultCount: 2,
      histogram: [
        { parts: 1, messages: 1 },
        { parts: 2, messages: 3 },
      ],
      faults: [{ field: 'from' }, { field: 'batch[3].t', code: 'invalid_number' }],
      savings: {
        characters: [{ character: '’', similar: "'", messages: 2, parts: 2 }],
        replacing: { messages: 2, parts: 2 },
        shortening: { messages: 1, parts: 1 },
      },
    });
    expect(body.samples[0]).toEqual({ to: to(1), message: curly, parts: 2 });
    const over = await app.as(bob).post(`${path}/preview`, { message: 'Hi', batch: slow(6) });
    const error = 'The batch has 6 recipients; the account may have at most 5 in a batch.';
    expect(over.body).toMatchObject({ maxRecipients: 5, faultCount: 1, faults: [{ field: 'batch', error }] });
  });
});
