/** Tests SMS that phones send to rented numbers; the simulator carrier plays the phones. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';
import { incomingPath, simulateIncoming, singleIncomingPath } from '../harness/messaging.ts';

const [number, ofBob, ofNobody, shortCode] = ['46731230001', '46731230002', '46731230009', '71456'];
const provisioning = `${standardProvisioning}
  - { number: "${ofBob}", rentedBy: bob }
  - { number: "${shortCode}", rentedBy: alice }
  - { number: "${ofNobody}" }
`;

interface IncomingItem {
  readonly id: string;
  readonly message: string;
  readonly time: string;
}

const idsOf = (items: readonly IncomingItem[]) => items.map(({ id }) => id);

eachEngine('/incoming', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  /** Makes a phone send an SMS and returns its id. */
  const arrive = (text: string, to = number, from = '46701740605'): Promise<string> =>
    simulateIncoming(app, { to, from, text });
  async function arriveAll(...texts: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const text of texts) ids.push(await arrive(text));
    return ids;
  }
  const unread = async (user = alice) =>
    (await app.as(user).post(incomingPath, { maxnum: 10_000 })).body.incoming as readonly IncomingItem[];

  test('[INC-1] [INC-2] An incoming SMS reaches the user who rents its number, with the documented fields and types', async () => {
    const before = Date.now();
    const text = 'Hej på dig! € 😀\nrad 2';
    const result = await app.run(
      'simulate',
      'incoming',
      '--to',
      `+${number}`,
      '--from',
      '+46 70-174 06 05',
      '--text',
      text,
    );
    expect(result, result.stderr).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('is stored'),
    });
    const { status, body } = await app.as(alice).post(incomingPath, { markasread: false });
    const record = {
      from: '46701740605',
      to: number,
      id: expect.stringMatching(/^[1-9][0-9]*$/),
      message: text,
      conversation: '',
      resptoid: '',
      origmess: '',
      time: expect.stringMatching(/^[0-9]{13}$/),
    };
    expect({ status, body }).toEqual({ status: 200, body: { incoming: [record], notfound: [] } });
    expect(result.stdout).toContain(body.incoming[0].id);
    expect(Number(body.incoming[0].time)).toBeGreaterThanOrEqual(before);
    expect(Number(body.incoming[0].time)).toBeLessThanOrEqual(Date.now());
    expect((await app.as(alice).get(incomingPath, 'R=NO')).body).toEqual(body);
    expect((await app.as(alice).get(incomingPath, 'G=T&R=F')).body).toEqual(body);
    expect((await app.as(bob).get(incomingPath)).body).toEqual({ incoming: [], notfound: [] });
    await unread();
  });

  test('[INC-1] With several concurrent readers, each incoming SMS reaches at least one', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, (_, index) => arrive(`${index}`)));
    const calls = Array.from({ length: 10 }, (_, index) =>
      app.as(alice).post(incomingPath, { maxnum: 8, latest: index % 2 === 0 }),
    );
    const read = (await Promise.all(calls)).flatMap(({ body }) => body.incoming as IncomingItem[]);
    read.push(...(await unread()));
    expect(new Set(idsOf(read))).toEqual(new Set(ids));
  });

  test('[INC-1] An incoming SMS survives a crash of the server', async () => {
    const id = await arrive('before the crash');
    await app.kill();
    await app.restart();
    expect(idsOf(await unread())).toEqual([id]);
  });

  // The store's own tests cover, on both engines, everything that the tests below use of the store.
  if (engine === 'postgres') return;

  test('[INC-1] Short codes can be rented too, and an incoming SMS may come from a name', async () => {
    await arrive('KEYWORD', shortCode);
    await arrive('Your code', number, 'My-Bank Ltd.');
    expect(await unread()).toMatchObject([
      { to: shortCode, message: 'KEYWORD' },
      { to: number, from: 'My-Bank Ltd.', message: 'Your code' },
    ]);
  });

  test('[INC-1] Incoming SMS come earliest first, and latest gives the newest, also in the order of time', async () => {
    const ids = await arriveAll('1', '2', '3', '4', '5', '6');
    const keep = { markasread: false, maxnum: 2 };
    const read = async (parameters: object) =>
      (await app.as(alice).post(incomingPath, parameters)).body.incoming as IncomingItem[];
    expect(idsOf(await read(keep))).toEqual(ids.slice(0, 2));
    expect(idsOf(await read({ ...keep, latest: true }))).toEqual(ids.slice(4));
    expect(idsOf((await app.as(alice).get(incomingPath, 'L=T&N=3')).body.incoming)).toEqual(ids.slice(3));
    expect(idsOf(await read({ maxnum: '2' }))).toEqual(ids.slice(0, 2));
    const all = await read({ latest: true });
    expect(idsOf(all)).toEqual(ids.slice(2, 3));
    expect(await unread()).toEqual([]);
  });

  test('[INC-1] /incoming returns 100 SMS unless maxnum says otherwise', async () => {
    const ids = await Promise.all(Array.from({ length: 105 }, (_, index) => arrive(`${index}`)));
    expect((await app.as(alice).post(incomingPath, '')).body.incoming).toHaveLength(100);
    const rest = (await app.as(alice).get(incomingPath)).body.incoming as IncomingItem[];
    expect(rest).toHaveLength(5);
    expect(new Set(ids).size).toBe(105);
    for (const maxnum of [0, -1, 'all']) {
      expect(await app.as(alice).post(incomingPath, { maxnum })).toMatchObject({ status: 400 });
    }
    expect(await app.as(alice).post(incomingPath, { maxnum: 10_001 })).toMatchObject({ status: 200 });
  });

  test('[INC-1] /incoming by id returns each SMS once, in the order of the ids, whether read or not', async () => {
    const [a = '', b = '', c = ''] = await arriveAll('a', 'b', 'c');
    await unread();
    for (const answer of [
      await app.as(alice).post(incomingPath, { id: [c, a, b, a] }),
      await app.as(alice).get(incomingPath, `I=${c},${a}&I=${b}`),
      await app.as(alice).get(incomingPath, `I=${c}%2C${a}%2C${b}&N=1`),
    ]) {
      expect(idsOf(answer.body.incoming)).toEqual([c, a, b]);
      expect(answer.body.notfound).toEqual([]);
    }
  });

  test('[INC-1] /incoming lists unknown and malformed ids, and ids of others, in notfound', async () => {
    const own = await arrive('own');
    const another = await arrive('another');
    const foreign = await arrive('foreign', ofBob);
    const garbage = [foreign, '1', '99999999999999999999', `0${another}`, '-1', 'abc', ''];
    const { status, body } = await app.as(alice).post(incomingPath, { id: [own, ...garbage] });
    expect(status).toBe(200);
    expect(idsOf(body.incoming)).toEqual([own]);
    expect(body.notfound).toEqual(garbage);
    expect(idsOf(await unread())).toEqual([another]);
    expect(idsOf(await unread(bob))).toEqual([foreign]);
  });

  test('[CONV-6] /incoming with an empty list of ids returns nothing and marks nothing as read', async () => {
    const [id] = await arriveAll('unread');
    const nothing = { incoming: [], notfound: [] };
    expect((await app.as(alice).post(incomingPath, { id: [] })).body).toEqual(nothing);
    expect((await app.as(alice).get(incomingPath, 'I=,')).body).toEqual(nothing);
    expect(idsOf((await app.as(alice).get(incomingPath, 'I=')).body.incoming)).toEqual([id]);
    expect(await unread()).toEqual([]);
  });

  test('[INC-1] The markasread parameter decides whether an incoming SMS is returned again, by id too', async () => {
    const [a = '', b = '', c = ''] = await arriveAll('a', 'b', 'c');
    await app.as(alice).post(incomingPath, { markasread: false });
    await app.as(alice).post(incomingPath, { id: [a], markasread: false });
    await app.as(alice).post(incomingPath, { id: [b] });
    expect(idsOf(await unread())).toEqual([a, c]);
  });

  test('[INC-1] /incoming/single gives the earliest unread SMS, or the latest if asked, and 404 when there is none', async () => {
    const [a, b, c] = await arriveAll('a', 'b', 'c');
    const single = async (body: object | string = '') => await app.as(alice).post(singleIncomingPath, body);
    expect((await single({ markasread: false })).body).toMatchObject({ id: a, message: 'a', origmess: '' });
    expect((await single({ latest: true })).body).toMatchObject({ id: c });
    expect((await single('{}')).body).toMatchObject({ id: a });
    expect((await single({ getoriginal: true })).body).toMatchObject({ id: b });
    expect(await single()).toMatchObject({ status: 404, body: { result: 'ERROR', code: 'not_found' } });
    expect((await app.as(alice).get(singleIncomingPath)).status).toBe(405);
  });

  test('[INC-1] /incoming/single with an id gives that SMS, or 404', async () => {
    const id = await arrive('a');
    const foreign = await arrive('b', ofBob);
    for (const markasread of [false, true, true]) {
      const answer = await app.as(alice).post(singleIncomingPath, { id, markasread });
      expect(answer).toMatchObject({ status: 200, body: { id, message: 'a', to: number } });
    }
    expect(await unread()).toEqual([]);
    for (const unknown of [foreign, '1', 'abc', '99999999999999999999', `0${id}`]) {
      const answer = await app.as(alice).post(singleIncomingPath, { id: unknown });
      expect(answer, unknown).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    await unread(bob);
  });

  test('[INC-3] An SMS to a number that no user has is kept for the operator, and shown to no user', async () => {
    const toUnrented = await arrive('Is anybody there?', ofNobody);
    const toUnknown = await arrive('Hello?', '46739999999');
    const result = await app.run('unrouted');
    expect(result).toMatchObject({ exitCode: 0 });
    for (const shown of [toUnrented, toUnknown, 'Is anybody there?', '46739999999']) {
      expect(result.stdout).toContain(shown);
    }
    for (const user of [alice, bob]) {
      expect(await unread(user)).toEqual([]);
      const answer = await app.as(user).post(incomingPath, { id: [toUnrented, toUnknown] });
      expect(answer.body).toEqual({ incoming: [], notfound: [toUnrented, toUnknown] });
    }
  });
});
