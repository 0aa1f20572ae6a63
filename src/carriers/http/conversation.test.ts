import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import type { OutgoingPart } from '../carrier.ts';
import { blottedIn, conversationOf } from './conversation.ts';
import { type HttpDeclaration, httpSettings } from './settings.ts';

const declaration = Value.Default(httpSettings, {
  username: 'nordic',
  password: 'p4ss "of" ours/',
  secrets: { token: 't0ken&' },
  submit: {
    url: 'https://sms.example/{token}/send?key={password}',
    basic: { username: '{username}', password: '{password}' },
    headers: { 'X-Token': '{token}' },
    sign: { hmac: 'sha256', header: 'X-Signature', secret: 'token' },
    json: { text: '{text}', callback: '{receiptUrl}', auth: '{password}' },
    accepted: { id: '/id' },
  },
}) as HttpDeclaration;

const urls = { receiptUrl: 'https://ours.example/carriers/own/guess-me-not/receipts', incomingUrl: '' };

const part: OutgoingPart = {
  companyId: 0,
  messageId: 1,
  part: 1,
  parts: 1,
  smsParts: 1,
  reference: 0,
  recipient: '46701740605',
  sender: 'Nordic',
  text: 'Hello',
  encoding: 'gsm7',
  flash: false,
  expiresAt: 0,
  doubts: 0,
};

test('[HTTPC-4] A conversation with a carrier is shown without its secrets, in whatever form the service repeats them', () => {
  const { password = '', secrets: { token = '' } = {} } = declaration;
  const basic = Buffer.from(`nordic:${password}`).toString('base64');
  const repeated = [
    ...[password, JSON.stringify(password), encodeURIComponent(token), basic, 'guess-me-not'],
    // As forms are written, and as some services write JSON.
    new URLSearchParams([['', password]]),
    JSON.stringify(password).replaceAll('/', '\\/'),
  ];
  const answer = {
    kind: 'answered',
    status: 400,
    contentType: 'text/plain',
    retryAfter: undefined,
    body: `${repeated.join(' ')}\0\r\nend`,
  } as const;
  expect(conversationOf(declaration, part, urls, 0, answer).split('\n')).toEqual([
    'POST https://sms.example/***/send?key=***',
    'user-agent: Carillon',
    'content-type: application/json',
    'authorization: Basic ***',
    'x-token: ***',
    'x-signature: ***',
    '',
    '{"text":"Hello","callback":"https://ours.example/carriers/own/***/receipts","auth":"***"}',
    '',
    'HTTP 400',
    'content-type: text/plain',
    '',
    '*** "***" *** *** *** =*** "***"',
    'end',
  ]);
  const long = conversationOf(declaration, { ...part, text: 'x'.repeat(50_000) }, urls, 0, answer);
  expect(long.length).toBeLessThan(8_100);
  const nothing = {
    kind: 'unwritten',
    error: new Error('connect ECONNREFUSED'),
    wasHeldBack: false,
  } as const;
  expect(conversationOf(declaration, part, urls, 0, nothing)).toMatch(
    /\n\nNothing was sent: connect ECONNREFUSED$/,
  );
  expect(blottedIn('a short p', { ...declaration, password: 'p' }, urls)).toBe('a short p');
});
