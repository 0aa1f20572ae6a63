/** What an operator does with users while the server runs, and while it is stopped. */
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from './harness/app.ts';
import { until } from './harness/awake.ts';
import { keyPath, query, statusPath } from './harness/messaging.ts';
import { program } from './harness/program.ts';

const provisioning = `${standardProvisioning}
operators:
  - { username: root, password: "root's long password" }
`;

/** Runs a command with input on its standard input. */
function runWith(app: WholeApp, input: string, ...parameters: readonly string[]) {
  const child = spawn(process.execPath, [program(), ...parameters], { env: app.env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  child.stdin.end(input);
  return new Promise<{ exitCode: number | null; output: string }>((resolve) => {
    child.once('close', (exitCode) => resolve({ exitCode, output }));
  });
}

describe('users, to their operator', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app.close());

  const statusWith = async (credentials: Parameters<WholeApp['as']>[0]) =>
    (await app.as(credentials).get(statusPath)).status;
  const passwd = (password: string, ...parameters: readonly string[]) =>
    runWith(app, `${password}\n`, 'user', 'passwd', ...parameters);

  test('[RUN-3] Commands list and show users, without their passwords', async () => {
    const { stdout } = await app.run('user', 'list');
    expect(stdout.split('\n')[0]).toMatch(/^USER +STATE +COMPANY +ROLES +PASSWORD +ID$/);
    expect(stdout).toMatch(/^alice +active +Nordic Care +send +set +\d+$/m);
    expect(stdout).toMatch(/^carol +active +Nordic Care +none +set +\d+$/m);
    const list = JSON.parse((await app.run('user', 'list', '--json')).stdout);
    expect(list.map(({ username }: { username: string }) => username)).toEqual(['alice', 'bob', 'carol']);
    expect(JSON.parse((await app.run('user', 'list', '--operators', '--json')).stdout)).toEqual([
      { username: 'root' },
    ]);
    const shown = await app.run('user', 'show', 'alice', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({
      username: 'alice',
      company: 'Nordic Care',
      state: 'active',
      roles: ['send'],
      enabledApiKeys: 0,
      hasPassword: true,
      defaultSender: 'NordicCare',
      quotaParts: 'unlimited',
    });
    expect((await app.run('user', 'show', 'alice')).stdout).toMatch(/^company +Nordic Care$/m);
    expect(await app.run('user', 'show', 'nobody')).toMatchObject({ exitCode: 1, stdout: '' });
    expect(stdout + shown.stdout).not.toContain('argon2');
  });

  test('[RUN-3] [AUTH-4] [AUTH-5] A command gives a user a new password: the old one ends, and API keys stay valid', async () => {
    const { body: key } = await app.as(alice).get(keyPath, { name: 'work' });
    expect(await statusWith(alice)).toBe(200);
    const { exitCode, output } = await passwd('quite another password', 'alice');
    expect([exitCode, output]).toEqual([
      0,
      expect.stringMatching(/^The user alice has a new password\..*\n$/),
    ]);
    await until(async () => (await statusWith(alice)) === 401);
    expect(await statusWith({ ...alice, password: 'quite another password' })).toBe(200);
    expect(await statusWith({ key: String(key) })).toBe(200);
    await until(() =>
      app.stderr.includes('"event":"password_set","username":"alice","object":"user alice, by '),
    );
    expect(app.stderr + app.stdout).not.toContain('quite another');
  });

  test('[RUN-3] A command gives a user a new password while the server is stopped, too', async () => {
    await app.stop();
    expect((await passwd('a password for bob', 'bob')).exitCode).toBe(0);
    await app.restart();
    expect(await statusWith(bob)).toBe(401);
    expect(await statusWith({ ...bob, password: 'a password for bob' })).toBe(200);
  });

  test('[RUN-3] [PORT-7] A command gives an operator a new password, too, and the audit log has those of all', async () => {
    const hash = async () => (await query(app, 'SELECT password_hash AS hash FROM operators'))[0]?.hash;
    const before = await hash();
    const { exitCode, output } = await passwd('a password for root', 'root', '--operator', '--json');
    expect([exitCode, JSON.parse(output)]).toEqual([0, { kind: 'operator', username: 'root' }]);
    expect(await hash()).not.toBe(before);
    expect(await hash()).toMatch(/^\$argon2id\$/);
    const entries = await query(
      app,
      `SELECT channel, username, object, company_id = 0 AS concerns_none FROM audit_log WHERE act = 'password.set' ORDER BY id`,
    );
    const entry = (object: string, concernsNone = 0) => ({
      channel: 'command',
      username: null,
      object,
      concerns_none: concernsNone,
    });
    expect(entries).toEqual([entry('alice'), entry('bob'), entry('operator root', 1)]);
  });

  test('[RUN-3] A password that is too short, too long, on two lines or for an unknown user is refused with an explanation', async () => {
    const refusals = [
      [passwd('eleven char', 'carol'), 'The password must have at least 12 characters.\n'],
      [passwd('', 'carol'), 'The password must have at least 12 characters.\n'],
      [passwd('x'.repeat(1_025), 'carol'), 'The password must have at most 1024 characters.\n'],
      [passwd('the first line\nthe second', 'carol'), expect.stringContaining('more than one line')],
      [passwd('a password for root', 'root'), expect.stringMatching(/^There is no user root\./)],
      [
        passwd('a password for carol', 'carol', '--operator'),
        expect.stringMatching(/^There is no operator carol\./),
      ],
    ] as const;
    for (const [ended, sentence] of refusals) expect(await ended).toEqual({ exitCode: 1, output: sentence });
  });
});
