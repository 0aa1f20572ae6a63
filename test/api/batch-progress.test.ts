/** Tests the progress of a batch, the ids of its messages, and stopping it, through the API and the operator's commands. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, carol, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { finalCode, infoPath, jsonPath } from '../harness/batch-calls.ts';
import { eachEngine } from '../harness/engines.ts';
import { query, recipient, sendPath, statusesOf, whenAllAre } from '../harness/messaging.ts';
import { checkedPost } from '../harness/posted-schemas.ts';

const idsPath = '/restsms/svcrest/batchmessageid';
/** Batches to this carrier take longer than a test may take. */
const slowPrefix = '4790';
const withSlowCarrier = standardProvisioning
  .replace(
    'carriers:',
    '    webhooks: [{ id: told, url: "http://127.0.0.1:9/", events: [batch.status], user: alice }]\ncarriers:',
  )
  .replace(
    'routes:',
    '  - { name: slow, type: simulator, submitDelayMs: 100, receiptDelayMs: 20, throughput: 2, window: 1 }\nroutes:',
  )
  .replace('numbers:', `  - { name: slow, prefix: "${slowPrefix}", carriers: [slow] }\nnumbers:`);

/** The simulator delivers to these numbers. */
const numbers = (count: number, prefix = '4673') =>
  Array.from({ length: count }, (_, index) => ({ t: `${prefix}${String(100_000 + index)}20` }));

eachEngine('a batch under way', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning: withSlowCarrier });
  });
  afterAll(() => app?.close());

  const post = (batch: readonly object[], more: object = {}) =>
    app.as(alice).post(jsonPath, { message: 'Hello', batch, ...more });
  const whenTakenBack = (id: string) => {
    const takingBack = `SELECT 1 FROM batches WHERE id = ${id} AND clearing = 1`;
    return until(async () => (await query(app, takingBack)).length === 0);
  };

  test('[BATCH-2] [BATCH-7] /batchinfo gives the state of a batch and /batchmessageid the ids of its messages, by GET and POST', async () => {
    const sent = await post(numbers(700), { batchconversation: 'autumn' });
    expect(sent.body).toMatchObject({ batchstatuscode: 1, batchstatusdescription: 'Received' });
    const { batchid } = sent.body;
    expect(await finalCode(app.as(alice), sent)).toBe(0);
    const done = { batchid, batchconversation: 'autumn', batchstatuscode: 0, batchstatusdescription: 'Ok' };
    expect((await app.as(alice).get(infoPath, { BI: batchid })).body).toEqual(done);
    expect((await app.as(alice).post(infoPath, { batchid })).body).toEqual(done);
    const { body } = await app.as(alice).post(idsPath, { batchid });
    expect(Object.keys(body)).toEqual(['messageids']);
    const stored = await query(app, `SELECT id FROM messages WHERE batch_id = ${batchid} ORDER BY id`);
    expect(body.messageids).toEqual(stored.map(({ id }) => String(id)));
    expect((await app.as(alice).get(idsPath, { BI: batchid })).body).toEqual(body);
    await whenAllAre(app.as(alice), body.messageids, 'DELIVERED');
    const told = async (): Promise<readonly { readonly data: Readonly<Record<string, unknown>> }[]> =>
      (await app.as(alice).get('/api/v1/events', { webhook: 'told', after: '0' })).body.events;
    await until(async () => (await told()).some(({ data }) => data.batchstatusdescription === 'Ok'));
    expect(new Set((await told()).map((event) => checkedPost(JSON.stringify(event))))).toEqual(
      new Set(['batch.status']),
    );
  });

  test.each([infoPath, idsPath])(
    '[BATCH-7] [AUTH-9] %s answers an unknown batch, or one of another company, with 404, a missing role with 403 and a missing id with 400',
    async (path) => {
      const { batchid } = (await post(numbers(1))).body;
      for (const id of ['99999999', '0', 'x', '1e3', '9007199254740993']) {
        expect(await app.as(alice).get(path, { BI: id })).toMatchObject({
          status: 404,
          body: { code: 'not_found' },
        });
      }
      expect(await app.as(bob).get(path, { BI: batchid })).toMatchObject({ status: 404 });
      expect(await app.as(carol).get(path, { BI: batchid })).toMatchObject({ status: 403 });
      expect(await app.as(alice).get(path)).toMatchObject({
        status: 400,
        body: { code: 'missing_parameter' },
      });
      expect(await app.as(alice).post(path, {})).toMatchObject({ status: 400 });
    },
  );

  test('[BATCH-5] The operator sees a batch and aborts it, and its messages not yet handed to a carrier are not sent', async () => {
    const sent = await post(numbers(400, slowPrefix), { batchconversation: 'to be stopped' });
    const { batchid } = sent.body;
    expect(await finalCode(app.as(alice), sent)).toBe(0);
    const aborted = await app.run('batch', 'abort', batchid);
    expect(aborted).toMatchObject({ exitCode: 0, stderr: '' });
    expect(aborted.stdout).toMatch(
      new RegExp(`^Batch ${batchid} was already complete, and stays so. .* carillon batch ${batchid}\n$`),
    );
    await whenTakenBack(batchid);
    const shown = JSON.parse((await app.run('batch', batchid, '--json')).stdout);
    expect(shown).toMatchObject({
      id: Number(batchid),
      username: 'alice',
      company: 'Nordic Care',
      conversation: 'to be stopped',
      code: 0,
      description: 'Ok',
      messages: 400,
      expanded: 400,
      takingBack: false,
    });
    expect(shown.statuses.QUEUED).toBeUndefined();
    expect(shown.statuses.DELETED).toBeGreaterThan(0);
    expect((await app.run('batch', 'list', '--limit', '1')).stdout).toMatch(
      new RegExp(`^BATCH .*\n${batchid} +alice .* 0 Ok +400 +400 +to be stopped\n$`),
    );
  });

  // The store's own tests cover, on both engines, everything that the tests below use of the store.
  if (engine === 'postgres') return;

  test('[BATCH-5] The operator sees the progress of a batch once, or follows it until it is done', async () => {
    const sent = await post(numbers(3));
    expect(await finalCode(app.as(alice), sent)).toBe(0);
    const { batchid } = sent.body;
    expect((await app.run('batch', batchid)).stdout).toMatch(/^made +\[#{30}\] 100 % 3 of 3 messages$/m);
    expect((await app.run('batch', batchid, '--watch')).stdout).toMatch(/^state +0 Ok since /m);
  });

  test('[BATCH-9] Messages of a batch and of /send go out side by side, and neither kind waits for the other', async () => {
    const sent = await post(numbers(300, slowPrefix));
    expect(await finalCode(app.as(alice), sent)).toBe(0);
    const to = numbers(2, `${slowPrefix}5`).map(({ t }) => t);
    const answer = await app.as(alice).post(sendPath, { to, message: 'Now' });
    const ids = answer.body.accepted.map(({ id }: { id: string }) => id);
    await whenAllAre(app.as(alice), ids, 'DELIVERED');
    const { messageids } = (await app.as(alice).post(idsPath, { batchid: sent.body.batchid })).body;
    const statuses = await statusesOf(app.as(alice), messageids);
    expect(new Set(statuses.map(({ status }) => status === 'QUEUED'))).toEqual(new Set([true, false]));
    expect((await app.as(alice).post(`/api/v1/batches/${sent.body.batchid}/abort`)).status).toBe(200);
    await whenTakenBack(sent.body.batchid);
  });

  test('[BATCH-5] [RUN-3] The operator’s commands give the reason why a batch failed as JSON, in the list and for a single batch', async () => {
    const ended = await post([{ t: numbers(1)[0]?.t, m: 'x'.repeat(40_000) }]);
    expect(await finalCode(app.as(alice), ended)).toBe(14);
    const { batchid } = ended.body;
    const expected = {
      id: Number(batchid),
      reason: expect.stringMatching(/^batch\[0\]: The text needs 262 SMS parts/),
      reasonValues: { sentence: 'batch_text', field: 'batch[0]' },
    };
    for (const parameters of [['list', '--limit', '1'], [batchid]]) {
      const { stdout } = await app.run('batch', ...parameters, '--json');
      expect([JSON.parse(stdout)].flat()).toMatchObject([expected]);
    }
  });

  test('[RUN-3] The operator’s batch commands report unknown batches, batches that have ended and wrong arguments', async () => {
    for (const parameters of [['99999999'], ['abort', '99999999'], ['abort', 'x']]) {
      const { exitCode, stderr } = await app.run('batch', ...parameters);
      expect([exitCode, stderr]).toEqual([1, `There is no batch ${parameters.at(-1)}.\n`]);
    }
    const ended = await post([{ t: numbers(1)[0]?.t, m: 'x'.repeat(40_000) }]);
    expect(await finalCode(app.as(alice), ended)).toBe(14);
    const late = await app.run('batch', 'abort', ended.body.batchid);
    expect([late.exitCode, late.stdout]).toEqual([1, '']);
    expect(late.stderr).toBe(`Batch ${ended.body.batchid} has already ended: 14 Validation error.\n`);
    expect((await app.run('batch')).stderr).toBe("error: missing required argument 'id'\n");
    expect((await app.run('batch', 'list', '--limit', 'many')).stderr).toBe(
      'The limit must be a number from 1 to 1000, not "many".\n',
    );
  });

  test('[RUN-4] /metrics counts the messages and parts of a batch as accepted', async () => {
    const accepted = async () => {
      const text = await (await fetch(`${app.baseUrl}/metrics`)).text();
      return ['messages', 'message_parts'].map((what) =>
        Number(new RegExp(`^carillon_${what}_accepted_total (\\d+)$`, 'm').exec(text)?.[1]),
      );
    };
    const [messages = 0, parts = 0] = await accepted();
    const sent = await post(numbers(700), { message: 'x'.repeat(161) });
    expect(await finalCode(app.as(alice), sent)).toBe(0);
    await until(async () => (await accepted())[0] === messages + 700);
    expect(await accepted()).toEqual([messages + 700, parts + 1_400]);
  });

  test('[BATCH-9] A batch in the bulk lane holds up no call of /send', async () => {
    const sent = await post(numbers(3_000));
    const answer = await app.as(alice).post(sendPath, { to: [recipient(1)], message: 'Now' });
    expect(answer.status).toBe(200);
    await whenAllAre(app.as(alice), [answer.body.accepted[0].id], 'DELIVERED');
    expect(await finalCode(app.as(alice), sent)).toBe(0);
  });
});
