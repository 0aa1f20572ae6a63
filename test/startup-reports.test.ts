/** What a server reports at startup about its configuration, in its log and its metrics. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from './harness/app.ts';
import { until } from './harness/awake.ts';
import { query } from './harness/messaging.ts';

const provisioning = `
companies:
  - { name: Nordic Care, users: [{ username: alice, password: "alice's long password" }] }
carriers:
  - { name: sim, type: simulator }
  # Nobody listens there.
  - { name: real, type: smpp, host: 127.0.0.1, port: 1, systemId: us, password: secret }
routes:
  - { name: real, prefix: "46", carriers: [real] }
  - { name: trial, prefix: "4799", carriers: [sim], simulated: true }
  - { name: rehearsal, prefix: "4798", carriers: [sim, real], simulated: true }
`;

describe('a server that starts on an empty store, with --no-demo', () => {
  let app: WholeApp;
  beforeAll(async () => {
    const env = { CARILLON_DATTA: 'elsewhere' };
    app = await startWholeApp({ engine: 'sqlite', env, serve: ['--no-demo'] });
  });
  afterAll(() => app.close());

  /** Log lines with this message after the first `since` characters of the log. */
  const logged = (message: string, since = 0) =>
    app.stderr
      .slice(since)
      .split('\n')
      .filter((line) => line.includes(message))
      .map((line) => JSON.parse(line));
  const simulatedRoutes = async () =>
    /^carillon_simulated_routes (.*)$/m.exec(await (await fetch(`${app.baseUrl}/metrics`)).text())?.[1];

  test('[RUN-1] [RUN-3] On an empty store and with --no-demo, a server makes no demo company and logs that nobody can sign in', async () => {
    await until(() => logged('the store is empty').length > 0);
    expect(logged('the store is empty')).toMatchObject([
      {
        level: 'warn',
        msg: 'the store is empty: nobody can sign in or send yet',
        remedy: expect.stringContaining('carillon apply'),
      },
    ]);
    expect(await query(app, 'SELECT * FROM companies')).toEqual([]);
    expect(app.stdout).not.toContain('demo');
    expect(await simulatedRoutes()).toBe('0');
  });

  test('[RUN-1] The log names a variable that is not a setting, with the setting that was likely meant', () => {
    expect(logged('this variable is not a setting of Carillon')).toMatchObject([
      { level: 'warn', variable: 'CARILLON_DATTA', meant: 'CARILLON_DATA' },
    ]);
  });

  test('[RUN-4] [RUN-8] The log names the routes that lead to a simulator beside real carriers, and a metric counts them', async () => {
    await app.stop();
    const { exitCode, stderr } = await app.apply(provisioning);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('CARILLON_DATTA')]);
    const since = app.stderr.length;
    await app.restart();
    await until(() => logged('lead to a simulator', since).length > 0);
    expect(logged('lead to a simulator', since)).toMatchObject([
      { level: 'warn', routes: expect.arrayContaining(['trial', 'rehearsal']) },
    ]);
    expect(await simulatedRoutes()).toBe('2');
  });
});
