/** Tests finding people, groups, templates, batches and saved jobs by one call, and who finds what. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';
import { inAnHour } from '../harness/messaging.ts';

type User = typeof admin;
const user = (username: string) => ({ username, password: `${username}'s long password` });
const admin = user('admin');
const leader = user('leader');
const sender = user('sender');
const emailer = user('emailer');
const rival = user('rival');
const people = Array.from(
  { length: 12 },
  (_, at) => `{ id: ${at + 1}, name: Anna Berg ${at}, phone: "467017406${String(at).padStart(2, '0')}" }`,
);
const account = ({ username, password }: User, rest: string) =>
  `{ username: ${username}, password: "${password}", ${rest} }`;
const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    addressBooks:
      - { id: 11, name: Staff, contacts: [${people.join(', ')}, { id: 99, name: Åsa Öberg, email: asa@care.example }] }
      - { id: 12, name: Board, contacts: [{ id: 1, name: Bertil Board, phone: "46701740699" }] }
    templates: [{ id: 1001, name: Night visit, text: "Hello" }, { id: 1002, name: Day visit, text: "Hi" }]
    systemUsers: [{ username: night-jobs }]
    users:
      - ${account(admin, 'roles: [send, companyAdmin]')}
      - ${account(leader, 'roles: [send, jobs], systemUser: night-jobs, addressBooks: [Staff], defaultAddressBook: Staff')}
      - ${account(sender, 'roles: [send]')}
      - ${account(emailer, 'roles: [emailAdmin]')}
    savedJobs:
      - { id: 71, owner: night-jobs, name: Night alarm ward 7, type: MonitoredMessage, message: "Can you come?", recipients: { numbers: ["46701740601"] } }
  - name: Rivals
    users: [${account(rival, 'roles: [send, jobs, companyAdmin]')}]
carriers: [{ name: sim, type: simulator }]
routes: [{ name: all, prefix: "", carriers: [sim] }]
`;
const nothing = { people: [], groups: [], templates: [], batches: [], jobs: [] };

eachEngine('finding by name or number', (engine) => {
  let app: WholeApp;
  const ids: string[] = [];
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
    await app.as(admin).post('/api/v1/addressbooks/11/groups', { name: 'Night shift' });
    for (const [by, name] of [
      [leader, 'Night rota'],
      [sender, 'Nightly reminder'],
    ] as const) {
      const batch = { name, message: 'Hello', batch: [{ t: '46701740601' }], scheduletime: inAnHour() };
      const { body } = await app.as(by).post('/api/v1/batches', batch);
      ids.push(body.batchid);
    }
  });
  afterAll(() => app?.close());

  const find = async (by: User, q: string) => (await app.as(by).get('/api/v1/find', { q })).body;

  test('[PORT-5] One call finds people, groups, templates, batches and saved jobs, at most eight of each', async () => {
    const [rota, reminder] = ids;
    expect(await find(leader, 'nig')).toEqual({
      people: [],
      groups: [{ book: '11', name: 'Night shift', isDefault: true }],
      templates: [{ id: '1001', name: 'Night visit' }],
      batches: [{ id: rota, name: 'Night rota' }],
      jobs: [{ id: '71', name: 'Night alarm ward 7' }],
    });
    expect((await find(admin, 'nig')).batches).toEqual([
      { id: reminder, name: 'Nightly reminder' },
      { id: rota, name: 'Night rota' },
    ]);
    const annas = (await find(leader, 'a')).people;
    expect(annas).toHaveLength(8);
    expect(annas[0]).toMatchObject({ book: '11', name: 'Anna Berg 0', phone: '46701740600' });
    expect((await find(leader, '070-174 06 11')).people).toMatchObject([{ name: 'Anna Berg 11' }]);
    expect((await find(leader, 'oberg')).people).toEqual([
      { book: '11', id: expect.any(String), name: 'Åsa Öberg' },
    ]);
    expect((await find(leader, '7 alarm')).jobs).toHaveLength(1);
    expect(await find(leader, 'nobody of that name')).toEqual(nothing);
    expect(await find(leader, '%')).toMatchObject({ people: [] });
  });

  test('[PORT-5] [PORT-4] Everybody finds only what they may see: their books, their batches, their jobs, and nothing of another company', async () => {
    expect(await find(sender, 'anna')).toEqual(nothing);
    expect(await find(sender, 'night')).toEqual({
      ...nothing,
      templates: [{ id: '1001', name: 'Night visit' }],
      batches: [{ id: ids[1], name: 'Nightly reminder' }],
    });
    expect((await find(leader, 'bertil')).people).toEqual([]);
    expect((await find(admin, 'bertil')).people).toMatchObject([{ book: '12', name: 'Bertil Board' }]);
    expect((await find(admin, 'night')).jobs).toEqual([]);
    expect(await find(emailer, 'night')).toEqual(nothing);
    for (const q of ['anna', 'night', '46701740601']) expect(await find(rival, q)).toEqual(nothing);
  });

  test('[PORT-5] A search of a hundred characters is taken, and a longer or empty one is refused with its reason', async () => {
    const statusOf = async (q: string) => {
      const { status, body } = await app.as(leader).get('/api/v1/find', { q });
      return [status, body.code];
    };
    expect(await statusOf('x'.repeat(100))).toEqual([200, undefined]);
    expect(await statusOf('x'.repeat(101))).toEqual([400, 'invalid_value']);
    expect(await statusOf('')).toEqual([400, 'missing_parameter']);
  });
});
