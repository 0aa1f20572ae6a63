import { describe, expect, test } from 'vitest';
import type { OutgoingPart } from '../carrier.ts';
import { expressionFaults, faultsOf } from './check.ts';
import { declarationOf } from './presets.ts';
import { fixedValues, messageValues } from './request.ts';
import type { HttpSettings } from './settings.ts';

type Changes = { readonly [key: string]: unknown };

/** A declaration without faults, to which each test adds one. */
function declared(submit: Changes = {}, others: Changes = {}): HttpSettings {
  return {
    insecure: false,
    username: 'nordic',
    password: { sealed: '1.x' },
    secrets: { token: { sealed: '1.y' } },
    submit: {
      url: 'https://sms.example/messages/{username}',
      headers: { Authorization: 'Bearer {token}' },
      json: { to: '+{to}', text: '{text}', list: [{ reference: '{id}' }] },
      accepted: { id: '/id' },
      ...submit,
    },
    ...others,
  } as unknown as HttpSettings;
}

/** A literal with the key `then` would be awaited. */
function refusal(condition: Changes, action: string): readonly Changes[] {
  return [Object.fromEntries([...Object.entries(condition), ['then', action]])];
}

function linesOf(settings: HttpSettings): readonly string[] {
  return faultsOf(settings).map(({ path, sentence }) => `${path.join('.')}: ${sentence}`);
}

describe('what is wrong with the declaration of a carrier by HTTP', () => {
  test('[HTTPC-4] A complete declaration has no faults', () => {
    expect(linesOf(declared())).toEqual([]);
    expect(
      linesOf(
        declared(
          {
            url: '{baseUrl}/{area}/send',
            headers: {},
            basic: { username: '{username}', password: '{password}' },
          },
          {
            baseUrl: 'https://{area}.sms.example/v1',
            values: { area: 'eu' },
            choices: { coding: { by: 'encoding', gsm7: '0', ucs2: '8' } },
            receipts: {
              id: '/id',
              state: '/state',
              states: { ok: 'DELIVERED' },
              signature: 'twilio',
              networks: ['192.0.2.0/24'],
            },
            incoming: {
              from: '/from',
              to: '/to',
              text: '/text',
              poll: {
                url: 'https://sms.example/in',
                acknowledge: { url: 'https://sms.example/in/{incomingId}' },
              },
            },
          },
        ),
      ),
    ).toEqual([]);
  });

  test('[HTTPC-4] Every value of a message is a known placeholder', () => {
    const part: OutgoingPart = {
      companyId: 1,
      messageId: 1,
      part: 1,
      parts: 1,
      smsParts: 1,
      reference: 1,
      recipient: '46701740605',
      sender: 'Nordic',
      text: 'Hello',
      encoding: 'gsm7',
      flash: false,
      expiresAt: 1,
      doubts: 0,
    };
    const fixed = fixedValues(declarationOf(declared()), { receiptUrl: '', incomingUrl: '' });
    const names = Object.keys(messageValues(part, 0, declarationOf(declared()), fixed));
    expect(names).toContain('token');
    expect(
      linesOf(declared({ json: names.map((name) => `{${name}}`) }, { baseUrl: 'https://sms.example' })),
    ).toEqual([]);
  });

  const header = (name: string, value: string) => ({ headers: { [name]: value } });
  test.each<[Changes, Changes, RegExp]>([
    [
      { url: 'https://sms.example/{idd}' },
      {},
      /^submit\.url: there is no placeholder \{idd\}; did you mean \{id\}\?$/,
    ],
    [{ json: { list: ['a', '{texts}'] } }, {}, /^submit\.json\.list\.1: .*did you mean \{text\}/],
    [{ url: '{baseUrl}/send' }, {}, /^: needs a key "baseUrl", because \{baseUrl\} is used$/],
    [{}, { secrets: {} }, /^submit\.headers\.Authorization: there is no placeholder \{token\}/],
    [{}, { username: undefined }, /^: needs a key "username"/],
    [
      {},
      {
        receipts: {
          id: '/i',
          state: '/s',
          states: { a: 'SENT' },
          signature: { hmac: 'sha1', header: 'x', secret: 'tokn' },
        },
      },
      /^receipts\.signature\.secret: there is no secret of this name; did you mean token\?$/,
    ],
    [
      {},
      { password: undefined, incoming: { from: '/f', to: '/t', text: '/x', signature: 'twilio' } },
      /^: needs a key "password", with which signatures are made$/,
    ],
    [
      header('Authorization', 'Bearer 0123456789'),
      {},
      /^submit\.headers\.Authorization: has a secret that would be shown/,
    ],
    [header('X-Api-Key', 'abc{id}'), {}, /^submit\.headers\.X-Api-Key: has a secret/],
    [
      { basic: { username: 'me', password: 'pw' }, headers: {} },
      {},
      /^submit\.basic\.password: has a secret/,
    ],
    [{ query: { api_key: 'abc' } }, {}, /^submit\.query\.api_key: has a secret/],
    [{ json: { auth: { password: 'abc' } } }, {}, /^submit\.json\.auth\.password: has a secret/],
    [{ url: 'https://me:pw@sms.example/' }, {}, /^submit\.url: must have no user and no password/],
    [{ url: 'https://sms.example/?token=abc' }, {}, /^submit\.url: has a secret/],
    [header('Host', 'other'), {}, /^submit\.headers\.Host: this header is set by the server itself$/],
    [header('X-Line', 'a\nb'), {}, /^submit\.headers\.X-Line: must be one line/],
    [{ form: { to: '{to}' } }, {}, /^submit\.form: give either "json" or "form", not both$/],
    [{ method: 'GET' }, {}, /^submit\.json: a request by GET has no body/],
    [{ json: { text: 'x'.repeat(20_000) } }, {}, /^submit\.json: must have at most 20000 characters/],
    [{ url: 'http://sms.example/' }, {}, /^submit\.url: must begin with https:\/\//],
    [{ url: '{baseUrl}/' }, { baseUrl: 'http://sms.example' }, /^baseUrl: must begin with https:\/\//],
    [{ url: 'https://{to}.example/' }, {}, /^submit\.url: only \{baseUrl\}, or a name in "values"/],
    [{ url: '{to}://sms.example/' }, {}, /^submit\.url: must be an address that begins with https:/],
    [{ url: 'ftp://sms.example/' }, {}, /^submit\.url: must be an address that begins with https:/],
    [{ refusals: refusal({}, 'retry') }, {}, /^submit\.refusals\.0: needs a key "status" or "at"/],
    [
      { refusals: refusal({ status: [400], is: ['x'] }, 'retry') },
      {},
      /^submit\.refusals\.0\.is: .* needs a key "at"/,
    ],
    [
      { refusals: refusal({ status: [400], as: 'ERROR' }, 'down') },
      {},
      /^submit\.refusals\.0\.as: is a final status/,
    ],
    [
      {},
      { receipts: { id: '/i', state: '/s', states: {} } },
      /^receipts\.states: must say what at least one state means$/,
    ],
    [
      {},
      { receipts: { id: '/i', state: '/s', states: { a: 'SENT' }, networks: ['192.0.2.1'] } },
      /^receipts\.networks\.0: must be a network such as/,
    ],
    [{}, { values: { to: '46' } }, /^values\.to: this placeholder has a meaning already/],
  ])('[HTTPC-4] A wrong declaration is refused where it is wrong: %j %j', (submit, others, line) => {
    expect(linesOf(declared(submit, others))).toEqual([expect.stringMatching(line)]);
  });

  test('[HTTPC-4] Plain HTTP is allowed on this machine, or where the operator says so', () => {
    for (const url of ['http://127.0.0.1:9', 'http://[::1]:9/', 'http://localhost/'])
      expect(linesOf(declared({ url })), url).toEqual([]);
    expect(linesOf(declared({ url: 'http://sms.example/' }, { insecure: true }))).toEqual([]);
  });

  test('[HTTPC-4] A field with the name of a secret may hold the id of the message, as its idempotency key', () => {
    for (const changes of [
      { json: { key: '{id}' } },
      { query: { key: '{from}-{id}' } },
      header('X-Key', '{id}'),
    ])
      expect(linesOf(declared(changes))).toEqual([]);
  });

  test('[HTTPC-4] A declaration needs a request, or a preset that exists', () => {
    expect(linesOf(declared({}, { submit: undefined }))).toEqual([
      ': needs a key "submit", or the name of a service in "preset"',
    ]);
    expect(linesOf(declared({}, { preset: 'kanel' }))).toEqual([
      'preset: there is no preset of this name; did you mean kannel?',
    ]);
  });

  test('[HTTPC-4] An expression that RE2 cannot read is refused where it stands', async () => {
    const right = declared({ accepted: { id: 'regex:id: (\\d+)' } });
    expect(await expressionFaults(right)).toEqual([]);
    const wrong = declared({
      accepted: { id: 'regex:(?=a)' },
      refusals: refusal({ at: '/a', is: ['regex:('] }, 'down'),
    });
    expect(await expressionFaults(wrong)).toEqual([
      {
        path: ['submit', 'accepted', 'id'],
        sentence: expect.stringMatching(/^is no regular expression that RE2 can read/),
      },
    ]);
  });
});
