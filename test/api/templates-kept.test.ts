/**
 * Tests templates as administrators manage them in the management API: created, changed, versioned, removed, and used at
 * once.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { eachEngine } from '../harness/engines.ts';
import { recipient, sendPath, storedOf } from '../harness/messaging.ts';

const administrator = { username: 'ada', password: "ada's long password" };
const provisioning = standardProvisioning.replace(
  'carriers:\n',
  `      - { username: ada, password: "${administrator.password}", roles: [send, companyAdmin] }
    templates: [{ id: 7, name: Visit, text: "Dear {Text:customer:Name}, {Text:customer} on {DateTime:when}" }]
carriers:
`,
);
const path = '/api/v1/templates';

eachEngine('templates that are kept by calls', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  const ada = () => app.as(administrator);
  async function make(text = 'One {Text:name}'): Promise<{ id: string }> {
    const { body, status, text: answered } = await ada().post(path, { name: 'Taxi', text });
    expect(status, answered).toBe(201);
    return body;
  }

  test('[SEND-7] A template made by a call can be sent by its id, and changing or removing it takes effect without a restart', async () => {
    const { id } = await make();
    const sentText = async () => {
      const tosubst = [{ to: recipient(1), subst: { name: 'Anna' } }];
      return (await storedOf(app, await ada().post(sendPath, { tosubst, templateid: id })))[0]?.text;
    };
    expect(await sentText()).toBe('One Anna');
    expect(await ada().patch(`${path}/${id}`, { text: 'Two {Text:name}' })).toMatchObject({ status: 200 });
    await until(async () => (await sentText()) === 'Two Anna');
    expect(await ada().request('DELETE', `${path}/${id}`)).toMatchObject({ status: 200, body: { id } });
    const code = async () => (await ada().post(sendPath, { to: [recipient(1)], templateid: id })).body.code;
    await until(async () => (await code()) === 'unknown_template');
    expect((await ada().get(`${path}/${id}/versions`)).status).toBe(404);
  });

  test('[SEND-7] Each change of a template makes a version, and earlier versions can be read', async () => {
    const { id } = await make();
    await ada().patch(`${path}/${id}`, { text: 'Two' });
    // Nothing changes, so no version is made.
    await ada().patch(`${path}/${id}`, { text: 'Two' });
    await ada().patch(`${path}/${id}`, { name: 'Cab' });
    const { body } = await ada().get(`${path}/${id}/versions`);
    expect(body.versions).toMatchObject([
      { version: '3', name: 'Cab', beginning: 'Two', username: 'ada' },
      { version: '2', name: 'Taxi', beginning: 'Two' },
      { version: '1', name: 'Taxi', beginning: 'One {Text:name}' },
    ]);
    expect((await ada().get(`${path}/${id}/versions/1`)).body).toMatchObject({ text: 'One {Text:name}' });
    expect((await ada().get(`${path}/${id}/versions/3`)).body).toMatchObject({ name: 'Cab', text: 'Two' });
    expect((await ada().get(`${path}/${id}/versions/4`)).status).toBe(404);
  });

  test('[PORT-6] A template in the provisioning file is shown as managed, with its fields, and changes with the file', async () => {
    expect((await ada().get(`${path}/7`)).body).toMatchObject({
      managed: true,
      fields: [
        { label: 'customer', kind: 'text', description: 'Name' },
        { label: 'when', kind: 'datetime' },
      ],
    });
    const changed = provisioning.replace('name: Visit', 'name: Call');
    expect(await app.apply(changed)).toMatchObject({ exitCode: 0 });
    expect((await ada().get(`${path}/7`)).body).toMatchObject({ name: 'Call', version: '2', managed: true });
    expect((await ada().get(`${path}/7/versions/1`)).body.name).toBe('Visit');
  });

  test('[CONV-12] A template text that no call could fill or send is refused', async () => {
    const label = `{Text:${'x'.repeat(101)}}`;
    for (const [text, code] of [
      ['\u0001', 'no_text'],
      [label, 'invalid_value'],
    ] as const)
      expect((await ada().post(path, { name: 'Bad', text })).body.errors?.[0]).toMatchObject({
        code,
        field: 'text',
      });
  });
});
