import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { IncomingSms, Receipt, UnreadableReceipt } from '../carrier.ts';
import type { CallKind } from './call.ts';
import { isWithin, takeCall } from './callbacks.ts';
import { prepareExpressions } from './reading.ts';
import type { HttpDeclaration } from './settings.ts';

interface Stored {
  readonly receipts: Receipt[];
  readonly unreadable: UnreadableReceipt[];
  readonly incoming: IncomingSms[];
}

const declaration: Pick<HttpDeclaration, 'receipts' | 'incoming'> = {
  receipts: {
    each: '/results',
    only: { at: '/kind', is: ['report'] },
    id: '/id',
    state: '/status/name',
    states: { SENT: 'SENT', OK: 'DELIVERED', BAD: 'UNDELIVERABLE', GONE: 'UNKNOWN' },
    error: '/error/id',
    errors: { 1: 'ABSENTSUBSCRIBER' },
    recipient: '/to',
    answer: { status: 202, type: 'application/json', body: '{"ok":true}' },
  },
  incoming: {
    only: { at: '/type', is: ['text', 'unicode'] },
    id: '/messageId',
    from: '/msisdn',
    to: '/to',
    text: '/text',
    concatenation: { reference: '/concat-ref', part: '/concat-part', parts: '/concat-total' },
  },
};

async function take(kind: CallKind, { body = '', query = '' }: { body?: string; query?: string }) {
  const stored: Stored = { receipts: [], unreadable: [], incoming: [] };
  const call = {
    method: 'POST',
    url: `https://sms.example/${query}`,
    query: new URLSearchParams(query),
    body,
    contentType: 'application/json',
    header: () => undefined,
    address: '192.0.2.1',
  };
  const events = {
    async receipts(receipts: readonly Receipt[]) {
      stored.receipts.push(...receipts);
    },
    async unreadableReceipt(receipt: UnreadableReceipt) {
      stored.unreadable.push(receipt);
    },
    async incoming(sms: IncomingSms) {
      stored.incoming.push(sms);
      return { id: '1', routed: true };
    },
  };
  return { answer: await takeCall(declaration, kind, call, events, 0), stored };
}

const report = (id: unknown, name: string, more: object = {}) => ({
  kind: 'report',
  id,
  status: { name },
  ...more,
});

test('[HTTPC-3] Each receipt of a list is read: its id, status, reason and recipient; others are passed over', async () => {
  const body = JSON.stringify({
    results: [
      report('a', 'OK', { to: '+46701740605', error: { id: 0 } }),
      report(12, 'BAD', { to: 46_701_740_606, error: { id: 1 } }),
      report('c', 'BAD', { to: 'NordicCare', error: { id: 2 } }),
      report('d', 'GONE', { error: { id: 1 } }),
      report('e', 'SENT', { error: { id: 1 } }),
      { kind: 'click', id: 'f' },
    ],
  });
  const { answer, stored } = await take('receipts', { body });
  expect(answer).toEqual({
    kind: 'answer',
    status: 202,
    type: 'application/json',
    body: '{"ok":true}',
    unread: 0,
  });
  expect(stored.receipts).toMatchObject([
    { carrierMessageId: 'a', status: 2, errorCode: null, recipient: '46701740605', text: 'OK 0' },
    { carrierMessageId: '12', status: 8, errorCode: '1', recipient: '46701740606' },
    { carrierMessageId: 'c', status: 6, errorCode: '2', recipient: undefined },
    { carrierMessageId: 'd', status: 8, errorCode: '1' },
    { carrierMessageId: 'e', status: 1, errorCode: null },
  ]);
  expect(stored.unreadable).toEqual([]);
});

test('[HTTPC-3] What is readable of a call is stored, and the rest is shown to the operator', async () => {
  const items = [
    report('a', 'OK'),
    report('b', 'toString', { text: 'of the SMS' }),
    report('x'.repeat(201), 'OK'),
    { kind: 'report' },
  ];
  const { answer, stored } = await take('receipts', { body: JSON.stringify({ results: items }) });
  expect(answer.kind).toBe('answer');
  expect(stored.receipts.map(({ carrierMessageId }) => carrierMessageId)).toEqual(['a']);
  expect(stored.unreadable).toEqual([
    { carrierMessageId: 'b', text: '{"id":"b","state":"toString"}' },
    { text: JSON.stringify({ id: 'x'.repeat(201), state: 'OK' }) },
    { text: '{}' },
  ]);
});

test.each([
  ['no JSON', '{"results":'],
  ['no list', '{"results":{}}'],
  ['null', 'null'],
  ['a number', '7'],
  ['null instead of a list', '{"results":null}'],
  ['nothing that a receipt has', '{"results":[{"kind":"report"},{"kind":"report","id":{}}]}'],
  ['more than 1,000 items', JSON.stringify({ results: Array(1_001).fill(report('a', 'OK')) })],
])('[HTTPC-3] A call with %s is unreadable and changes nothing', async (_, body) => {
  const { answer, stored } = await take('receipts', { body });
  expect(answer.kind).toBe('unreadable');
  expect(stored).toEqual({ receipts: [], unreadable: [], incoming: [] });
});

test('[HTTPC-3] Only places are read as expressions, not values, secrets and answers that begin like one', async () => {
  const text = 'regex:(';
  const receipts = {
    ...declaration.receipts,
    only: { at: 'regex:"kind":"(.*?)"', is: [text] },
    answer: { body: text },
  };
  await prepareExpressions({
    submit: { json: { at: text } },
    receipts,
    secrets: { id: text },
    password: text,
  });
  await expect(prepareExpressions({ receipts: { id: text } })).rejects.toThrow('parsing');
});

test('[HTTPC-3] A query beside a signed body is read only if it is signed too', async () => {
  const body = '{"id":"a"}';
  const url = 'https://sms.example/?state=OK';
  const read = async (over: string, signed: string) => {
    const told: unknown[] = [];
    const keep = async (one: unknown) => void told.push(one);
    const receipts = { id: '/id', state: '/state', states: { OK: 'DELIVERED' } } as const;
    const signature = { hmac: 'sha256', header: 'x', secret: 'password', over } as const;
    const x = createHmac('sha256', 'key').update(signed).digest('hex');
    const call = {
      method: 'POST',
      url,
      query: new URL(url).searchParams,
      body,
      contentType: 'application/json',
    };
    await takeCall(
      { password: 'key', receipts: { ...receipts, signature } },
      'receipts',
      { ...call, header: () => x, address: '' },
      { receipts: keep, unreadableReceipt: keep, incoming: async () => ({ id: '1', routed: true }) },
      0,
    );
    return told;
  };
  expect(await read('body', body)).toEqual([{ carrierMessageId: 'a', text: '{"id":"a"}' }]);
  expect(await read('{url}{body}', url + body)).toMatchObject([[{ carrierMessageId: 'a', status: 2 }]]);
});

test('[HTTPC-3] A call that reports nothing is answered as the carrier wants it', async () => {
  for (const body of ['{"results":[]}', '{"results":[{"kind":"click"}]}', ''])
    expect((await take('receipts', { body })).answer.kind).toBe('answer');
});

test('[HTTPC-3] SMS in parts keep what they are parts of; calls about other things are passed over', async () => {
  const part = 'msisdn=14845552121&to=16105553939&text=y+for&type=text&concat=true';
  const whole = await take('incoming', { query: `${part}&concat-ref=4&concat-total=4&concat-part=3` });
  expect(whole.stored.incoming).toEqual([
    {
      sender: '14845552121',
      recipient: '16105553939',
      text: 'y for',
      concatenation: { reference: 4, part: 3, parts: 4 },
    },
  ]);
  const { stored } = await take('incoming', {
    query: `${part}&concat-ref=70000&concat-total=4&concat-part=3`,
  });
  expect(stored.incoming[0]).not.toHaveProperty('concatenation');
  const binary = await take('incoming', { query: 'msisdn=1&to=2&type=binary&data=EA' });
  expect([binary.answer.kind, binary.stored.incoming]).toEqual(['answer', []]);
  const unread = await take('incoming', { query: 'msisdn=14845552121&type=text' });
  expect(unread.answer.kind).toBe('unreadable');
  const nameless = await take('incoming', { query: 'msisdn=14845552121&type=text&text=' });
  expect(nameless.stored.incoming).toMatchObject([{ recipient: '', text: '' }]);
});

test('[HTTPC-3] A carrier is answered only once what it reports is stored', async () => {
  const failing = () => Promise.reject(new Error('the disk is full'));
  const call = {
    method: 'GET',
    url: 'https://sms.example/?msisdn=1&text=2&type=text',
    query: new URLSearchParams('msisdn=1&text=2&type=text'),
    body: '',
    contentType: '',
    header: () => undefined,
    address: '192.0.2.1',
  };
  const events = { receipts: failing, unreadableReceipt: failing, incoming: failing };
  await expect(takeCall(declaration, 'incoming', call, events, 0)).rejects.toThrow('the disk is full');
  expect(await takeCall({}, 'incoming', call, events, 0)).toEqual({ kind: 'notTaken' });
});

test.each<[string, string[], boolean]>([
  ['192.0.2.77', ['192.0.2.0/24'], true],
  ['192.0.3.1', ['192.0.2.0/24', '192.0.3.1'], true],
  ['192.0.3.1', ['192.0.2.0/24'], false],
  ['::ffff:192.0.2.77', ['192.0.2.0/24'], true],
  ['2001:db8::1', ['192.0.2.0/24', '2001:db8::/32'], true],
  ['2001:db9::1', ['2001:db8::/32', '0.0.0.0/0'], false],
  ['192.0.2.77', ['192.0.2.0/33', 'nonsense'], false],
  ['', ['0.0.0.0/0'], false],
])('[HTTPC-3] Whether %s is within %j: %s', (address, networks, expected) => {
  expect(isWithin(address, networks)).toBe(expected);
});
