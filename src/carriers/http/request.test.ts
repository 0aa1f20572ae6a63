import { expect, test } from 'vitest';
import { messages } from '../../../test/carriers/carrier-recorder.ts';
import { httpDeclaration } from '../../../test/carriers/http-setup.ts';
import type { OutgoingPart } from '../carrier.ts';
import { fixedValues, messageValues, ownIdOf, submitRequest } from './request.ts';

const [message] = messages(1) as [OutgoingPart];
const urls = { receiptUrl: 'https://sms.example/r', incomingUrl: '' };
const hourMs = 3_600_000;

function requestFor(part: Partial<OutgoingPart>, submit: object) {
  const declaration = httpDeclaration('https://service.example/v1', {
    secrets: { token: 'a secret' },
    submit: { accepted: { id: '/id' }, url: '{baseUrl}/send', ...submit },
  });
  const values = messageValues({ ...message, ...part }, 0, declaration, fixedValues(declaration, urls));
  return submitRequest(declaration.submit, values);
}

test('[HTTPC-2] The key of a message stays the same however often its validity begins again, and no other message has it', () => {
  const submit = { accepted: { id: 'key' as const }, url: '' };
  const key = ownIdOf(submit, message);
  expect(key).toMatch(new RegExp(`^${message.messageId}-[0-9a-f]{12}$`));
  expect(ownIdOf(submit, { ...message, expiresAt: message.expiresAt + hourMs, doubts: 2 })).toBe(key);
  for (const other of [
    { text: 'Another' },
    { recipient: '46701740601' },
    { sender: 'Other' },
    { companyId: 2 },
  ])
    expect(ownIdOf(submit, { ...message, ...other })).not.toBe(key);
});

test('[HTTPC-1] A text can neither change the request around it nor draw in a secret', () => {
  const text = '"}, {token} & to=1\r\nX-Evil: 1 ../?a=b#c \ud800';
  const json = requestFor({ text }, { json: { text: '{text}' } });
  expect(JSON.parse(json.body ?? '')).toEqual({ text });
  const form = requestFor({ text }, { form: { text: '{text}', to: '{to}' } });
  expect([...new URLSearchParams(form.body)].map(([name]) => name)).toEqual(['text', 'to']);
  const query = requestFor(
    { text },
    { method: 'GET', url: '{baseUrl}/{text}/send', query: { text: '{text}' } },
  );
  expect(query.origin).toBe('https://service.example');
  expect(query.path).toMatch(/^\/v1\/[^/?#]+\/send\?text=[^&#]+$/);
  const header = requestFor({ text }, { headers: { 'X-Text': '{text}' } });
  expect(header.headers['x-text']).toMatch(/^[\x20-\x7e]+$/);
  for (const { path, body = '', headers } of [json, form, query, header])
    expect(path + body + JSON.stringify(headers)).not.toContain('a secret');
});

test('[HTTPC-1] A field that is one placeholder takes its value as it is, and is left out if there is none', () => {
  const json = {
    parts: '{parts}',
    to: '+{to}',
    receipts: '{receiptUrl}',
    incoming: '{incomingUrl}',
    list: ['{flash}'],
  };
  expect(JSON.parse(requestFor({ smsParts: 3 }, { json }).body ?? '')).toEqual({
    parts: 3,
    to: '+46701740600',
    receipts: 'https://sms.example/r',
    list: [false],
  });
  const form = { incoming: '{incomingUrl}', id: '{id}' };
  expect(requestFor({}, { form }).body).toBe(`id=${message.messageId}`);
});

test('[HTTPC-1] A request is signed with a secret', () => {
  const sign = { hmac: 'sha256', header: 'X-Signature', secret: 'token', prefix: 'v1=', over: 'body' };
  // printf '{"a":1}' | openssl dgst -sha256 -hmac 'a secret'
  expect(requestFor({}, { json: { a: 1 }, sign }).headers['x-signature']).toBe(
    'v1=ff20670a6975d835a6fb88fbbeacf0bd39983c4facc1004f9f9186053157b786',
  );
});
