/** Tests `/send/single`: one SMS, described by a flat object. Texts by holders are tested with the other substitutions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import {
  recipient,
  type StoredMessage,
  singlePath,
  statusesOf,
  storedMessages,
  whenAllAre,
} from '../harness/messaging.ts';

const to = recipient(1);
const provisioning = standardProvisioning.replace(
  `username: alice,`,
  `username: alice, replaceCharacters: true,`,
);

describe('/send/single', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const post = (body: object) => app.as(alice).post(singlePath, { to, message: 'Hello', ...body });
  async function stored(body: object): Promise<StoredMessage> {
    const answer = await post(body);
    expect(answer.status, answer.text).toBe(200);
    return (await storedMessages(app)).find(({ id }) => id === answer.body.id) as StoredMessage;
  }

  test('[SEND-18] [SEND-17] /send/single answers with recipient, id and parts, all of them strings', async () => {
    const { status, body } = await post({ to: `+${to}`, message: 'x'.repeat(161) });
    expect({ status, body }).toEqual({
      status: 200,
      body: { to, id: expect.stringMatching(/^[1-9][0-9]*$/), parts: '2' },
    });
    expect(await whenAllAre(app.as(alice), [body.id], 'DELIVERED')).toMatchObject([{ to }]);
  });

  test.each<[field: string, value: unknown, expected: Partial<StoredMessage>]>([
    ['from', 'Clinic', { sender: 'Clinic' }],
    ['conversation', 'case 7', { conversation: 'case 7' }],
    ['costcenter', 'Ward 12', { costCenter: 'Ward 12' }],
    ['flash', true, { flash: true }],
    ['twoway', false, { sender: 'NordicCare' }],
    ['templateid', '', { text: 'Hello' }],
    ['onlytemplateplaceholders', false, { text: 'Hello' }],
    ['checknumber', true, { recipient: to }],
    ['to', '+46 (73) 123-45.67', { recipient: '46731234567' }],
  ])('[SEND-18] The parameter %s of /send/single takes the value %j', async (field, value, expected) => {
    expect(await stored({ [field]: value })).toMatchObject(expected);
  });

  test('[SEND-18] /send/single treats defaultcountrycode, replacecharacters, validminutes and scheduletime as /send does', async () => {
    const local = await stored({ to: '073-123 45 67', defaultcountrycode: '46' });
    expect(local.recipient).toBe('46731234567');
    const pasted = await stored({ message: '“Hej”…', replacecharacters: true });
    expect(pasted.text).toBe('"Hej"...');
    const { createdAt, expiresAt } = await stored({ validminutes: '7' });
    expect(expiresAt - createdAt).toBe(7 * 60_000);
    const scheduletime = new Date(Date.now() + 3_600_000).toISOString();
    const later = await stored({ scheduletime });
    expect(await statusesOf(app.as(alice), [later.id])).toMatchObject([{ status: 'SCHEDULED' }]);
  });

  test('[SEND-18] In /send/single a holder without its text disappears, and a text without its holder does nothing', async () => {
    const message = 'ONE TWO THREE FOUR FIVE SIX';
    expect((await stored({ message, holder1: 'ONE ', subst2: 'x' })).text).toBe('TWO THREE FOUR FIVE SIX');
    const all = {
      holder1: 'ONE',
      subst1: '1',
      holder2: 'TWO',
      subst2: '2',
      holder3: 'THREE',
      subst3: '3',
      holder4: 'FOUR',
      subst4: '4',
      holder5: 'FIVE',
      subst5: '5',
      holder6: 'SIX',
      subst6: '6',
    };
    expect((await stored({ message, ...all })).text).toBe('1 2 3 4 5 SIX');
    const twice = { holder1: 'ONE', subst1: 'first', holder2: 'ONE', subst2: 'second' };
    expect((await stored({ message: 'ONE', ...twice })).text).toBe('first');
  });

  test.each<[what: string, body: object, code: string]>([
    ['a list of recipients', { to: [to] }, 'invalid_type'],
    ['no recipient', { to: '' }, 'missing_parameter'],
    ['no recipient at all', { to: null }, 'missing_parameter'],
    ['two numbers in one', { to: `${to},${to}` }, 'nothing_queued'],
    ['a recipient that is no number', { to: 'abc' }, 'nothing_queued'],
    ['a local number without a country code', { to: '0731234567' }, 'nothing_queued'],
    ['a number in no mobile series', { to: '4687501234', checknumber: true }, 'nothing_queued'],
    ['no text', { message: '' }, 'no_text'],
    ['a text that its holder empties', { holder1: 'Hello', subst1: '' }, 'nothing_queued'],
    ['a text of 256 parts', { message: 'x'.repeat(255 * 153 + 1) }, 'text_too_long'],
    ['a sender that is too long', { from: 'twelve chars' }, 'invalid_sender'],
    ['a time that is past', { scheduletime: '2020-01-01T00:00:00Z' }, 'invalid_time'],
    ['a validity of nothing', { validminutes: '0' }, 'invalid_value'],
    ['a template that is nowhere', { templateid: '12' }, 'unknown_template'],
    ['two-way without a pool', { twoway: true }, 'nothing_queued'],
  ])('[SEND-18] %s is refused, and nothing is sent', async (_, body, code) => {
    const before = (await storedMessages(app)).length;
    expect(await post(body)).toMatchObject({ status: 400, body: { result: 'ERROR', code } });
    expect((await storedMessages(app)).length).toBe(before);
  });

  test('[SEND-18] /send/single gives the reason why its recipient is rejected in the error itself', async () => {
    const { body } = await post({ to: '0731234567' });
    expect(body.error).toContain('begins with 0, but no default country code was given');
    expect(body.errors).toMatchObject([{ code: 'invalid_number' }]);
  });

  test('[SEND-18] /send/single takes only POST', async () => {
    const answer = await app.as(alice).get(singlePath, { to, message: 'Hello' });
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toBe('POST');
  });
});
