/** The server's secret as an operator sees it: a wrong one is refused, and changing it takes a command. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from './harness/app.ts';
import { until } from './harness/awake.ts';
import { keyPath, query, sendOne, statusPath } from './harness/messaging.ts';

const provisioning = standardProvisioning.replace(
  'routes:',
  // Nothing listens on this port.
  '  - { name: north, type: smpp, host: 127.0.0.1, port: 1, systemId: us, password: of the SMSC }\nroutes:',
);
const another = 'another secret, which nobody has given to the store';

describe('a secret other than the store’s', () => {
  let app: WholeApp;
  let key = '';
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
    key = String((await app.as(alice).get(keyPath, { name: 'work' })).body);
    await app.stop();
    Object.assign(app.env, { CARILLON_SECRET: another });
  });
  afterAll(() => app.close());

  test('[AUTH-5] [RUN-2] Neither a server nor a command uses a store with a secret other than the store’s', async () => {
    const commands = [['serve'], ['apply', app.env.CARILLON_PROVISION as string], ['keys', 'list', 'alice']];
    for (const command of commands) {
      const { exitCode, stdout, stderr } = await app.run(...command);
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        /^The store belongs to another secret .*CARILLON_SECRET.*carillon secret accept\n$/,
      );
    }
  });

  test('[AUTH-5] Accepting another secret reports what no longer works, and the server starts without it', async () => {
    const accepted = await app.run('secret', 'accept');
    expect(accepted).toMatchObject({ exitCode: 0, stderr: '' });
    expect(accepted.stdout).toMatch(/API keys .* no longer work\..*\nPasswords of carriers .*: north\n$/);
    expect((await app.run('secret', 'accept')).stdout).toBe('The store already uses this secret.\n');
    const writtenBefore = app.stderr.length;
    await app.restart();
    const lines = () => app.stderr.slice(writtenBefore).split('\n');
    await until(() =>
      lines().some(
        (line) => line.includes('"north"') && line.includes('encrypted under another server secret'),
      ),
    );
    await sendOne(app.as(alice));
    expect(await app.as({ key }).get(statusPath)).toMatchObject({ status: 401 });
  });

  test('[RUN-3] [AUTH-5] After another secret is accepted, applying the file again is enough for carriers, and a new request for API keys', async () => {
    expect((await app.apply(provisioning)).stdout).toBe('~ carrier north: password changed\n');
    expect((await app.apply(provisioning)).stdout).toBe('no changes\n');
    // The node publishes its carriers' states from time to time.
    const states = () => query(app, "SELECT 1 FROM carrier_states WHERE reason LIKE '%encrypted%'");
    await until(async () => (await states()).length === 0);
    expect((await app.run('carriers')).stdout).not.toContain('encrypted');
    const { body } = await app.as(alice).get(keyPath, { name: 'work' });
    expect(await app.as({ key: String(body) }).get(statusPath)).toMatchObject({ status: 200 });
  });

  test('[AUTH-5] A secret that is easily guessed is not accepted', async () => {
    Object.assign(app.env, { CARILLON_SECRET: 'a'.repeat(40) });
    expect(await app.run('secret', 'accept')).toMatchObject({ exitCode: 1, stdout: '' });
  });
});
