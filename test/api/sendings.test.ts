/** Tests sendings in the management API: what one call sent to several people, who answered, and acts on all of it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { eachEngine } from '../harness/engines.ts';
import { inAnHour, recipient, sendPath } from '../harness/messaging.ts';

const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    language: sv
    users:
      - { username: alice, password: "alice's long password", roles: [send, companyAdmin], defaultAddressBook: staff }
      - { username: bob, password: "bob's long password", roles: [send], defaultAddressBook: staff }
      - { username: carol, password: "carol's long password", roles: [send], defaultAddressBook: staff }
      - { username: dora, password: "dora's long password", roles: [send] }
    addressBooks:
      - { id: 1, name: staff }
    templates:
      - { id: 7, name: Extra shift, text: "Can you work at {Text:time}?" }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim], simulated: true }
numbers:
  - { number: "46731230001", rentedBy: bob }
  - { number: "46731239001", pool: true }
`;
const carol = { username: 'carol', password: "carol's long password" };
const dora = { username: 'dora', password: "dora's long password" };
const rented = '46731230001';
let nextPhone = 300;
const phones = (count: number) => Array.from({ length: count }, () => recipient(nextPhone++));

interface Person {
  readonly id: string;
  readonly to: string;
  readonly name?: string;
  readonly state: string;
  readonly meaning: string;
  readonly answers: number;
  readonly answer?: string;
}

eachEngine('sendings', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  type User = typeof alice;
  /** Returns the id of the sending, which is that of the first message. */
  const send = async (user: User, to: readonly string[], more: object = {}): Promise<string> => {
    const message = 'Can you take a shift tonight?';
    const sent = await app.as(user).post(sendPath, { to, message, ...more });
    expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('accepted')]);
    return sent.body.accepted[0].id;
  };
  const show = async (user: User, id: string) => (await app.as(user).get(`/api/v1/sendings/${id}`)).body;
  const people = async (
    user: User,
    id: string,
    query: Readonly<Record<string, string>> = {},
  ): Promise<readonly Person[]> =>
    (await app.as(user).get(`/api/v1/sendings/${id}/people`, query)).body.people;
  const act = (user: User, id: string, verb: string, body: object = {}) =>
    app.as(user).post(`/api/v1/sendings/${id}/${verb}`, body);
  const answer = async (phone: string, text: string, to: string) => {
    const answered = await app.as(bob).post(`/api/v1/simulator/phones/${phone}/answer`, { text, to });
    expect([answered.status, answered.text]).toEqual([200, expect.any(String)]);
  };
  const numberThatWroteTo = async (phone: string) =>
    (await app.as(bob).get(`/api/v1/simulator/phones/${phone}`)).body.messages[0].from as string;
  const audited = async (act: string, object: string) => {
    const { entries } = (await app.as(alice).get('/api/v1/audit', { limit: 200 })).body;
    return entries.filter((one: { act: string; object: string }) => one.act === act && one.object === object)
      .length as number;
  };

  test('[PORT-4] A call to several people is one sending, whose states add up; a call to one is none', async () => {
    const to = phones(3);
    const id = await send(bob, to, { message: 'Hello {name}\nand more', conversation: 'c' });
    const delivered = async () => (await show(bob, id)).totals.delivered === 3;
    await until(delivered);
    expect(await show(bob, id)).toMatchObject({
      id,
      title: 'Hello {name}',
      message: 'Hello {name}\nand more',
      username: 'bob',
      from: 'NordicCare',
      messages: 3,
      parts: 3,
      whom: { groups: [], filters: [], tags: '', numbers: 3 },
      totals: { scheduled: 0, underWay: 0, delivered: 3, failed: 0, canceled: 0, removed: 0 },
    });
    // Nobody can answer to a name.
    expect(await show(bob, id)).not.toHaveProperty('answers');
    expect((await people(bob, id)).map((one) => one.to)).toEqual(to);
    const [, second] = await people(bob, id);
    // Any of its SMS leads to it, as the SMS itself tells.
    expect((await show(bob, second?.id ?? '')).id).toBe(id);
    expect((await app.as(bob).get(`/api/v1/messages/${second?.id}`)).body.sendingId).toBe(id);
    const [single = ''] = phones(1);
    const alone = await send(bob, [single]);
    expect((await app.as(bob).get(`/api/v1/sendings/${alone}`)).status).toBe(404);
    expect((await app.as(bob).get(`/api/v1/messages/${alone}`)).body).not.toHaveProperty('sendingId');
  });

  test('[PORT-4] A call repeated under its key is one sending', async () => {
    const to = phones(2);
    const key = { 'Idempotency-Key': `sending-${engine}` };
    const body = { to, message: 'Once' };
    const [first, again] = [
      await app.as(bob).post(sendPath, body, key),
      await app.as(bob).post(sendPath, body, key),
    ];
    expect(again.body).toEqual(first.body);
    const { sendings } = (await app.as(bob).get('/api/v1/sendings')).body;
    expect(sendings.filter(({ title }: { title: string }) => title === 'Once')).toHaveLength(1);
  });

  test('[PORT-4] [JOB-10] Answers are counted by the latest clear one, as far as a reply in between goes', async () => {
    const [yes = '', no = '', other = '', changed = '', silent = ''] = phones(5);
    await app.as(alice).post('/api/v1/addressbooks/1/contacts', { name: 'Åsa Ek', phone: yes });
    const id = await send(bob, [yes, no, other, changed, silent], { twoway: true, conversation: 'portal-1' });
    const number = await numberThatWroteTo(yes);
    await answer(yes, 'Japp! Gärna', number);
    await answer(no, '👎', number);
    await answer(other, 'Vilken tid?', number);
    await answer(changed, 'Nej', number);
    await answer(changed, 'Jo, ja, det går', number);
    await answer(yes, 'tack', number);
    expect((await show(bob, id)).answers).toEqual({ yes: 2, no: 1, other: 1, silent: 1 });
    const answered = (await people(bob, id)).map(({ meaning, answers, answer }) => [
      meaning,
      answers,
      answer,
    ]);
    expect(answered).toEqual([
      ['yes', 2, 'tack'],
      ['no', 1, '👎'],
      ['other', 1, 'Vilken tid?'],
      ['yes', 2, 'Jo, ja, det går'],
      ['silent', 0, undefined],
    ]);
  });

  test('[PORT-4] People are listed by state and by meaning, page by page, with their names', async () => {
    const [first = '', second = '', third = ''] = phones(3);
    await app.as(alice).post('/api/v1/addressbooks/1/contacts', { name: 'Åsa Åkesson', phone: first });
    const id = await send(bob, [first, second, third], { twoway: true });
    const number = await numberThatWroteTo(first);
    await answer(second, 'Nej', number);
    const to = async (query: Readonly<Record<string, string>>) =>
      (await people(bob, id, query)).map((one) => one.to);
    expect(await to({ meaning: 'silent' })).toEqual([first, third]);
    expect(await to({ meaning: 'no' })).toEqual([second]);
    expect([await to({ meaning: 'yes' }), await to({ meaning: 'other' })]).toEqual([[], []]);
    await until(async () => (await to({ state: 'delivered' })).length === 3);
    expect(await to({ state: 'failed' })).toEqual([]);
    const page = (await app.as(bob).get(`/api/v1/sendings/${id}/people`, { limit: '2' })).body;
    expect(page.people.map(({ name }: Person) => name)).toEqual(['Åsa Åkesson', undefined]);
    const rest = await app.as(bob).get(`/api/v1/sendings/${id}/people`, { limit: '2', after: page.next });
    expect(rest.body).toMatchObject({ people: [{ to: third }] });
    expect(rest.body).not.toHaveProperty('next');
  });

  test('[PORT-4] Answers to a rented number, and after a reply in the conversation, belong to the latest sending', async () => {
    const [phone = '', another = ''] = phones(2);
    const before = await send(bob, [phone, another], { from: rented });
    const id = await send(bob, [phone, another], { from: rented });
    await answer(phone, 'Ja', rented);
    expect((await show(bob, id)).answers).toEqual({ yes: 1, no: 0, other: 0, silent: 1 });
    expect((await show(bob, before)).answers).toMatchObject({ silent: 2 });

    const [asked = '', beside = ''] = phones(2);
    const more = { twoway: true, conversation: 'portal-2' };
    const twoWay = await send(bob, [asked, beside], more);
    const number = await numberThatWroteTo(asked);
    await answer(asked, 'När?', number);
    const [{ id: conversation }] = (await app.as(bob).get('/api/v1/conversations', { search: asked })).body
      .conversations;
    const replied = await app.as(bob).post(`/api/v1/conversations/${conversation}/reply`, { message: '22' });
    expect(replied.status).toBe(200);
    await answer(asked, 'Ja', number);
    expect((await people(bob, twoWay))[0]).toMatchObject({ meaning: 'yes', answers: 2, answer: 'Ja' });
  });

  test('[PORT-4] [PORT-7] Users see their own sendings, administrators all, whose look at texts is recorded', async () => {
    const id = await send(bob, phones(2), { message: 'A secret text' });
    const listed = async (user: User) =>
      (await app.as(user).get('/api/v1/sendings', { limit: '1' })).body.sendings;
    expect(await listed(bob)).toMatchObject([{ id, title: 'A secret text' }]);
    const [seen] = await listed(alice);
    expect(seen).toMatchObject({ id, username: 'bob' });
    expect(seen).not.toHaveProperty('title');
    expect(await audited('sending.look', id)).toBe(0);
    expect(await show(alice, id)).toMatchObject({ title: 'A secret text' });
    await people(alice, id);
    expect(await audited('sending.look', id)).toBe(1);
    expect((await app.as(carol).get(`/api/v1/sendings/${id}`)).status).toBe(404);
    expect((await act(carol, id, 'cancel')).status).toBe(404);
    expect((await app.as(carol).get('/api/v1/sendings')).body.sendings).toEqual([]);
    // A template's name is no text of the user.
    await send(bob, phones(2), { message: undefined, templateid: '7' });
    expect(await listed(alice)).toMatchObject([{ title: 'Extra shift' }]);
  });

  test('[PORT-4] The list goes on behind a page, latest first', async () => {
    const ids = [await send(carol, phones(2)), await send(carol, phones(2)), await send(carol, phones(2))];
    const read: string[] = [];
    for (let after = {}; ; ) {
      const { body } = await app.as(carol).get('/api/v1/sendings', { limit: '1', ...after });
      read.push(...body.sendings.map((one: { id: string }) => one.id));
      if (body.next === undefined) break;
      after = { after: body.next };
    }
    expect(read).toEqual([...ids].reverse());
  });

  test('[PORT-4] All that waits of a sending is canceled once, and the quota comes back', async () => {
    const to = phones(3);
    const id = await send(bob, to, { scheduletime: inAnHour() });
    const [first] = await people(bob, id);
    await app.as(bob).post(`/api/v1/messages/${first?.id}/cancel`);
    const canceled = await act(bob, id, 'cancel');
    expect([canceled.status, canceled.body.totals]).toEqual([
      200,
      { scheduled: 0, underWay: 0, delivered: 0, failed: 0, canceled: 3, removed: 0 },
    ]);
    const again = await act(bob, id, 'cancel');
    expect([again.status, again.body.totals.canceled]).toEqual([200, 3]);
    expect(await audited('sending.cancel', id)).toBe(1);
    const listed = (await app.as(bob).get('/api/v1/scheduled')).body.scheduled;
    expect(listed.filter((one: { id: string }) => one.id === id)).toEqual([]);
  });

  test('[PORT-4] A sending gets another time as a whole, with what waits for answers, or stays as it is', async () => {
    const to = phones(2);
    const inTwo = new Date(Date.now() + 2 * 3_600_000).toISOString();
    const id = await send(bob, to, { twoway: true, scheduletime: inAnHour(), conversation: 'portal-3' });
    const moved = await act(alice, id, 'reschedule', { scheduleTime: inTwo });
    expect([moved.status, moved.body.scheduledFor]).toEqual([200, inTwo]);
    // The same again changes nothing.
    expect((await act(alice, id, 'reschedule', { scheduleTime: inTwo })).status).toBe(200);
    expect(await audited('sending.reschedule', id)).toBe(1);
    const { timeline } = (await app.as(bob).get(`/api/v1/messages/${id}`)).body;
    expect(timeline).toEqual(expect.arrayContaining([expect.objectContaining({ what: 'rescheduled' })]));
    expect((await act(bob, id, 'reschedule', { scheduleTime: 'soon' })).body).toMatchObject({
      errors: [{ field: 'scheduleTime' }],
    });
    await act(bob, id, 'cancel');
    const late = await act(bob, id, 'reschedule', { scheduleTime: inAnHour() });
    expect([late.status, late.body.code]).toEqual([409, 'too_late']);
    const gone = await send(bob, phones(2));
    expect((await act(bob, gone, 'reschedule', { scheduleTime: inAnHour() })).status).toBe(409);
  });

  test('[PORT-4] Scheduled items have a sending as one item, and what was moved out of it by itself', async () => {
    const [first = '', second = '', third = ''] = phones(3);
    await app.as(alice).post('/api/v1/addressbooks/1/contacts', { name: 'Bo Ek', phone: first });
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const id = await send(carol, [first, second, third], { scheduletime: at(50), message: 'Later' });
    const alone = await send(carol, [first], { scheduletime: at(60) });
    const [one] = await people(carol, id);
    await app.as(carol).patch(`/api/v1/scheduled/${one?.id}`, { scheduleTime: at(55) });
    const pages: { kind: string; id: string; messages?: number; title?: string; recipientName?: string }[] =
      [];
    for (let after = {}; ; ) {
      const { body } = await app
        .as(alice)
        .get('/api/v1/scheduled', { username: 'carol', limit: '1', ...after });
      pages.push(...body.scheduled);
      if (body.next === undefined) break;
      after = { after: body.next };
    }
    expect(pages).toMatchObject([
      { kind: 'sending', id, messages: 2, whom: { numbers: 3 } },
      { kind: 'message', id: one?.id },
      { kind: 'message', id: alone, recipientName: 'Bo Ek' },
    ]);
    expect(pages[0]).not.toHaveProperty('title');
    const own = (await app.as(carol).get('/api/v1/scheduled')).body.scheduled;
    expect(own[0]).toMatchObject({ title: 'Later' });
  });

  test('[PORT-4] [PORT-7] A person who is erased leaves a sending whose numbers still add up', async () => {
    const [gone = '', stays = ''] = phones(2);
    const id = await send(bob, [gone, stays], { twoway: true });
    const number = await numberThatWroteTo(gone);
    await answer(gone, 'Ja', number);
    expect((await show(bob, id)).answers).toMatchObject({ yes: 1, silent: 1 });
    const erased = await app.as(alice).post(`/api/v1/people/${gone}/erase`, {});
    expect(erased.status).toBeLessThan(300);
    await until(async () => (await show(bob, id)).totals.removed === 1);
    expect((await show(bob, id)).answers).toEqual({ yes: 0, no: 0, other: 0, silent: 1 });
    expect((await people(bob, id)).map(({ to }) => to)).toEqual([stays]);
  });

  test('[PORT-4] A removed user’s sendings stay with the company', async () => {
    const id = await send(dora, phones(2));
    const left = provisioning.replace(/- \{ username: dora.*/, '- { username: dora, remove: true }');
    expect((await app.apply(left)).stdout).toMatch(/dora/);
    expect((await show(alice, id)).messages).toBe(2);
  });
});
