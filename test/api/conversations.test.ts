/** Tests conversations in the management API: who has answered, what was said, and a reply from the same number. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ifMatch } from '../harness/api-client.ts';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';
import { incomingPath, recipient, sendPath, simulateIncoming } from '../harness/messaging.ts';

const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users:
      - { username: alice, password: "alice's long password", roles: [send, companyAdmin], defaultAddressBook: staff }
      - { username: bob, password: "bob's long password", roles: [send], senders: [NordicCare] }
      - { username: carol, password: "carol's long password", roles: [send] }
    addressBooks:
      - { id: 1, name: staff }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
  - { name: real, type: smpp, host: 127.0.0.1, port: 1, systemId: me, password: pw }
routes:
  - { name: real, prefix: "4675", carriers: [real] }
  - { name: all, prefix: "", carriers: [sim], simulated: true }
numbers:
  - { number: "46731230001", rentedBy: bob }
  - { number: "46731239001", pool: true }
  - { number: "46731239002", pool: true, company: Nordic Care }
`;

const rented = '46731230001';
let nextPhone = 200;

eachEngine('conversations', (engine) => {
  let app: WholeApp;
  /** A phone that nobody knows yet. */
  let phone: string;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());
  beforeEach(() => {
    phone = recipient(nextPhone++);
  });

  type User = typeof alice;
  const list = async (user: User, query: object = {}) =>
    (await app.as(user).get('/api/v1/conversations', { search: phone, ...query })).body.conversations;
  const act = (user: User, id: string, verb: string, body: object = {}, headers = {}) =>
    app.as(user).post(`/api/v1/conversations/${id}/${verb}`, body, headers);
  const show = async (user: User, id: string, query = {}) =>
    (await app.as(user).get(`/api/v1/conversations/${id}`, query)).body;
  const textsOf = ({ messages }: { messages: { message: string; isOurs: boolean }[] }) =>
    messages.map(({ message, isOurs }) => `${isOurs ? '<' : '>'} ${message}`);
  /** The values of a field in a whole list, which is read in pages of one item each. */
  const paged = async (user: User, path: string, list: string, field: string) => {
    const values: unknown[] = [];
    for (let after = {}; ; ) {
      const { body } = await app.as(user).get(path, { limit: '1', ...after });
      values.push(...body[list].map((item: Readonly<Record<string, unknown>>) => item[field]));
      if (body.next === undefined) return values;
      after = { after: body.next };
    }
  };
  const write = async (text: string, to: string, user: User = bob) => {
    const answer = await app.as(user).post(`/api/v1/simulator/phones/${phone}/answer`, { text, to });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body.id as string;
  };
  /** Sends a two-way SMS and returns the number that it came from. */
  const ask = async (user: User, message: string, more = {}) => {
    const sent = await app.as(user).post(sendPath, { to: [phone], message, twoway: true, ...more });
    expect(sent.status).toBe(200);
    const { messages } = (await app.as(user).get(`/api/v1/simulator/phones/${phone}`)).body;
    return messages[0].from as string;
  };
  const audit = async () =>
    (await app.as(alice).get('/api/v1/audit', { limit: 200 })).body.entries as {
      act: string;
      object: string;
    }[];

  test('[PORT-4] [INC-2] A conversation begins with the first answer, and shows both sides in order', async () => {
    const number = await ask(bob, 'Can you come at nine?');
    expect(await list(bob)).toEqual([]);
    await write('Yes', number);
    const [conversation] = await list(bob);
    expect(conversation).toMatchObject({
      number,
      phone,
      name: '',
      username: 'bob',
      unread: 1,
      archived: false,
      lastText: 'Yes',
      isOurs: false,
    });
    await write('Or at ten?', number);
    const shown = await show(bob, conversation.id);
    expect(textsOf(shown)).toEqual(['> Or at ten?', '> Yes', '< Can you come at nine?']);
    expect(shown).toMatchObject({ unread: 2, version: '2' });
    expect(shown).not.toHaveProperty('noReply');
    const texts = shown.messages.map(({ message }: { message: string }) => message);
    expect(await paged(bob, `/api/v1/conversations/${conversation.id}`, 'messages', 'message')).toEqual(
      texts,
    );
    // The simulated phone shows the same.
    const phones = '/api/v1/simulator/phones';
    expect(await paged(bob, `${phones}/${phone}`, 'messages', 'message')).toEqual(texts);
    await app.as(bob).post(sendPath, { to: [recipient(nextPhone++)], message: 'Another' });
    const all = (await app.as(bob).get(phones)).body.phones.map(({ number }: { number: string }) => number);
    expect(all.length).toBeGreaterThan(1);
    expect(await paged(bob, phones, 'phones', 'number')).toEqual(all);
  });

  test('[PORT-4] Conversations are found by a word of the name that the caller’s address book has for the number', async () => {
    await write('Here I am', rented);
    const by = async (user: User, search: string) => (await list(user, { search })).length;
    expect(await by(alice, 'åkesson')).toBe(0);
    await app.as(alice).post('/api/v1/addressbooks/1/contacts', { name: 'Åsa Åkesson', phone });
    await app.as(alice).post('/api/v1/addressbooks/1/contacts', { name: 'Åke', phone: recipient(999) });
    expect(await by(alice, 'akess')).toBe(1);
    expect(await by(alice, 'Åsa Å')).toBe(1);
    expect(await by(alice, 'åke')).toBe(1);
    expect(await by(alice, 'nobody')).toBe(0);
    // A user who may not read the address book finds nobody by name.
    expect(await by(bob, 'åkesson')).toBe(0);
    const { status, body } = await app.as(alice).get('/api/v1/conversations', { search: '?!' });
    expect([status, body.code]).toEqual([400, 'invalid_value']);
  });

  test('[PORT-4] A conversation can be read and archived, whatever programs have read, and a new SMS brings it back', async () => {
    await write('Hello', rented);
    const [{ id, version }] = await list(bob, { unread: true });
    expect((await act(bob, id, 'read', {}, ifMatch(version))).body).toMatchObject({
      unread: 0,
      version: String(Number(version) + 1),
    });
    expect(await list(bob, { unread: true })).toEqual([]);
    const unread = (await app.as(bob).post(incomingPath, { markasread: true })).body.incoming;
    expect(unread.map(({ message }: { message: string }) => message)).toContain('Hello');
    const late = await act(bob, id, 'archive', {}, ifMatch(version));
    expect([late.status, late.body.code]).toEqual([412, 'changed_meanwhile']);
    expect((await act(bob, id, 'archive')).body).toMatchObject({ archived: true });
    expect([await list(bob), (await list(bob, { archived: true })).length]).toEqual([[], 1]);
    expect((await act(bob, id, 'unarchive')).body).toMatchObject({ archived: false });
    await act(bob, id, 'archive');
    await write('Are you there?', rented);
    expect(await list(bob)).toMatchObject([{ id, archived: false, unread: 1, lastText: 'Are you there?' }]);
    const acts = (await audit()).filter(({ object, act: name }) => object === id && name.startsWith('conv'));
    expect(acts.map(({ act: name }) => name)).toEqual([
      ...['conversation.archive', 'conversation.unarchive', 'conversation.archive'],
    ]);
  });

  test('[PORT-4] [PORT-7] Conversations can be assigned only to users who may see them, and are found by assignee', async () => {
    await write('Who takes care of this?', rented);
    const [{ id, version }] = await list(bob, { assigned: 'nobody' });
    const [other] = await list(bob);
    expect(other).not.toHaveProperty('assignee');
    const colleagues = async (page: Readonly<Record<string, string>>) =>
      (await app.as(bob).get(`/api/v1/conversations/${id}/colleagues`, page)).body;
    const first = await colleagues({ limit: '1' });
    expect(first).toEqual({ colleagues: [{ username: 'alice' }], next: expect.any(String) });
    expect(await colleagues({ after: first.next })).toEqual({ colleagues: [{ username: 'bob' }] });
    const assigned = await act(bob, id, 'assign', { user: 'alice' }, ifMatch(version));
    const next = String(Number(version) + 1);
    expect(assigned.body).toMatchObject({ assignee: 'alice', username: 'bob', version: next });
    expect(assigned.headers.get('etag')).toBe(`"${next}"`);
    const late = await act(bob, id, 'assign', { user: 'bob' }, ifMatch(version));
    expect([late.status, late.body.code]).toEqual([412, 'changed_meanwhile']);
    for (const search of [phone, ''])
      expect((await list(alice, { assigned: 'me', search })).map((one: { id: string }) => one.id)).toEqual([
        id,
      ]);
    expect([
      await list(alice, { assigned: 'me', unread: true }),
      await list(bob, { assigned: 'me' }),
    ]).toMatchObject([[{ id, assignee: 'alice' }], []]);
    expect(await list(bob, { assigned: 'nobody' })).toEqual([]);
    for (const user of ['carol', 'nobody at all']) {
      const refused = await act(bob, id, 'assign', { user });
      expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
    }
    await act(alice, id, 'archive');
    expect(await list(alice, { assigned: 'me', search: '' })).toEqual([]);
    await write('Thank you', rented);
    expect(await list(alice, { assigned: 'me' })).toMatchObject([{ id, unread: 1 }]);
    expect((await act(alice, id, 'assign')).body).not.toHaveProperty('assignee');
    const acts = (await audit()).filter(({ object, act: name }) => object === id && name.endsWith('.assign'));
    expect(acts).toMatchObject([
      { details: 'to nobody', username: 'alice' },
      { details: 'to alice', username: 'bob' },
    ]);
  });

  test('[INC-2] [SEND-20] A conversation is answered from its own number, once per idempotency key, and later answers continue it', async () => {
    for (const number of [rented, await ask(bob, 'Can you come?', { conversation: 'shift 7' })]) {
      await write('When?', number);
      const [{ id }] = (await list(bob)).filter((one: { number: string }) => one.number === number);
      const headers = { 'Idempotency-Key': `reply ${id}` };
      const reply = await act(bob, id, 'reply', { message: 'At nine' }, headers);
      expect([reply.status, reply.body]).toEqual([200, { to: phone, id: expect.any(String), parts: '1' }]);
      expect((await act(bob, id, 'reply', { message: 'At nine' }, headers)).body).toEqual(reply.body);
      const last = await write('Fine', number);
      const [incoming] = (await app.as(bob).post(incomingPath, { id: [last] })).body.incoming;
      expect(incoming.conversation).toBe(number === rented ? '' : 'shift 7');
      const shown = await show(bob, id);
      expect(textsOf(shown).slice(0, 3)).toEqual(['> Fine', '< At nine', '> When?']);
      expect(shown.messages[1]).toMatchObject({ id: reply.body.id, parts: 1, status: expect.any(String) });
      expect(shown.messages[1]).toHaveProperty('simulated', true);
      expect(shown.messages[2]).not.toHaveProperty('simulated');
      const got = (await app.as(bob).get(`/api/v1/messages/${reply.body.id}`)).body;
      expect(got).toMatchObject({ from: number, to: phone, username: 'bob' });
    }
  });

  test('[PORT-3] [PORT-7] An administrator can answer a user’s conversation, and the audit log records that they viewed it', async () => {
    await write('Is anybody there?', rented);
    const [conversation] = await list(alice);
    expect(conversation).toMatchObject({ username: 'bob' });
    expect(conversation).not.toHaveProperty('lastText');
    expect(await list(alice, { mine: true })).toEqual([]);
    const { id } = conversation;
    for (let times = 1; times <= 3; times += 1)
      expect(textsOf(await show(alice, id))).toEqual(['> Is anybody there?']);
    const reply = await act(alice, id, 'reply', { message: 'Yes, I am' });
    expect(textsOf(await show(bob, id))).toEqual(['< Yes, I am', '> Is anybody there?']);
    expect((await app.as(bob).get(`/api/v1/messages/${reply.body.id}`)).body).toMatchObject({
      username: 'bob',
    });
    const acts = (await audit()).filter(({ object, act: name }) => object === id && name.startsWith('conv'));
    expect(acts).toMatchObject([
      { act: 'conversation.reply', details: `for bob, as ${reply.body.id}`, username: 'alice' },
      { act: 'conversation.look', details: 'of bob', username: 'alice' },
    ]);
  });

  test('[INC-2] [SEND-20] A conversation is over once its number has gone to another conversation with the same phone', async () => {
    const numbers = [await ask(bob, 'One?')];
    await write('Yes', numbers[0] as string);
    const [{ id }] = await list(bob);
    const headers = { 'Idempotency-Key': `again ${id}` };
    const first = await act(bob, id, 'reply', { message: 'In time' }, headers);
    expect(first.status).toBe(200);
    while (numbers.length < 4) numbers.push(await ask(alice, 'Another?'));
    expect(numbers.slice(1)).toContain(numbers[0]);
    const reply = await act(bob, id, 'reply', { message: 'Too late' });
    expect([reply.status, reply.body.code]).toEqual([409, 'conversation_over']);
    // The response was lost, but the reply was sent and must not be sent again.
    for (const user of [bob, alice]) {
      const again = await act(user, id, 'reply', { message: 'In time' }, headers);
      expect([again.status, again.body]).toEqual([200, first.body]);
    }
    const other = await act(bob, id, 'reply', { message: 'Another' }, headers);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
    expect((await show(bob, id)).noReply).toContain('now belongs to another conversation');
  });

  test('[INC-2] [PORT-7] No simulated phone answers a message that was handed to a real carrier, and each simulated answer is audited', async () => {
    await write('Hello', rented);
    const details = `from ${phone} to ${rented}`;
    expect((await audit())[0]).toMatchObject({ act: 'simulator.answer', username: 'bob', details });
    const real = '46751240009';
    const sent = await app.as(bob).post(sendPath, { to: [real], message: 'Can you come?', twoway: true });
    expect(sent.status).toBe(200);
    for (const to of ['46731239001', '46731239002']) {
      const answer = await app.as(bob).post(`/api/v1/simulator/phones/${real}/answer`, { text: 'YES', to });
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
  });

  test('[INC-3] [PORT-4] Administrators see the numbers of their company, and can assign an unrouted SMS to a user', async () => {
    const { numbers } = (await app.as(alice).get('/api/v1/numbers')).body;
    expect(numbers).toMatchObject([
      { number: rented, use: 'rented', username: 'bob', shared: false, conversations: 0 },
      { number: '46731239001', use: 'pool', shared: true, conversations: expect.any(Number) },
      { number: '46731239002', use: 'pool', shared: false },
    ]);
    const stranger = { text: 'Who is this?', to: '46731239002' };
    const refused = await app.as(bob).post(`/api/v1/simulator/phones/${phone}/answer`, stranger);
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
    const incoming = { from: phone, ...stranger };
    await simulateIncoming(app, incoming);
    const [sms] = (await app.as(alice).get('/api/v1/unrouted')).body.unrouted;
    expect(sms).toMatchObject({ from: phone, to: '46731239002', message: 'Who is this?' });
    const assign = (user: string) => app.as(alice).post(`/api/v1/unrouted/${sms.id}/assign`, { user });
    expect((await assign('nobody at all')).status).toBe(404);
    expect((await assign('bob')).body).toEqual({ id: sms.id, username: 'bob' });
    expect((await assign('bob')).status).toBe(404);
    expect(await list(bob)).toMatchObject([{ number: '46731239002', unread: 1, lastText: 'Who is this?' }]);
    const byId = (await app.as(bob).post(incomingPath, { id: [sms.id] })).body.incoming;
    expect(byId).toMatchObject([{ id: sms.id, from: phone, message: 'Who is this?' }]);
  });

  test('[INC-3] [PORT-4] [CONV-12] An SMS to a number stays with the company that had the number, even after the number moves to another company', async () => {
    const dora = { username: 'dora', password: "dora's long password" };
    const other = `  - name: Other
    users:
      - { username: dora, password: "${dora.password}", roles: [send, companyAdmin] }
`;
    const come = (text: string) => simulateIncoming(app, { from: phone, to: '46731239002', text });
    const unrouted = async (user: User) =>
      (
        (await app.as(user).get('/api/v1/unrouted', { limit: 200 })).body.unrouted as {
          id: string;
          message: string;
        }[]
      ).filter(({ message }) => message.endsWith('the move'));
    await come('before the move');
    const moved = provisioning
      .replace('carriers:', `${other}carriers:`)
      .replace('pool: true, company: Nordic Care', 'pool: true, company: Other');
    expect((await app.apply(moved)).exitCode).toBe(0);
    await come('after the move');
    const [before, ...more] = await unrouted(alice);
    expect([before?.message, more]).toEqual(['before the move', []]);
    expect((await unrouted(dora)).map(({ message }) => message)).toEqual(['after the move']);
    const theirs = await app.as(dora).post(`/api/v1/unrouted/${before?.id}/assign`, { user: 'dora' });
    expect(theirs.status).toBe(404);
    const removed = provisioning.replace('carriers:', '  - { name: Other, remove: true }\ncarriers:');
    expect((await app.apply(removed)).exitCode).toBe(0);
    // The other company is gone, but its incoming SMS don't pass to the remaining company.
    expect((await unrouted(alice)).map(({ message }) => message)).toEqual(['before the move']);
  });
});
