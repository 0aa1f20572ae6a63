/** The pages of webhooks as administrators and users use them: making, testing, changing the secret, and posting again. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../harness/awake.ts';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { patienceMs } from '../harness/browser-windows.ts';
import { eventsIn, type Receiver, startReceiver } from '../harness/receiver.ts';

describePortal('the pages of webhooks', (portal) => {
  const path = '/admin/webhooks';
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver?.close());

  const admin = () => portal.demo.app.as(portal.demo);
  const make = async (name: string, more: object = {}) => {
    const settings = { name, url: `${receiver.url}/${name}`, events: ['message.status'], ...more };
    return (await admin().post('/api/v1/webhooks', settings)).body as { readonly id: string };
  };
  const postsTo = (name: string) => receiver.received.filter(({ url }) => url === `/hook/${name}`);

  test('[HOOK-1] [HOOK-3] [PORT-10] A webhook is made, tested, and given another secret by keyboard, and each secret is shown once', async () => {
    const page = await portal.visit(path);
    await page.getByRole('link', { name: 'New webhook' }).press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).fill('ward');
    await page.getByRole('textbox', { name: 'Address' }).fill('http://10.0.0.1/');
    await page.getByRole('checkbox', { name: 'SMS received' }).press('Space');
    const create = page.getByRole('button', { name: 'New webhook' });
    await create.press('Enter');
    // What the server refuses is shown at its field.
    await page.getByRole('alert').filter({ hasText: 'cannot be posted to' }).waitFor();
    await page.getByRole('textbox', { name: 'Address' }).fill(`${receiver.url}/ward`);
    await create.press('Enter');
    const once = page.getByRole('dialog', { name: 'The secret of “ward”' });
    const secret = (await once.locator('code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await once.getByRole('button', { name: 'I have saved it' }).press('Enter');

    await page.getByRole('heading', { level: 1, name: 'ward' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: 'Test', exact: true }).press('Enter');
    await page.getByText(/The test arrived: 200 after/).waitFor();
    const [post] = postsTo('ward');
    new Webhook(secret).verify(post?.body ?? '', post?.headers ?? {});
    await page.getByText('1 succeeded, 0 failed').waitFor();

    await page.getByRole('button', { name: 'Change the secret' }).press('Enter');
    const sure = page.getByRole('dialog', { name: 'Change the secret' });
    await sure.getByRole('button', { name: 'Change the secret' }).press('Enter');
    const next = (await once.locator('code').textContent()) ?? '';
    await once.getByRole('button', { name: 'I have saved it' }).press('Enter');
    await page.getByText('Both the old and the new secret sign.').waitFor();
    expect([next === secret, next.startsWith('whsec_')]).toEqual([false, true]);
    const finish = 'Finish: only the new one signs';
    await page.getByRole('button', { name: finish }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: finish }).press('Enter');
    await page.getByText('Only the new secret signs').waitFor();
    await page.getByText('How a program verifies the signature').click();
    await page.getByText('timingSafeEqual(one, wanted)').waitFor();

    await page.getByRole('link', { name: 'Webhooks' }).first().press('Enter');
    const row = page.getByRole('row').filter({ hasText: 'ward' });
    await row.getByText('Works well').waitFor();
    await row.getByText('SMS: what became of it, SMS received').waitFor();
  });

  test('[HOOK-4] [HOOK-5] [PORT-10] On a phone, a failed attempt is seen with its answer, sent again, and a period is sent again', async () => {
    const { id } = await make('fails');
    receiver.answer = (_, response) => response.writeHead(503).end('Come back <later>');
    await admin().post(`/api/v1/webhooks/${id}/test`);
    const page = await portal.visit(`${path}/${id}`, { width: 360 });
    const attempts = page.getByRole('table', { name: 'Attempts' });
    await expectSoon(async () => {
      if ((await attempts.count()) === 0) await page.reload();
      return attempts.getByText('HTTP 503').count();
    }).toBeGreaterThan(0);
    await expectSoon(() => page.getByText('Failing').count()).toBeGreaterThan(0);
    // While every attempt fails, the button stays.
    await page.getByRole('button', { name: 'Try again now' }).click();
    await page.getByText('It is posting').waitFor();
    await attempts.getByRole('link').last().press('Enter');
    const one = page.getByRole('dialog', { name: 'Attempt 1' });
    await one.getByText('"type": "webhook.test"').waitFor();
    await one.getByText('Come back <later>').waitFor();
    expect(new URL(page.url()).searchParams.get('attempt')).toBe('1');
    receiver.answer = 200;
    const tests = () => eventsIn(postsTo('fails')).length;
    let before = tests();
    await one.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('1 event is sent again').waitFor();
    await one.waitFor({ state: 'detached' });
    await until(() => tests() > before, patienceMs);
    await until(async () => (await admin().get(`/api/v1/webhooks/${id}`)).body.state === 'works', patienceMs);

    before = tests();
    await page.getByLabel('To', { exact: true }).fill('2099-01-01T00:00');
    await page.getByRole('button', { name: 'Send again' }).click();
    await until(() => tests() > before, patienceMs);
    await page.getByLabel('From', { exact: true }).fill('2020-01-01T00:00');
    await page.getByLabel('To', { exact: true }).fill('2020-01-02T00:00');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('No events are kept from that time.').waitFor();

    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Somebody in your company switched it off.').waitFor();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('Works well').waitFor();
    // Toasts, which stay for as long as a test, cover what is at the end of a page.
    await page.getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByText('fails is removed').waitFor();
  });

  test('[HOOK-1] [PORT-6] Settings of a webhook are changed, and of two concurrent changes the second is shown beside the first', async () => {
    const { id } = await make('shared');
    const page = await portal.visit(`${path}/${id}`);
    await page.getByText('Report only some').click();
    const costCenter = page.getByRole('combobox', { name: 'Cost centre' });
    await costCenter.fill('7');
    await page.getByRole('checkbox', { name: 'Include the texts of SMS' }).check();
    await admin().patch(`/api/v1/webhooks/${id}`, { costCenter: '8' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else has changed this meanwhile').waitFor();
    await page.getByRole('cell', { name: '8', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect((await admin().get(`/api/v1/webhooks/${id}`)).body).toMatchObject({
      costCenter: '7',
      text: 'full',
    });
    // A filter that contradicts the events is refused at its field.
    await page.getByRole('checkbox', { name: 'Jobs: started' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: /job/ }).first().waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expectSoon(() => page.getByRole('checkbox', { name: 'Jobs: started' }).isChecked()).toBe(false);
  });

  test('[HOOK-1] [PORT-3] A user without rights has pages of the own webhooks, and the callback of a system user is only read', async () => {
    const nina = { username: 'nina', password: 'who has a webhook of her own' };
    const applied = await portal.demo.app.apply(
      `companies:
  - name: Demo
    systemUsers: [{ username: demo-jobs, callback: { type: POST, url: "${receiver.url}/jobs" } }]
    users: [{ username: ${nina.username}, password: ${nina.password}, roles: [send] }]`,
    );
    expect([applied.exitCode, applied.stderr]).toEqual([0, '']);
    await make('of the company');
    const page = await portal.visit('/', { as: 'nobody' });
    await portal.signIn(page.context(), nina);
    await page.goto(`${portal.demo.app.baseUrl}/portal/webhooks`);
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('link', { name: 'New webhook' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('mine');
    await page.getByRole('textbox', { name: 'Address' }).fill(`${receiver.url}/mine`);
    await page.getByText('Report only some').click();
    await expectSoon(() => page.getByRole('textbox', { name: 'Only of the user' }).count()).toBe(0);
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('heading', { level: 1, name: 'mine' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/portal\/webhooks\/\d+$/);

    const admins = await portal.visit(path);
    await admins.getByRole('link', { name: 'demo-jobs' }).click();
    await admins.getByText('This callback reports about the jobs of a system user.').waitFor();
    await admins.getByText('Jobs: started').waitFor();
    const offered = async (name: string) => admins.getByRole('button', { name, exact: true }).count();
    expect([await offered('Save'), await offered('Remove'), await offered('Change the secret')]).toEqual([
      0, 0, 0,
    ]);
    expect(await offered('Test')).toBe(1);
  });

  test('[PORT-13] [HOOK-1] In Swedish, what is refused of a webhook is said in Swedish, at its field', async () => {
    const page = await portal.visit(`${path}/new`, { language: 'sv' });
    await page.getByRole('textbox', { name: 'Namn' }).fill('avdelningen');
    const address = page.getByRole('textbox', { name: 'Adress' });
    const refused = async (given: string, sentence: string) => {
      await address.fill(given);
      await page.getByRole('button', { name: 'Ny webhook' }).click();
      await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
      await expectSoon(() => page.getByRole('alert').locator('[lang=en]').count()).toBe(0);
    };
    await refused('http://10.0.0.1/', 'adressen ligger inte på det öppna internet');
    await refused(`${receiver.url}#part`, 'inte ha användarnamn, lösenord eller något efter #');
    await page.getByRole('checkbox', { name: 'Sms: hur det gick' }).uncheck();
    await refused(`${receiver.url}/sv`, 'Välj minst en händelse.');
  });

  test('[PORT-5] The webhook pages have no accessibility barriers in either theme, and fit a phone', async () => {
    const { id } = await make('barriers', { statuses: ['DELIVERED'] });
    await admin().post(`/api/v1/webhooks/${id}/test`);
    await until(
      async () => (await admin().get(`/api/v1/webhooks/${id}/attempts`)).body.attempts.length > 0,
      patienceMs,
    );
    const appearances = [
      { width: 360, theme: 'dark', language: 'sv' },
      { width: 360, theme: 'light', language: 'sv' },
      { width: 1280, theme: 'dark', language: 'en' },
      { width: 1280, theme: 'light', language: 'en' },
    ] as const;
    const paths = [path, `${path}/new`, `${path}/${id}`, `${path}/${id}?attempt=1`];
    for await (const page of portal.pages(paths, appearances)) {
      const ready = page.url().includes('attempt=')
        ? page.getByText('"webhook.test"')
        : page.getByRole('textbox').or(page.getByRole('row').filter({ hasText: 'barriers' }));
      await ready.first().waitFor();
      expect([page.url(), await barriersOf(page)]).toEqual([page.url(), []]);
      expect(await overflowOf(page)).toBe(0);
    }
  });
});
