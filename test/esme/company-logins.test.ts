/** SMPP logins that a company's administrator gives by the API: programs bind with what they were told, and with nothing else. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { NpmEsme } from '../carriers/npm-esme.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';

const userOf = (username: string, roles: string) =>
  `{ username: ${username}, password: "${username}'s long password", roles: [${roles}] }`;
const provisioning = `
companies:
  - name: Nordic Care
    users: [${userOf('anna', 'send, companyAdmin')}, ${userOf('bo', 'send')}]
  - name: Other
    users: [${userOf('rival', 'send, companyAdmin')}]
carriers: [{ name: sim, type: simulator }]
routes: [{ name: all, prefix: "", carriers: [sim] }]
`;
const [statusOk, wrongPassword, tooMany] = [0, 0x0e, 0x05];

describe('SMPP logins given by administrators', () => {
  let app: WholeApp;
  let port: number;
  let path: string;
  const open: NpmEsme[] = [];
  const as = (username: string) => app.as({ username, password: `${username}'s long password` });

  beforeAll(async () => {
    port = await freePort();
    const env = { CARILLON_SMPP_SERVER: `127.0.0.1:${port}` };
    app = await startWholeApp({ engine: 'sqlite', provisioning, env });
    const { body } = await as('anna').get('/api/v1/users', { name: 'bo' });
    path = `/api/v1/users/${body.users[0].id}`;
  });
  afterAll(() => app?.close());
  afterEach(() => {
    for (const esme of open.splice(0)) esme.close();
  });

  async function bind(system_id: string, password: string) {
    const esme = await NpmEsme.connect(port);
    open.push(esme);
    const { command_status } = await esme.bind('transceiver', { system_id, password });
    return { esme, command_status };
  }

  test('[ESME-1] [ESME-4] A program binds with the password of the answer, is unbound by the next one, and has gone with the login', async () => {
    const given = { systemId: 'ward', binds: 1 };
    const { status, body } = await as('anna').patch(path, { smpp: given });
    expect([status, body.smpp]).toEqual([200, { ...given, window: 100, throughput: 0, hasPassword: false }]);
    const made = await as('anna').post(`${path}/smpp/password`);
    expect([made.status, made.body.systemId]).toEqual([200, 'ward']);
    const first = await bind('ward', made.body.password);
    expect(first.command_status).toBe(statusOk);
    expect((await bind('ward', made.body.password)).command_status).toBe(tooMany);
    const again = await as('anna').post(`${path}/smpp/password`);
    await until(() => first.esme.isClosed);
    expect((await bind('ward', made.body.password)).command_status).toBe(wrongPassword);
    const second = await bind('ward', again.body.password);
    expect(second.command_status).toBe(statusOk);
    const shown = await as('anna').get(path);
    expect(shown.body.smpp.hasPassword).toBe(true);
    expect(JSON.stringify(shown.body)).not.toContain(again.body.password);
    expect(app.stderr).toContain('"object":"SMPP login ward"');
    expect(app.stderr).not.toContain(again.body.password);
    expect((await as('anna').patch(path, { smpp: '' })).body).not.toHaveProperty('smpp');
    await until(() => second.esme.isClosed);
    expect((await bind('ward', again.body.password)).command_status).toBe(wrongPassword);
  });

  test('[ESME-1] [PORT-3] Who does not administer the company gets no login there, and wrong values are named', async () => {
    for (const [username, status] of [
      ['bo', 403],
      ['rival', 404],
    ] as const) {
      expect((await as(username).patch(path, { smpp: { systemId: 'x' } })).status).toBe(status);
      expect((await as(username).post(`${path}/smpp/password`)).status).toBe(status);
    }
    const wrong = {
      binds: 51,
      window: 0,
      throughput: -1,
      networks: [],
      password: 'chosen',
      systemId: 'a system id',
    };
    const { status, body } = await as('anna').patch(path, { smpp: wrong });
    expect(status).toBe(400);
    const fields = body.errors.map(({ field }: { readonly field: string }) => field).sort();
    expect(fields).toEqual(
      Object.keys(wrong)
        .map((name) => `smpp.${name}`)
        .sort(),
    );
    expect((await as('anna').patch(path, { smpp: { binds: 1 } })).body.errors).toMatchObject([
      { field: 'smpp.systemId', code: 'missing_parameter' },
    ]);
  });
});
