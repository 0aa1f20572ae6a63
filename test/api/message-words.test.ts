/** Tests finding messages by the names of people, by words of one's own texts, and by what a person types. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';
import { sendOne } from '../harness/messaging.ts';

type User = typeof admin;
const user = (username: string) => ({ username, password: `${username}'s long password` });
const admin = user('admin');
const sender = user('sender');
const rival = user('rival');
const namesakes = Array.from(
  { length: 51 },
  (_, at) => `{ id: ${at + 10}, name: Berg ${at}, phone: "46701741${String(at).padStart(3, '0')}" }`,
);
const account = ({ username, password }: User, rest: string) =>
  `{ username: ${username}, password: "${password}", ${rest} }`;
const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    countryCode: "46"
    addressBooks:
      - { id: 11, name: Staff, contacts: [${namesakes.join(', ')}, { id: 1, name: Åsa Öberg, phone: "46701740601" }, { id: 2, name: Rosa Cruz, phone: "525512345678" }] }
      - { id: 12, name: Board, contacts: [{ id: 1, name: Bo Öberg, phone: "46701740602" }, { id: 2, name: Rosa Cruz, phone: "5215512345678" }] }
      - { id: 13, name: Unread, contacts: [{ id: 1, name: Cilla Öberg, phone: "46701740603" }] }
    users:
      - ${account(admin, 'roles: [send, companyAdmin]')}
      - ${account(sender, 'roles: [send], addressBooks: [Staff, Board], defaultAddressBook: Staff')}
  - name: Rivals
    users: [${account(rival, 'roles: [send, companyAdmin]')}]
carriers: [{ name: sim, type: simulator }]
routes: [{ name: all, prefix: "", carriers: [sim] }]
`;

eachEngine('finding messages by what people know of them', (engine) => {
  let app: WholeApp;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
    const send = async (by: User, name: string, to: string, message: string, more: object = {}) => {
      ids[name] = await sendOne(app.as(by), { to: [to], message, ...more });
    };
    await send(sender, 'asa', '46701740601', 'Träffa läkaren på torsdag');
    await send(sender, 'bo', '46701740602', 'The board meets at 8', { from: 'Board' });
    await send(sender, 'cilla', '46701740603', 'Läkarens tid är avbokad');
    await send(sender, 'namesake', '46701741007', 'Hello');
    await send(admin, 'admin', '46701740601', 'Läkare sökes');
  });
  afterAll(() => app?.close());

  const find = async (by: User, query: Record<string, string>) => {
    const { messages, searched } = (await app.as(by).get('/api/v1/messages', query)).body;
    const names = Object.keys(ids);
    return {
      found: messages.map(({ id }: { id: string }) => names.find((name) => ids[name] === id)),
      searched,
    };
  };
  const statusOf = async (by: User, query: Record<string, string>) => {
    const { status, body } = await app.as(by).get('/api/v1/messages', query);
    return [status, body.code];
  };

  test('[PORT-4] A name finds messages to the people of the books that one may read, of the messages that one may see', async () => {
    expect(await find(sender, { name: 'oberg' })).toEqual({
      found: ['bo', 'asa'],
      searched: { as: 'name', value: 'oberg', numbers: 2 },
    });
    expect((await find(sender, { name: 'Åsa' })).found).toEqual(['asa']);
    expect(await find(sender, { name: 'Cilla' })).toEqual({
      found: [],
      searched: { as: 'name', value: 'Cilla', numbers: 0 },
    });
    expect((await find(admin, { name: 'oberg' })).found).toEqual([]);
    expect((await find(rival, { name: 'oberg' })).found).toEqual([]);
    expect((await find(sender, { name: 'oberg', to: '0701740602' })).found).toEqual(['bo']);
  });

  test('[PORT-4] A message is found once, even if two books have the number in two forms', async () => {
    ids.rosa = await sendOne(app.as(sender), { to: ['525512345678'], message: 'Hola' });
    expect(await find(sender, { name: 'rosa' })).toEqual({
      found: ['rosa'],
      searched: { as: 'name', value: 'rosa', numbers: 2 },
    });
  });

  test('[PORT-4] If more than 50 people share a name, the answer says that some of them are left out', async () => {
    expect(await find(sender, { name: 'berg' })).toEqual({
      found: ['namesake'],
      searched: { as: 'name', value: 'berg', numbers: 50, more: true },
    });
  });

  test('[PORT-4] [PORT-7] Words find only the texts that the caller has sent, whatever the capitals and accents', async () => {
    expect(await find(sender, { words: 'LAKAREN' })).toEqual({
      found: ['cilla', 'asa'],
      searched: { as: 'words', value: 'LAKAREN' },
    });
    expect((await find(sender, { words: 'torsdag läk' })).found).toEqual(['asa']);
    expect((await find(admin, { words: 'läkare' })).found).toEqual(['admin']);
    expect((await find(rival, { words: 'läkare' })).found).toEqual([]);
    expect((await find(sender, { words: 'läkare', name: 'Åsa' })).found).toEqual(['asa']);
    for (const words of ['%', ' ? ', 'kare']) expect((await find(sender, { words })).found).toEqual([]);
    expect(await statusOf(admin, { words: 'läkare', username: 'sender' })).toEqual([400, 'invalid_value']);
    expect((await find(sender, { words: 'läkaren', username: 'sender' })).found).toEqual(['cilla', 'asa']);
  });

  test('[PORT-4] What is typed is taken for an id, a number, a sender, a name or words, and the answer says for what', async () => {
    const understood = async (q: string) => {
      const { found, searched } = await find(sender, { q });
      return [searched.as, searched.value, ...found];
    };
    expect(await understood(ids.bo as string)).toEqual(['id', ids.bo, 'bo']);
    expect(await understood('070-174 06 01')).toEqual(['number', '46701740601', 'asa']);
    expect(await understood('board')).toEqual(['from', 'Board', 'bo']);
    expect(await understood('öberg')).toEqual(['name', 'öberg', 'bo', 'asa']);
    expect(await understood('torsdag')).toEqual(['words', 'torsdag', 'asa']);
    expect(await understood('???')).toEqual(['words', '???']);
    expect(await statusOf(sender, { q: 'a', to: '46701740601' })).toEqual([400, 'invalid_value']);
    expect(await statusOf(sender, { q: 'x'.repeat(101) })).toEqual([400, 'invalid_value']);
    expect((await find(sender, { status: 'DELIVERED' })).searched).toBeUndefined();
  });

  test('[PORT-4] [PORT-7] The CSV file has what the words find, and the audit log says what was exported, without the words', async () => {
    const csv = await app.as(sender).get('/api/v1/messages.csv', { q: 'läkaren' });
    const lines = csv.text.trim().split(/\r?\n/).slice(1);
    expect(lines.map((line) => line.split(',')[1])).toEqual([ids.cilla, ids.asa]);
    const { entries } = (await app.as(admin).get('/api/v1/audit', { act: 'message.export' })).body;
    expect(entries).toMatchObject([{ username: 'sender', details: 'words=…' }]);
    await app.as(sender).get('/api/v1/messages.csv', { q: 'board' });
    await app.as(sender).get('/api/v1/messages.csv', { name: 'oberg', words: 'läkaren' });
    const { entries: later } = (await app.as(admin).get('/api/v1/audit', { act: 'message.export' })).body;
    expect(later.map(({ details }: { details: string }) => details)).toEqual([
      'words=…, name=oberg',
      'q=board',
      'words=…',
    ]);
  });
});
