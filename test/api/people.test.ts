/**
 * Tests the management API for everything about one phone number: shown across all parts of the system, exported, and erased.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { eachEngine } from '../harness/engines.ts';
import { startJobPath } from '../harness/jobs.ts';
import { inAnHour, query, sendOne } from '../harness/messaging.ts';
import { dumpOf } from '../harness/older-store.ts';

const phone = '46701740699';
const colleague = '46701740640';
const managed = '46701740641';
const rented = '46731230001';
/** A phone in Mexico, as we send to it and as its network reports it. */
const [abroad, abroadRewritten] = ['525562000017', '5215562000017'];

const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    systemUsers: [{ username: nordic-jobs }]
    users:
      - { username: alice, password: "alice's long password", roles: [send, jobs, companyAdmin], systemUser: nordic-jobs, defaultAddressBook: Staff }
      - { username: bob, password: "bob's long password", roles: [send] }
    addressBooks: [{ id: 11, name: Staff, contacts: [{ id: 9001, name: Managed Maria, phone: "+${managed}" }] }]
    savedJobs:
      - { id: 71, owner: nordic-jobs, name: Night, type: MonitoredMessage, message: "Can you come?", recipients: { numbers: ["${phone}", "${colleague}"] } }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - { number: "${rented}", rentedBy: alice }
  - { number: "46731239001", pool: true }
`;

eachEngine('a person', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  const get = async (path: string) => (await app.as(alice).get(path)).body;
  const post = async (path: string, body: object) => {
    const answer = await app.as(alice).post(path, body);
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, expect.any(String)]);
    return answer.body;
  };
  const path = `/api/v1/people/${phone}`;

  test('[PORT-7] All data about a phone number can be viewed, exported as JSON lines, and erased once nothing needs the number', async () => {
    await post('/api/v1/addressbooks/11/contacts', { name: 'Erika Ek', phone: `+${phone}` });
    await sendOne(app.as(alice), { to: [phone], message: 'Your appointment' });
    const waiting = await sendOne(app.as(alice), { to: [phone], scheduletime: inAnHour() });
    const others = await sendOne(app.as(alice), { to: [colleague], message: 'Somebody else' });
    await post(`/api/v1/simulator/phones/${phone}/answer`, { text: 'Which entrance?', to: rented });
    const batch = [{ t: phone }];
    await post('/api/v1/batches', { name: 'Flu, week 48', message: 'Your flu shot', batch });
    await until(async () => (await get(`${path}/sent`)).sent.length === 3);
    const { runtimeid } = await post(startJobPath, { jobid: 71 });
    await until(async () => (await get(`/api/v1/runs/${runtimeid}`)).people.asked === 2);

    const person = await get(path);
    expect(person).toMatchObject({ contacts: [{ name: 'Erika Ek' }], conversations: [{ number: rented }] });
    const { sent } = await get(`${path}/sent`);
    expect(sent).toMatchObject([
      { batchId: expect.any(String), batchName: 'Flu, week 48' },
      { run: { name: 'Night', state: 'asked' } },
      { id: waiting },
      {},
    ]);
    expect(sent.filter((one: object) => 'batchName' in one)).toHaveLength(1);
    expect((await get(`${path}/received`)).received).toMatchObject([{ message: 'Which entrance?' }]);
    const nothing = {
      contacts: [],
      conversations: [],
      moreConversations: false,
      optOuts: [],
      nearMisses: [],
    };
    expect((await app.as(bob).get(path)).body).toEqual(nothing);
    expect((await app.as(bob).get(`${path}/sent`)).body.sent).toEqual([]);

    const file = await app.as(alice).get(`${path}/export`);
    expect(file.headers.get('content-type')).toMatch(/^application\/jsonl/);
    const lines = file.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ kind }) => kind)).toEqual([
      'contact',
      'conversation',
      'sent',
      'sent',
      'sent',
      'sent',
      'received',
    ]);
    expect(file.text).toContain('Your appointment');

    const managedPath = `/api/v1/people/${managed}`;
    expect(await app.as(alice).post(`${managedPath}/erase`, {})).toMatchObject({
      status: 409,
      body: { code: 'managed' },
    });
    expect((await app.as(bob).post(`${path}/erase`, {})).status).toBe(403);
    // Receipts that belong to no message and no company.
    await query(
      app,
      `INSERT INTO unmatched_receipts (carrier_id, recipient, text, received_at) VALUES
         (1, '${phone}', NULL, ${Date.now()}), (1, NULL, 'id:7 to +${phone} text:Your', ${Date.now()}),
         (1, '${colleague}', NULL, ${Date.now()})`,
    );
    const before = await get('/api/v1/usage');
    await post(`${path}/erase`, {});
    // The run goes on, and may still get an answer from him.
    await until(async () => (await get(path)).erasure.kept.some(({ by }: { by: string }) => by === 'runs'));
    expect((await get(path)).contacts).toEqual([]);
    expect((await get(`/api/v1/messages/${waiting}`)).status).not.toBe('SCHEDULED');
    await post(`/api/v1/runs/${runtimeid}/cancel`, {});
    await app.restart();
    // The saved job still names the number, which is reported; its owner has to change that.
    await until(async () => (await get(path)).erasure.kept.some(({ by }: { by: string }) => by === 'jobs'));
    expect((await get(path)).erasure).toMatchObject({ kept: [{ by: 'jobs', count: 1 }] });
    expect((await get(path)).erasure.done).toBeUndefined();
    await app.apply(provisioning.replace(`"${phone}", `, ''));
    await post(`${path}/erase`, {});
    await until(async () => (await get(path)).erasure.done !== undefined);
    const dump = await dumpOf(app.env);
    expect(dump.filter((row) => row.includes(colleague))).not.toEqual([]);
    const erased = [phone, 'Erika Ek', 'Your appointment', 'Which entrance?'];
    expect(dump.filter((row) => erased.some((text) => row.includes(text)))).toEqual([]);
    expect(dump.filter((row) => row.includes('"other_ids"') && row.includes(colleague))).toHaveLength(1);

    expect(await get(path)).toMatchObject({ contacts: [], conversations: [], erasure: { kept: [] } });
    expect((await get(`${path}/sent`)).sent).toEqual([]);
    expect((await get(`${path}/received`)).received).toEqual([]);
    expect((await get(`/api/v1/messages/${others}`)).message).toBe('Somebody else');
    const { people } = await get(`/api/v1/runs/${runtimeid}/people`);
    expect(people.map(({ phone: left = '' }) => left)).toEqual(['', colleague]);
    const { entries } = await get('/api/v1/audit');
    expect(entries).toEqual(
      expect.arrayContaining(
        ['person.export', 'person.erase', 'person.erased'].map((act) => expect.objectContaining({ act })),
      ),
    );
    expect(JSON.stringify(entries)).not.toContain(phone);
    // Messages to other people stay on the bill.
    const after = await get('/api/v1/usage');
    expect(after.usage[0].messages).toBeGreaterThanOrEqual(before.usage[0].messages - 1);
  }, 300_000);

  test('[PORT-7] A person with very many contacts and conversations is shown in part, and exported as a whole', async () => {
    const switchboard = '46731999999';
    const [user] = await query(app, "SELECT id, company_id FROM users WHERE username = 'alice'");
    const conversations = Array.from({ length: 201 }, (_, place) => {
      const id = 9_000 + place;
      return `(${id}, ${user?.company_id}, ${user?.id}, '4675${id}', '${switchboard}', ${id}, 1, 0, 0, 1)`;
    });
    await query(
      app,
      `INSERT INTO conversations (id, company_id, user_id, number, phone, last_at, last_incoming_id, unread, archived,
         version) VALUES ${conversations.join(', ')}`,
    );
    const contacts = Array.from(
      { length: 101 },
      (_, place) => `(11, ${9_500 + place}, 'Desk', '${switchboard}')`,
    );
    await query(app, `INSERT INTO contacts (book_id, id, name, phone) VALUES ${contacts.join(', ')}`);

    const person = await get(`/api/v1/people/${switchboard}`);
    expect(person.contacts).toHaveLength(100);
    expect(person.moreConversations).toBe(true);
    const shown = person.conversations.map(({ number }: { number: string }) => number);
    expect(shown).toEqual(Array.from({ length: 50 }, (_, place) => `4675${9_200 - place}`));
    const { text: file } = await app.as(alice).get(`/api/v1/people/${switchboard}/export`);
    const count = (kind: string) => file.split(`"kind":"${kind}"`).length - 1;
    expect({ contacts: count('contact'), conversations: count('conversation') }).toEqual({
      contacts: 101,
      conversations: 201,
    });
  });

  test('[PORT-7] [INC-2] A person is found and erased under every form in which networks write their number', async () => {
    await sendOne(app.as(alice), { to: [abroad], message: 'Bring your papers' });
    await sendOne(app.as(alice), { to: [abroadRewritten], message: 'And a photograph' });
    await post(`/api/v1/simulator/phones/${abroadRewritten}/answer`, { text: 'Which ones?', to: rented });
    const path = `/api/v1/people/${abroad}`;
    expect(await get(path)).toMatchObject({ conversations: [{ number: rented }] });
    expect((await get(`${path}/sent`)).sent).toHaveLength(2);
    expect((await get(`${path}/received`)).received).toMatchObject([{ message: 'Which ones?' }]);
    const { text: file } = await app.as(alice).get(`${path}/export`);
    for (const written of ['Bring your papers', 'And a photograph', 'Which ones?'])
      expect(file).toContain(written);

    await post(`${path}/erase`, {});
    await until(async () => (await get(path)).erasure.done !== undefined);
    expect((await get(path)).erasure).toMatchObject({ kept: [] });
    expect((await get(`/api/v1/people/${abroadRewritten}`)).erasure).toEqual((await get(path)).erasure);
    const dump = await dumpOf(app.env);
    const erased = [abroad, abroadRewritten, 'Bring your papers', 'And a photograph', 'Which ones?'];
    expect(dump.filter((row) => erased.some((text) => row.includes(text)))).toEqual([]);
  }, 300_000);
});
