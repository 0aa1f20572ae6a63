/** The server's secret as an operator meets it: a wrong one is refused, and changing it takes a command. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from './harness/app.ts';
import { until } from './harness/awake.ts';
import { keyPath, query, sendOne, statusPath } from './harness/messaging.ts';

const provisioning = standardProvisioning.replace(
  'routes:',
  // Nobody listens there.
  '  - { name: north, type: smpp, host: 127.0.0.1, port: 1, systemId: us, password: of the SMSC }\nroutes:',
);
const another = 'another secret, which nobody has given to the store';

describe('another secret than the store’s', () => {
  let app: WholeApp;
  let key = '';
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
    key = String((await app.as(alice).get(keyPath, { name: 'work' })).body);
    await app.stop();
    Object.assign(app.env, { CARILLON_SECRET: another });
  });
  afterAll(() => app.close());

  test('[AUTH-5] [RUN-2] joins neither a server nor a command to the store', async () => {
    const commands = [['serve'], ['apply', app.env.CARILLON_PROVISION as string], ['keys', 'list', 'alice']];
    for (const command of commands) {
      const { exitCode, stdout, stderr } = await app.run(...command);
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        /^The store belongs to another secret .*CARILLON_SECRET.*carillon secret accept\n$/,
      );
    }
  });

  test('[AUTH-5] accepted on purpose, it is told what no longer works; the server starts without that', async () => {
    const accepted = await app.run('secret', 'accept');
    expect(accepted).toMatchObject({ exitCode: 0, stderr: '' });
    expect(accepted.stdout).toMatch(/API keys .* no longer work\..*\nPasswords of carriers .*: north\n$/);
    expect((await app.run('secret', 'accept')).stdout).toBe('The store belongs to this secret already.\n');
    const writtenBefore = app.stderr.length;
    await app.restart();
    const told = () => app.stderr.slice(writtenBefore).split('\n');
    await until(() =>
      told().some((line) => line.includes('"north"') && line.includes('encrypted under another secret')),
    );
    await sendOne(app.as(alice));
    expect(await app.as({ key }).get(statusPath)).toMatchObject({ status: 401 });
  });

  test('[RUN-3] [AUTH-5] to apply the file once more is enough for carriers, to ask once more for API keys', async () => {
    expect((await app.apply(provisioning)).stdout).toBe('~ carrier north: password changed\n');
    expect((await app.apply(provisioning)).stdout).toBe('no changes\n');
    // The node tells the states of its carriers every now and then.
    const told = () => query(app, "SELECT 1 FROM carrier_states WHERE reason LIKE '%encrypted%'");
    await until(async () => (await told()).length === 0);
    expect((await app.run('carriers')).stdout).not.toContain('encrypted');
    const { body } = await app.as(alice).get(keyPath, { name: 'work' });
    expect(await app.as({ key: String(body) }).get(statusPath)).toMatchObject({ status: 200 });
  });

  test('[AUTH-5] a secret that is easily guessed is not accepted', async () => {
    Object.assign(app.env, { CARILLON_SECRET: 'a'.repeat(40) });
    expect(await app.run('secret', 'accept')).toMatchObject({ exitCode: 1, stdout: '' });
  });
});
