/** Tests webhooks set up by the operator's commands, with receivers that show what is posted. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDetails } from '../../src/audit/audit-details.ts';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';
import { query, sendOne } from '../harness/messaging.ts';
import { program } from '../harness/program.ts';
import { eventsIn, type Received, type Receiver, startReceiver } from '../harness/receiver.ts';

const secret = `whsec_${Buffer.from('w'.repeat(32)).toString('base64')}`;

function provisioning(url: string, more = ''): string {
  return `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users:
      - { username: alice, password: "alice's long password", roles: [send, companyAdmin] }
    webhooks:
      - { id: desk, url: "${url}", secrets: [${secret}], events: [message.status], text: full }
      - { id: inside, url: "http://10.0.0.1/", secrets: [${secret}], events: [message.status] }
${more}
  - name: Other
    defaultSender: Other
    webhooks: [{ id: theirs, url: "${url}/theirs", events: [message.status, message.incoming] }]
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
`;
}

describe('webhooks by command', () => {
  let app: WholeApp;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    app = await startWholeApp({
      engine: 'sqlite',
      provisioning: provisioning(receiver.url),
      env: { CARILLON_CALLBACK_ALLOW: '127.0.0.0/8' },
    });
  });
  afterAll(async () => {
    await app?.close();
    await receiver?.close();
  });

  const webhookOf = async (name: string) => {
    const { webhooks } = (await app.as(alice).get('/api/v1/webhooks')).body;
    return webhooks.find((webhook: { name: string }) => webhook.name === name);
  };

  test('[HOOK-4] [HOOK-5] Commands show the operator each webhook attempt, and no address that is not allowed is reached', async () => {
    await sendOne(app.as(alice));
    await until(async () => (await webhookOf('inside')).state === 'failing');
    const tries = await app.run('webhooks', 'attempts', 'inside', '--json');
    expect(JSON.parse(tries.stdout)[0]).toMatchObject({
      status: null,
      address: null,
      error: 'the address is not allowed',
      answer: '',
    });
    const tested = await app.run('webhooks', 'test', 'desk', '--json');
    expect(JSON.parse(tested.stdout)).toMatchObject([{ status: 200, answer: 'as told', events: 1 }]);
    const listed = JSON.parse((await app.run('webhooks', 'list', '--json')).stdout) as Record<
      string,
      unknown
    >[];
    expect(listed.map(({ name }) => name)).toEqual(['desk', 'inside', 'theirs']);
    expect(listed[1]).toMatchObject({ state: expect.stringContaining('failing since') });
    expect((await app.run('webhooks', 'disable', 'desk')).exitCode).toBe(0);
    expect((await app.run('webhooks', 'test', 'desk')).stderr).toContain('is disabled');
    expect((await app.run('webhooks', 'enable', 'desk')).exitCode).toBe(0);
    const replayed = await app.run(
      'webhooks',
      'replay',
      'desk',
      '--from',
      '2020-01-01T00:00Z',
      '--to',
      '2099-01-01T00:00Z',
    );
    expect(replayed.stdout).toMatch(/^Events to be posted again: \d+\.$/m);
    await until(() => eventsIn(receiver.received).filter(({ type }) => type === 'webhook.test').length === 2);
    expect((await app.run('webhooks', 'attempts', 'nobody')).stderr).toContain('There is no webhook');
  });

  const run = (...words: readonly string[]) => app.run('webhooks', ...words);

  test('[HOOK-1] [HOOK-3] Commands make webhooks and change their secrets', async () => {
    const url = `${receiver.url}/late`;
    const made = await run(
      ...['add', 'late', '--company', 'Nordic Care', '--url', url],
      ...['--events', 'message.status', '--statuses', 'DELIVERED'],
    );
    expect([made.exitCode, made.stdout]).toEqual([
      0,
      expect.stringContaining('+ webhook late in Nordic Care'),
    ]);
    const [first = ''] = /whsec_\S+/.exec(made.stdout) ?? [];
    let id = '';
    const postsToLate = () => receiver.received.filter((post) => post.url === '/hook/late');
    const latePost = () => postsToLate().find(({ body }) => body.includes(id));
    // Messages accepted before the server knew of the webhook are reported to it a little later.
    await until(async () => {
      id = await sendOne(app.as(alice), { message: 'Late' });
      return postsToLate().length > 0;
    });
    await until(() => latePost() !== undefined);
    const { body = '', headers = {} } = latePost() ?? {};
    expect(new Webhook(first).verify(body, headers)).toMatchObject({ data: { id, status: 'DELIVERED' } });

    const rotated = await run('rotate', 'late');
    const [second = ''] = /whsec_\S+/.exec(rotated.stdout) ?? [];
    const late = await webhookOf('late');
    /** Posts a test, which the server signs with the secrets that it knows. */
    const tested = async () => {
      const { seq } = (await app.as(alice).post(`/api/v1/webhooks/${late.id}/test`)).body;
      const isTest = ({ body }: Received) => body.includes('webhook.test') && body.includes(`"seq":${seq},`);
      await until(() => postsToLate().some(isTest));
      const { body = '', headers = {} } = postsToLate().find(isTest) ?? {};
      return { body, headers, signatures: headers['webhook-signature']?.split(' ').length };
    };
    let post = await tested();
    for (; post.signatures !== 2; post = await tested());
    for (const secret of [first, second])
      expect(new Webhook(secret).verify(post.body, post.headers)).toBeTruthy();
    expect((await run('rotate', 'late', '--finish')).stdout).not.toContain('whsec_');
    for (; post.signatures !== 1; post = await tested());
    expect(new Webhook(second).verify(post.body, post.headers)).toBeTruthy();
  });

  test('[HOOK-1] [PORT-7] Commands change and remove webhooks by the rules of the provisioning file, and the audit log records it', async () => {
    const url = `${receiver.url}/late`;
    const changed = await run('change', 'late', '--batch', '--no-statuses', '--cost-center', '7');
    expect(changed.stdout.trim()).toBe(
      '~ webhook late in Nordic Care: batch false -> true, filter {"statuses":["DELIVERED"]} -> {"costCenter":"7"}',
    );
    const ofAll = await webhookOf('late');
    const attempts = (id: string) => app.as(alice).get(`/api/v1/webhooks/${id}/attempts`);
    expect((await attempts(ofAll.id)).body.attempts).not.toEqual([]);
    expect((await run('change', 'late', '--user', 'alice')).stdout).toContain('user');
    const ofAlice = await webhookOf('late');
    expect(ofAlice.username).toBe('alice');
    expect(ofAlice.id).not.toBe(ofAll.id);
    expect((await attempts(ofAlice.id)).body.attempts).toEqual([]);
    const wrong = [
      [['change', 'late', '--url', 'ftp://x.example'], 'url: must be an https:// or http:// URL'],
      [
        ['change', 'late', '--events', 'job.start'],
        'filter: has costCenter, which job.start events do not have',
      ],
      [['change', 'late', '--user', 'nobody'], 'user: the company Nordic Care has no user "nobody"'],
      [['change', 'nothing', '--batch'], 'There is no webhook nothing.'],
      [['add', 'late', '--company', 'Nordic Care', '--url', url, '--events', 'job.start'], 'already'],
      [['add', 'more', '--company', 'Nordic Care', '--url', url], 'needs a key "events"'],
      [
        ['add', 'more', '--company', 'Nobody', '--url', url, '--events', 'job.start'],
        'There is no company Nobody.',
      ],
    ] as const;
    const refusals = await Promise.all(wrong.map(([words]) => run(...words)));
    expect(refusals.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(
      wrong.map(([, fault]) => [1, expect.stringContaining(fault)]),
    );
    expect((await run('remove', 'late')).stdout.trim()).toBe('- webhook late in Nordic Care');
    expect((await run('remove', 'late')).exitCode).toBe(1);
    const entries = await query(
      app,
      "SELECT act, details FROM audit_log WHERE object = 'late' AND channel = 'command' ORDER BY id",
    );
    expect(entries.map(({ act, details }) => `${act} ${readDetails(String(details)).details}`)).toEqual([
      'webhook.make of the company, text: none',
      'webhook.rotate of the company, text: none, a new secret',
      'webhook.rotate of the company, text: none, only the newest secret',
      'webhook.change of the company, text: none, filter, batch',
      'webhook.change of alice, text: none, user',
      'webhook.remove of alice, text: none',
    ]);
  });

  test('[HOOK-5] Webhook events arrive at carillon webhooks listen and at the receiver of the documentation', async () => {
    const manual = readFileSync('docs/webhooks.md', 'utf8');
    const [, source = ''] = /```js\n(.*?)```/s.exec(manual) ?? [];
    const ports = [await freePort(), await freePort()] as const;
    const listening = spawn(
      process.execPath,
      [
        program(),
        'webhooks',
        'listen',
        '--secret',
        secret,
        '--port',
        String(ports[0]),
        '--json',
        '--fail',
        '1',
      ],
      { env: app.env },
    );
    const printed = spawn(
      process.execPath,
      ['--input-type=module', '-e', source.replace('9000', String(ports[1]))],
      { env: { ...app.env, SECRET: secret } },
    );
    const lines: string[] = [];
    const shown: string[] = [];
    let said = '';
    listening.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    createInterface({ input: listening.stdout }).on('line', (line) => lines.push(line));
    createInterface({ input: printed.stdout }).on('line', (line) => shown.push(line));
    try {
      // A post to a receiver that is not there yet would be retried only after a while.
      await until(() => said.includes('Listening at'));
      await until(() =>
        fetch(`http://127.0.0.1:${ports[1]}/`, { method: 'POST' }).then(
          () => true,
          () => false,
        ),
      );
      const more = ports
        .map(
          (port, place) =>
            `      - { id: new${place}, url: "http://127.0.0.1:${port}/", secrets: [${secret}], events: [message.status] }`,
        )
        .join('\n');
      expect((await app.apply(provisioning(receiver.url, more))).exitCode).toBe(0);
      let id = '';
      await until(async () => {
        id = await sendOne(app.as(alice));
        return shown.length > 0;
      });
      await until(() => shown.some((line) => line.includes(id)));
      const answered = () =>
        lines.map((line) => ({ line, status: (JSON.parse(line) as { status: number }).status }));
      await until(() => answered().some(({ line, status }) => line.includes(id) && status === 200));
      expect(answered().map(({ status }) => status)).toEqual(expect.arrayContaining([500, 200]));
    } finally {
      listening.kill('SIGINT');
      printed.kill();
    }
  });
});
