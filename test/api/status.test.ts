/** Tests the statuses of sent SMS: the records, reading what is unread, reading by id, reading one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import {
  acceptedOf,
  inAnHour,
  incomingPath,
  readAllUnread,
  recipient,
  type StatusItem,
  sendOne,
  sendPath,
  singleStatusPath,
  statusesOf,
  statusPath,
  whenAllAre,
} from '../harness/messaging.ts';

const password = 'a password of all of them';
/** Unread items are kept per user, so every test has its own user. */
const users = Array.from({ length: 16 }, (_, index) => `user${index}`);
const provisioning = `
companies:
  - name: Clinic
    defaultSender: Clinic
    users:
${users.map((name) => `      - { username: ${name}, password: ${password}, roles: [send] }`).join('\n')}
  - name: Other
    defaultSender: Other
    users: [{ username: stranger, password: ${password}, roles: [send] }]
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
  - { name: slow receipts, type: simulator, submitDelayMs: 0, receiptDelayMs: 900 }
  - { name: slow, type: simulator, submitDelayMs: 60000 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
  - { name: "no", prefix: "47", carriers: [slow] }
  - { name: dk, prefix: "45", carriers: [slow receipts] }
`;

const idsOf = (items: readonly StatusItem[]) => items.map(({ id }) => id);

describe('/status', () => {
  let app: WholeApp;
  let next = 0;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const as = (username: string) => app.as({ username, password });
  function newUser() {
    const username = users[next++];
    if (username === undefined) throw new Error('more tests than users: provision another');
    return as(username);
  }
  type User = ReturnType<typeof newUser>;
  /** Returns the ids of this many messages, all of them delivered and unread. */
  async function delivered(user: User, count: number): Promise<readonly string[]> {
    const to = Array.from({ length: count }, (_, index) => recipient(index));
    const ids = acceptedOf(await user.post(sendPath, { to, message: 'Hello' })).map(({ id }) => id);
    await whenAllAre(user, ids, 'DELIVERED');
    return ids;
  }

  test('[STAT-1] [CONV-2] A status record has the documented fields and types, by GET and by POST', async () => {
    const user = newUser();
    const before = Date.now();
    const id = await sendOne(user, { conversation: 'ärende 7', from: 'Clinic' });
    await whenAllAre(user, [id], 'DELIVERED');
    const { status, body } = await user.post(statusPath, { markasread: false });
    const record = {
      to: recipient(0),
      from: 'Clinic',
      id,
      status: 'DELIVERED',
      statuscode: '2',
      conversation: 'ärende 7',
      time: expect.stringMatching(/^[0-9]{13}$/),
    };
    expect({ status, body }).toEqual({ status: 200, body: { statuses: [record], notfound: [] } });
    expect(Number(body.statuses[0].time)).toBeGreaterThanOrEqual(before);
    expect(Number(body.statuses[0].time)).toBeLessThanOrEqual(Date.now());
    expect((await user.get(statusPath, 'R=F')).body).toEqual(body);
    const conversationless = await sendOne(user);
    expect((await statusesOf(user, [conversationless]))[0]?.conversation).toBe('');
  });

  test('[STAT-1] A status is unread from the beginning of its message on, QUEUED or SCHEDULED', async () => {
    const user = newUser();
    const queued = await sendOne(user, { to: ['4791000000'] });
    const scheduled = await sendOne(user, { scheduletime: inAnHour() });
    expect(await readAllUnread(user)).toMatchObject([
      { id: queued, status: 'QUEUED', statuscode: '0' },
      { id: scheduled, status: 'SCHEDULED', statuscode: '14' },
    ]);
    expect(await readAllUnread(user)).toEqual([]);
  });

  test('[STAT-1] /status gives the oldest changes first, 100 unless maxnum says otherwise, each once', async () => {
    const user = newUser();
    const ids = await delivered(user, 150);
    const first = (await user.post(statusPath, { maxnum: '30' })).body.statuses as StatusItem[];
    const second = (await user.get(statusPath)).body.statuses as StatusItem[];
    const third = (await user.post(statusPath)).body.statuses as StatusItem[];
    expect([first.length, second.length, third.length]).toEqual([30, 100, 20]);
    const all = [...first, ...second, ...third];
    const times = all.map(({ time }) => Number(time));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(new Set(idsOf(all))).toEqual(new Set(ids));
    expect((await user.post(statusPath, {})).body).toEqual({ statuses: [], notfound: [] });
  });

  test('[STAT-1] A maxnum over 10000 counts as 10000, and a maxnum below 1 is refused', async () => {
    const user = newUser();
    await delivered(user, 2);
    for (const maxnum of ['10001', 99_999_999, '9'.repeat(30), 1e300]) {
      const answer = await user.post(statusPath, { maxnum, markasread: false });
      expect(answer.body.statuses).toHaveLength(2);
    }
    for (const maxnum of [0, '0', -1, '1.5', 'all', true]) {
      const answer = await user.post(statusPath, { maxnum });
      expect(answer, String(maxnum)).toMatchObject({ status: 400, body: { errors: [{ field: 'maxnum' }] } });
    }
    expect(await user.get(statusPath, 'N=0')).toMatchObject({ status: 400 });
    expect((await user.get(statusPath, 'N=1')).body.statuses).toHaveLength(1);
  });

  test('[STAT-1] [CONV-7] A status read with markasread false comes again, even if a URL uses that JSON name', async () => {
    const user = newUser();
    const ids = await delivered(user, 3);
    for (const words of ['R=F', 'R=FALSE', 'R=N', 'R=NO', 'R=no', 'markasread=false']) {
      const { statuses } = (await user.get(statusPath, words)).body;
      expect(new Set(idsOf(statuses)), words).toEqual(new Set(ids));
    }
    expect((await user.post(statusPath, { markasread: false })).body.statuses).toHaveLength(3);
    expect((await user.post(statusPath, { markasread: true })).body.statuses).toHaveLength(3);
    expect(await readAllUnread(user)).toEqual([]);
  });

  test('[STAT-2] /status by id returns each status once, in the order of the ids, whether read or not', async () => {
    const user = newUser();
    const [a = '', b = '', c = ''] = await delivered(user, 3);
    await readAllUnread(user);
    const order = [c, a, b];
    expect(idsOf((await user.post(statusPath, { id: [...order, a] })).body.statuses)).toEqual(order);
    expect(idsOf((await user.get(statusPath, `I=${order}`)).body.statuses)).toEqual(order);
    expect(idsOf((await user.get(statusPath, `I=${c}%2C+${a}&I=${b}`)).body.statuses)).toEqual(order);
    expect(idsOf((await user.post(statusPath, { id: order.map(Number) })).body.statuses)).toEqual(order);
  });

  test('[CONV-6] [CONV-12] /status with an empty list of ids returns and marks nothing, and refuses more than 10,000 ids', async () => {
    const user = newUser();
    const id = await sendOne(user);
    const nothing = { status: 200, body: { statuses: [], notfound: [] } };
    expect(await user.post(statusPath, { id: [] })).toMatchObject(nothing);
    expect(await user.get(statusPath, 'I=,')).toMatchObject(nothing);
    for (const refused of [
      await user.post(statusPath, { id: Array(10_001).fill(id) }),
      await user.get(statusPath, `I=${'1,'.repeat(10_001)}`),
    ]) {
      expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_value' } });
      expect(refused.body.error).toContain('at most 10000 items, but has 10001');
    }
    const none = Array.from({ length: 9_999 }, (_, index) => String(index + 1));
    const many = await user.post(statusPath, { id: [...none, id], markasread: false });
    expect(many.body).toMatchObject({ statuses: [{ id }], notfound: none });
    expect(idsOf((await user.get(statusPath, 'I=')).body.statuses)).toEqual([id]);
    expect((await user.get(statusPath)).body).toEqual(nothing.body);
  });

  test('[STAT-2] [INC-1] /status and /incoming ignore maxnum when ids are given, whatever its value', async () => {
    const user = newUser();
    const id = await delivered(user, 2);
    for (const maxnum of [1, 0, '0', -1, 'all', true, [], {}, 10_001]) {
      const answer = await user.post(statusPath, { id, maxnum, markasread: false });
      expect(idsOf(answer.body.statuses), JSON.stringify(maxnum)).toEqual(id);
      expect(await user.post(incomingPath, { id, maxnum })).toMatchObject({ body: { notfound: id } });
    }
    for (const maxnum of ['0', '-1', 'all', '%']) {
      const answer = await user.get(statusPath, `I=${id}&N=${maxnum}&R=F`);
      expect(idsOf(answer.body.statuses), maxnum).toEqual(id);
      expect(await user.get(incomingPath, `N=${maxnum}&I=${id}`)).toMatchObject({ body: { notfound: id } });
    }
    for (const ids of ['', null]) {
      expect(await user.post(statusPath, { id: ids, maxnum: 0 })).toMatchObject({ status: 400 });
    }
  });

  test('[STAT-2] /status lists unknown and malformed ids, and ids of others, in notfound, as they were given', async () => {
    const user = newUser();
    const [own = '', other = ''] = await delivered(user, 2);
    const foreign = await sendOne(as('user0'));
    const ofOtherCompany = await sendOne(as('stranger'));
    // A reader that marks skips a message while its next status is being written.
    await whenAllAre(as('stranger'), [ofOtherCompany], 'DELIVERED');
    const garbage = [foreign, ofOtherCompany, '1', '99999999999999999999', '9007199254740993', `0${other}`]
      .concat(['-1', '1e9', ` ${other}`, 'abc', "' OR 1=1", '', '😀', '１２３'])
      .concat([`${other}.0`]);
    const { status, body } = await user.post(statusPath, { id: [own, ...garbage] });
    expect(status).toBe(200);
    expect(idsOf(body.statuses)).toEqual([own]);
    expect(body.notfound).toEqual(garbage);
    // The lookup has marked neither the user's own messages nor another user's as read.
    expect(idsOf(await readAllUnread(user))).toEqual([other]);
    expect(idsOf(await readAllUnread(as('stranger')))).toEqual([ofOtherCompany]);
    const nothing = await user.get(statusPath, `I=${foreign},abc`);
    expect(nothing).toMatchObject({ status: 200, body: { statuses: [], notfound: [foreign, 'abc'] } });
  });

  test('[STAT-2] Reading by id marks a status as read, unless markasread is false', async () => {
    const user = newUser();
    const [a = '', b = ''] = await delivered(user, 2);
    await user.post(statusPath, { id: [a], markasread: false });
    await user.get(statusPath, `I=${b}`);
    expect(idsOf(await readAllUnread(user))).toEqual([a]);
  });

  test('[STAT-3] A change after reading makes the status unread again', async () => {
    const user = newUser();
    const id = await sendOne(user, { scheduletime: inAnHour() });
    expect(await readAllUnread(user)).toMatchObject([{ id, status: 'SCHEDULED' }]);
    expect(await readAllUnread(user)).toEqual([]);
    expect((await user.post(`/api/v1/messages/${id}/cancel`)).status).toBe(200);
    expect(await readAllUnread(user)).toMatchObject([{ id, status: 'CANCELED', statuscode: '15' }]);
    expect(await readAllUnread(user)).toEqual([]);
  });

  test('[STAT-3] A reader who keeps reading gets each change once', async () => {
    const user = newUser();
    const id = await sendOne(user, { to: ['4591000000'] });
    const read: StatusItem[] = [];
    await until(async () => {
      read.push(...(await readAllUnread(user)));
      return read.at(-1)?.status === 'DELIVERED';
    });
    const statuses = read.map(({ status }) => status);
    // Two changes between two reads are seen as one.
    expect(statuses).toEqual(['QUEUED', 'SENT', 'DELIVERED'].filter((name) => statuses.includes(name)));
    expect(new Set(idsOf(read))).toEqual(new Set([id]));
    expect(await readAllUnread(user)).toEqual([]);
  });

  test('[STAT-5] /status/single gives the oldest unread status, and 404 when there is none', async () => {
    const user = newUser();
    const ids = await delivered(user, 3);
    const order = idsOf((await user.post(statusPath, { markasread: false })).body.statuses);
    expect(new Set(order)).toEqual(new Set(ids));
    const kept = await user.post(singleStatusPath, { markasread: false });
    expect(kept.body.id).toBe(order[0]);
    for (const body of ['', '{}', { id: '' }]) {
      const answer = await user.post(singleStatusPath, body);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual((await statusesOf(user, [answer.body.id]))[0]);
      expect(answer.body.id).toBe(order.shift());
    }
    const none = await user.post(singleStatusPath, '');
    expect(none).toMatchObject({ status: 404, body: { result: 'ERROR', code: 'not_found' } });
  });

  test('[STAT-5] /status/single with an id gives that status, or 404', async () => {
    const user = newUser();
    const [id = '', other = ''] = await delivered(user, 2);
    const foreign = await sendOne(as('stranger'));
    const kept = await user.post(singleStatusPath, { id, markasread: false });
    expect(kept).toMatchObject({ status: 200, body: { id, status: 'DELIVERED', statuscode: '2' } });
    expect(await user.post(singleStatusPath, { id })).toMatchObject({ status: 200, body: { id } });
    expect(await user.post(singleStatusPath, { id })).toMatchObject({ status: 200, body: { id } });
    expect(idsOf(await readAllUnread(user))).toEqual([other]);
    for (const unknown of [foreign, '1', 'abc', '99999999999999999999', `0${id}`]) {
      expect(await user.post(singleStatusPath, { id: unknown }), unknown).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    }
    expect(await user.post(singleStatusPath, { id: [id] })).toMatchObject({ status: 400 });
    expect((await user.get(singleStatusPath)).status).toBe(405);
  });

  test('[STAT-6] [DLV-1] Every status that a carrier can report is given by name and code', async () => {
    const user = newUser();
    const names = ['DELIVERED', 'SENT', 'DELIVERED', 'DELETED', 'EXPIRED', 'REJECTED', 'UNDELIVERABLE']
      .concat(['ACCEPTED', 'ABSENTSUBSCRIBER', 'UNKNOWNSUBSCRIBER', 'INVALIDDESTINATION'])
      .concat(['SUBSCRIBERERROR', 'UNKNOWN', 'ERROR', 'DELIVERED']);
    const to = names.map((_, index) => `467310000${String(index).padStart(2, '0')}`);
    const ids = acceptedOf(await user.post(sendPath, { to, message: 'Hello' })).map(({ id }) => id);
    for (const [index, name] of names.entries()) {
      const [record] = await whenAllAre(user, [ids[index] as string], name);
      const code = index === 0 || index === 14 ? 2 : index;
      expect(record).toMatchObject({ to: to[index], status: name, statuscode: String(code) });
    }
  });
});
