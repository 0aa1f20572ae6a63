/**
 * Tests the country of phone numbers that begin with a single zero: that of the call, otherwise that of the company, in all
 * calls that take numbers.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { jsonPath, listPath, messagesOf } from '../harness/batch-calls.ts';
import { jobsProvisioning, sentBy, startJobPath } from '../harness/jobs.ts';
import { sendPath, singlePath } from '../harness/messaging.ts';

const erin = { username: 'erin', password: "erin's long password" };
const foreigners = `
  - name: Foreigners
    defaultSender: Foreigners
    users:
      - { username: erin, password: "erin's long password", roles: [send] }
carriers:`;
const provisioning = jobsProvisioning({
  jobs: [
    '{ id: 75, owner: nordic-jobs, name: Plain, type: Call, message: "Come?", recipients: { numbers: ["46701740601"] } }',
  ],
})
  .replace('defaultSender: NordicCare', 'defaultSender: NordicCare\n    countryCode: "46"')
  .replace('roles: [send, jobs]', 'roles: [send, jobs, companyAdmin]')
  .replace('\ncarriers:', foreigners);

describe('the country code of a company', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const national = '070-174 06 20';
  const number = '46701740620';

  test('[SEND-2] A leading zero is replaced by the call’s country code, or else by the company’s, by /send, /send/single and a preview', async () => {
    const client = app.as(alice);
    const by = async (path: string, body: object) => (await client.post(path, body)).body;
    const text = { message: 'Hello' };
    expect(await by(sendPath, { ...text, to: [national] })).toMatchObject({ accepted: [{ to: number }] });
    expect(
      await by(sendPath, { ...text, to: [national, number, '0701740621'], defaultcountrycode: '47' }),
    ).toMatchObject({ accepted: [{ to: '47701740620' }, { to: number }, { to: '47701740621' }] });
    expect(await by(singlePath, { ...text, to: national })).toMatchObject({ to: number });
    const ofTexts = { message: 'Hi NAME', to: [], tosubst: [{ to: national, subst: { NAME: 'Bo' } }] };
    expect(await by(sendPath, ofTexts)).toMatchObject({ accepted: [{ to: number }] });
    expect(await by('/api/v1/send/preview', { ...text, to: [national] })).toMatchObject({
      accepted: 1,
      recipients: [{ to: number }],
    });
    const foreign = await app.as(erin).post(sendPath, { ...text, to: [national] });
    expect(foreign).toMatchObject({ status: 400, body: { code: 'nothing_queued', rejected: [national] } });
    expect(foreign.body.errors[0].error).toContain('no default country code was given');
  });

  test('[SEND-2] [BATCH-1] A batch in either form has the company’s country code, unless it gives its own', async () => {
    const client = app.as(alice);
    const numbersOf = async (send: Parameters<typeof messagesOf>[2]) =>
      (await messagesOf(app, client, send)).map(({ recipient }) => recipient);
    const batch = [{ t: national }];
    const message = 'Hello';
    expect(await numbersOf(() => client.post(jsonPath, { message, batch }))).toEqual([number]);
    expect(
      await numbersOf(() => client.post(jsonPath, { message, batch, defaultcountrycode: '47' })),
    ).toEqual(['47701740620']);
    const lines = (query: string) => () =>
      client.request('POST', `${listPath}?M8=Hello${query}`, { body: `${national}\n` });
    expect(await numbersOf(lines(''))).toEqual([number]);
    expect(await numbersOf(lines('&D=47'))).toEqual(['47701740620']);
    const refused = await app.as(erin).post(jsonPath, { message, batch });
    expect(refused.body).toMatchObject({ errors: [{ field: 'batch[0].t', code: 'invalid_number' }] });
  });

  test('[SEND-2] [JOB-4] A saved job asks numbers that begin with a zero in the company’s country', async () => {
    const started = await app.as(alice).post(startJobPath, { jobid: 75, tonumbers: [national] });
    expect(started.body).toMatchObject({ result: 'OK' });
    const runId = Number(started.body.runtimeid);
    await until(async () => (await sentBy(app, runId)).length > 0);
    expect((await sentBy(app, runId)).map(({ to }) => to)).toEqual([number]);
    const accepted = await app.as(alice).post(`/api/v1/runs/${runId}/accept`, { phone: national });
    expect(accepted.status, accepted.text).toBe(200);
  });

  test('[SEND-2] Contacts, groups and imports have the company’s country code, unless the call gives its own', async () => {
    const client = app.as(alice);
    const book = '/api/v1/addressbooks/11';
    const made = await client.post(`${book}/contacts`, { name: 'Cleo', phone: '0701740630' });
    expect(made.body).toMatchObject({ phone: '46701740630' });
    const changed = { phone: '0701740631', defaultCountryCode: '47' };
    expect((await client.patch(`${book}/contacts/${made.body.id}`, changed)).body).toMatchObject({
      phone: '47701740631',
    });
    await client.post(`${book}/groups`, { name: 'by number', add: ['0701740632'] });
    expect((await client.get(`${book}/groups/by number`)).body).toMatchObject({
      members: [{ phone: '46701740632' }],
    });
    const removed = await client.patch(`${book}/groups/by number`, { remove: ['0701740632'] });
    expect(removed.status, removed.text).toBe(200);
    expect((await client.get(`${book}/groups/by number`)).body.members).toEqual([]);
    const wrong = await client.patch(`${book}/groups/by number`, { add: ['0701'] });
    expect(wrong).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'add', code: 'invalid_number' }] },
    });
    const preview = async (query: string) => {
      const body = 'name;phone\nDan;0701740633\n';
      const answer = await client.request('POST', `${book}/import/preview?file=a.csv${query}`, { body });
      return answer.body.changes[0].after.phone;
    };
    expect(await preview('')).toBe('46701740633');
    expect(await preview('&defaultCountryCode=47')).toBe('47701740633');
  });

  test('[SEND-2] [PORT-4] Searches and look-ups read a number with a leading zero in the company’s country', async () => {
    const client = app.as(alice);
    await client.post(sendPath, { message: 'Look', to: ['46701740640'] });
    const found = async (path: string, query: Record<string, string>) => (await client.get(path, query)).body;
    expect(await found('/api/v1/messages', { to: '0701740640' })).toMatchObject({
      messages: [{ to: '46701740640' }],
    });
    expect(await found('/api/v1/messages', { to: '0701740640', defaultCountryCode: '47' })).toMatchObject({
      messages: [],
    });
    expect(await found('/api/v1/people/0701740640/sent', {})).toMatchObject({
      sent: [{ to: '46701740640' }],
    });
    const phone = '/api/v1/simulator/phones/0701740640';
    expect(await found(phone, {})).toMatchObject({ messages: [{ to: '46701740640', message: 'Look' }] });
    await client.post(sendPath, { message: 'Coming?', to: ['0701740641'], twoway: true, conversation: 'c' });
    const from = (await found('/api/v1/simulator/phones/0701740641', {})).messages[0].from;
    const answered = await client.post('/api/v1/simulator/phones/0701740641/answer', {
      text: 'Yes',
      to: from,
    });
    expect(answered.status, answered.text).toBe(200);
    const conversations = async (query: Record<string, string>) =>
      (await found('/api/v1/conversations', query)).conversations.map(
        ({ phone }: { phone: string }) => phone,
      );
    await until(async () => (await conversations({ search: '070-174 06 41' })).length > 0);
    expect(await conversations({ search: '070-174 06 41' })).toEqual(['46701740641']);
    expect(await conversations({ search: '070-174 06 41', defaultCountryCode: '47' })).toEqual([]);
    const unknown = await client.get('/api/v1/people/0701');
    expect(unknown.body).toMatchObject({ errors: [{ field: 'number', code: 'invalid_number' }] });
  });

  test('[SEND-2] [SEND-20] A call repeated after a change of the company’s country code gets its first answer again', async () => {
    const again = () =>
      app
        .as(alice)
        .post(sendPath, { message: 'Once', to: ['0701740650'] }, { 'idempotency-key': 'country-1' });
    const first = await again();
    expect(first.body).toMatchObject({ accepted: [{ to: '46701740650' }] });
    const changed = await app.apply(
      'companies: [{ name: Nordic Care, defaultSender: NordicCare, countryCode: "47" }]',
    );
    expect(changed.stdout).toContain('~ company Nordic Care: countryCode 46 -> 47');
    expect((await again()).body).toEqual(first.body);
    await until(async () => {
      const { body } = await app.as(alice).post(sendPath, { message: 'New', to: ['0701740650'] });
      return body.accepted?.[0].to === '47701740650';
    });
    const removed = await app.apply(
      'companies: [{ name: Nordic Care, defaultSender: NordicCare, countryCode: null }]',
    );
    expect(removed.stdout).toContain('~ company Nordic Care: countryCode 47 -> none');
  });

  test('[SEND-2] [RUN-3] A country code in a provisioning file is checked', async () => {
    const { exitCode, stderr } = await app.apply('companies: [{ name: Nordic Care, countryCode: "+46" }]');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('companies[0].countryCode (line 1, column');
    expect(stderr).toContain('“+46” is not a country code');
  });
});
