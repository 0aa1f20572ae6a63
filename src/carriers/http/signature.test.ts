/** The vectors are those that the services, their libraries and the standards publish, unless a test says otherwise. */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { SignJWT } from 'jose';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { CarrierCall } from './call.ts';
import type { SignatureSettings } from './settings.ts';
import { isSigned } from './signature.ts';

interface Called {
  readonly url?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const form = 'application/x-www-form-urlencoded';

function calledWith({
  url = 'https://example.com/',
  body = '',
  contentType,
  headers = {},
}: Called): CarrierCall {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method: 'POST',
    url,
    query: new URL(url).searchParams,
    body,
    contentType: contentType ?? 'application/json',
    header: (name) => byName.get(name.toLowerCase()),
    address: '192.0.2.1',
  };
}

const judge = (called: Called, settings: SignatureSettings, key: string, now = 0) =>
  isSigned(calledWith(called), settings, { password: key }, now);

describe('Twilio', () => {
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
  const parameters =
    'CallSid=CA1234567890ABCDE&Digits=1234&From=%2B14158675309&To=%2B18005551212&Caller=%2B14158675309';
  const json = '{"property": "value", "boolean": true}';
  const hashed = `${url}&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620`;
  const signed = (given: string, called: Called) =>
    judge({ contentType: form, headers: { 'X-Twilio-Signature': given }, ...called }, 'twilio', '12345');

  test.each<[string, string, string]>([
    [url, parameters, 'RSOYDt4T1cUTdK1PDd93/VVr8B8='],
    [url.replace('.com', '.com:443'), parameters, 'kvajT1Ptam85bY51eRf/AJRuM3w='],
    [url.replace('https', 'http').replace('.com', '.com:1234'), parameters, 'Zmvh+3yNM1Phv2jhDCwEM3q5ebU='],
    [url.replace('https', 'http').replace('.com', '.com:80'), parameters, '0ZXoZLH/DfblKGATFgpif+LLRf4='],
    [url, 'Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234', 'IK+Dwps556ElfBT0I3Rgjkr1wJU='],
  ])('[HTTPC-3] A form posted to %s that Twilio signed is genuine', async (address, body, signature) => {
    expect(await signed(signature, { url: address, body })).toBe(true);
    expect(await signed(signature, { url: address, body: `${body}&Extra=1` })).toBe(false);
    expect(await signed(signature, { url: `${address}x`, body })).toBe(false);
  });

  test('[HTTPC-3] Twilio’s signature holds whether or not the address names the standard port', async () => {
    expect(
      await signed('RSOYDt4T1cUTdK1PDd93/VVr8B8=', {
        url: `${url}`.replace('.com', '.com:443'),
        body: parameters,
      }),
    ).toBe(true);
    expect(await signed('kvajT1Ptam85bY51eRf/AJRuM3w=', { url, body: parameters })).toBe(true);
  });

  test('[HTTPC-3] A body that is no form is signed by its hash in the address', async () => {
    const signature = 'a9nBmqA0ju/hNViExpshrM61xv4=';
    const call = { url: hashed, contentType: 'application/json' };
    expect(await signed(signature, { ...call, body: json })).toBe(true);
    expect(await signed(signature, { ...call, body: json.replace('true', 'null') })).toBe(false);
    // A signature over the address alone says nothing about a body.
    const ofAddress = createHmac('sha1', '12345').update(url).digest('base64');
    expect(await signed(ofAddress, { url, contentType: 'application/json' })).toBe(true);
    expect(await signed(ofAddress, { url, contentType: 'application/json', body: json })).toBe(false);
  });
});

describe('a keyed hash over what the settings name', () => {
  const sinch = {
    hmac: 'sha256',
    header: 'x-sinch-webhook-signature',
    secret: 'password',
    encoding: 'base64',
    over: '{body}.{x-sinch-webhook-signature-nonce}.{x-sinch-webhook-signature-timestamp}',
  } as const;
  const sinchReceipt =
    '{"at":"2025-01-13T09:22:40.914Z","batch_id":"01JHFFHQ0P99JPPNQPJDV7JTBP","client_reference":"a client reference","code":0,"operator_status_at":"2025-01-13T09:22:00Z","recipient":"33662162466","status":"Delivered","type":"recipient_delivery_report_sms"}';
  const sinchContact =
    '{"app_id":"","accepted_time":"2021-10-18T17:49:13.813615Z","project_id":"e2df3a34-a71b-4448-9db5-a8d2baad28e4","contact_create_notification":{"contact":{"id":"01FJA8B466Y0R2GNXD78MD9SM1","channel_identities":[{"channel":"SMS","identity":"48123456789","app_id":""}],"display_name":"New Test Contact","email":"new.contact@email.com","external_id":"","metadata":"","language":"EN_US"}},"message_metadata":""}';

  test.each([
    [
      'SMSWebhooksSecret',
      sinchReceipt,
      '01JHFFHWYY7HSS4FWTMDTQEK8V',
      '1736760161',
      'ZoHei66PPN/kZjw7hFVfGhJOnml3iGNCMWoyQVcE5o0=',
    ],
    [
      'foo_secret1234',
      sinchContact,
      '01FJA8B4A7BM43YGWSG9GBV067',
      '1634579353',
      '6bpJoRmFoXVjfJIVglMoJzYXxnoxRujzR4k2GOXewOE=',
    ],
  ])('[HTTPC-3] A call signed by Sinch with %s is genuine', async (key, body, nonce, seconds, signature) => {
    const headers = {
      'x-sinch-webhook-signature': signature,
      'x-sinch-webhook-signature-nonce': nonce,
      'x-sinch-webhook-signature-timestamp': seconds,
    };
    expect(await judge({ body, headers }, sinch, key)).toBe(true);
    expect(await judge({ body: `${body} `, headers }, sinch, key)).toBe(false);
    expect(await judge({ body, headers }, sinch, `${key}x`)).toBe(false);
    const { 'x-sinch-webhook-signature-nonce': _, ...others } = headers;
    expect(await judge({ body, headers: others }, sinch, key)).toBe(false);
  });

  const messageBird = {
    hmac: 'sha256',
    header: 'MessageBird-Signature',
    secret: 'password',
    encoding: 'base64',
    over: '{MessageBird-Request-Timestamp}\n{x-query}\n{bodyHash}',
  } as const;

  test.each([
    [
      'other-secret',
      'abc=foo&def=bar',
      '{"a key":"some value"}',
      'orb0adPhRCYND1WCAvPBr+qjm4STGtyvNDIDNBZ4Ir4=',
    ],
    ['secret', '', '', 'LISw4Je7n0/MkYDgVSzTJm8dW6BkytKTXMZZk1IElMs='],
    ['secret', '', '{"a key":"some value"}', 'p2e20OtAg39DEmz1ORHpjQ556U4o1ZaH4NWbM9Q8Qjk='],
    ['secret', 'abc=foo&def=bar', '', 'Tfn+nRUBsn6lQgf6IpxBMS1j9lm7XsGjt5xh47M3jCk='],
  ])(
    '[HTTPC-3] A hash of the body can be part of what is signed: key %s, query "%s", body %s',
    async (key, query, body, signature) => {
      const headers = {
        'MessageBird-Signature': signature,
        'MessageBird-Request-Timestamp': '1544544948',
        // The library that published the vectors signs the query; a header stands for it here.
        'x-query': query,
      };
      expect(await judge({ body, headers }, messageBird, key)).toBe(true);
      expect(await judge({ body: `${body}!`, headers }, messageBird, key)).toBe(false);
    },
  );

  test('[HTTPC-3] The time of a call, where the carrier states it, may differ by five minutes from ours', async () => {
    const body =
      '{"deviceId":"ffffffffceb0b1db0000018e937c815b","event":"sms:delivered","id":"Ey6ECgOkVVFjz3CL48B8C","payload":{"messageId":"msg-789","sender":"+1234567890","recipient":"+9998887777","simNumber":1,"deliveredAt":"2026-02-18T02:10:00.000+07:00"},"webhookId":"LreFUt-Z3sSq0JufY9uWB"}';
    const smsGate = {
      hmac: 'sha256',
      header: 'X-Signature',
      secret: 'password',
      over: '{body}{X-Timestamp}',
      timestamp: 'X-Timestamp',
    } as const;
    const sentAt = 1_771_355_400_000;
    const call = {
      body,
      headers: {
        'X-Signature': 'ad8d7eeac6795ea1c23a4649ac792c869aabd61df28ee12138c7a94776d73700',
        'X-Timestamp': '1771355400',
      },
    };
    const at = (now: number) => judge(call, smsGate, 'secret-key', now);
    expect(await at(sentAt)).toBe(true);
    expect(await at(sentAt + 299_000)).toBe(true);
    expect(await at(sentAt - 301_000)).toBe(false);
    expect(await at(sentAt + 301_000)).toBe(false);
  });

  test('[HTTPC-3] A prefix of the header must be there; a missing header or key makes a call forged', async () => {
    const settings = {
      hmac: 'sha512',
      header: 'X-Hub-Signature',
      prefix: 'sha512=',
      secret: 'token',
    } as const;
    const digest = createHmac('sha512', 'k').update('hello').digest('hex');
    const call = (given?: string) =>
      calledWith({ body: 'hello', headers: given === undefined ? {} : { 'X-Hub-Signature': given } });
    expect(await isSigned(call(`sha512=${digest}`), settings, { token: 'k' }, 0)).toBe(true);
    expect(await isSigned(call(digest), settings, { token: 'k' }, 0)).toBe(false);
    expect(await isSigned(call(), settings, { token: 'k' }, 0)).toBe(false);
    expect(await isSigned(call('sha512=ÿ'), settings, { token: 'k' }, 0)).toBe(false);
    const empty = createHmac('sha512', '').update('hello').digest('hex');
    for (const keys of [{}, { token: '' }])
      expect(await isSigned(call(`sha512=${empty}`), settings, keys, 0)).toBe(false);
    expect(await isSigned(call(), { ...settings, secret: 'toString' }, {}, 0)).toBe(false);
  });
});

test('[HTTPC-3] An Ed25519 signature is judged by the carrier’s public key', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');
  const telnyx = {
    ed25519: true,
    header: 'telnyx-signature-ed25519',
    secret: 'password',
    over: '{telnyx-timestamp}|{body}',
    timestamp: 'telnyx-timestamp',
  } as const;
  const body = '{"data":{"event_type":"message.finalized","text":"Hej då"}}';
  const signature = sign(null, Buffer.from(`1700000000|${body}`), privateKey).toString('base64');
  const call = (given: string, sent = body) => ({
    body: sent,
    headers: { 'telnyx-signature-ed25519': given, 'telnyx-timestamp': '1700000000' },
  });
  const now = 1_700_000_100_000;
  expect(await judge(call(signature), telnyx, key, now)).toBe(true);
  expect(await judge(call(signature, `${body} `), telnyx, key, now)).toBe(false);
  expect(await judge(call(signature), telnyx, key, now + 300_000)).toBe(false);
  expect(await judge(call('AAAA'), telnyx, key, now)).toBe(false);
  expect(await judge(call(signature), telnyx, 'no key', now)).toBe(false);
});

describe('Vonage', () => {
  const fields = {
    'message-timestamp': '2013-11-21 15:27:30',
    messageId: '020000001B0FE827',
    msisdn: '14843472194',
    text: 'Test again',
    timestamp: '1385047698',
    to: '13239877404',
    type: 'text',
  };
  const url = (sig: string, more = '') =>
    `https://example.com/?${new URLSearchParams({ ...fields, sig })}${more}`;
  const secret = 'my_secret_key_for_testing';

  test.each([
    ['md5hash', 'd2e7b1dc968737c5998ad624e02f90b7'],
    ['md5', 'DDEBD46008C2D4E93CCE578A332A52D5'],
    ['sha1', '27D0D05C2876C7CB1720DBCDBA4D492E1E55C09A'],
    ['sha256', 'DDB8397C2B90AAC7F3882D306475C9A5058C92322EEF43C92B298B6E0FC0D330'],
    [
      'sha512',
      'E0D3C650F8C9D1A5C174D10DDDBFB003E561F59B265616208B0487C5D819481CD3C311D59CF6165ECD1139622D5BA3A256C0D763AC4A9AD9144B5A426B94FE82',
    ],
  ] as const)(
    '[HTTPC-3] Parameters that Vonage signed by %s are genuine, as query, form and JSON',
    async (hash, sig) => {
      const settings = { scheme: 'vonage', hash } as const;
      expect(await judge({ url: url(sig) }, settings, secret)).toBe(true);
      const body = new URLSearchParams({ ...fields, sig }).toString();
      expect(await judge({ body, contentType: form }, settings, secret)).toBe(true);
      const json = JSON.stringify({ ...fields, sig });
      expect(await judge({ body: json }, settings, secret)).toBe(true);
      expect(await judge({ body: json.replace('again', 'twice') }, settings, secret)).toBe(false);
      // It would not be clear which of two values is signed.
      expect(await judge({ url: url(sig, '&text=Other') }, settings, secret)).toBe(false);
      expect(await judge({ url: url(sig), body: '{"text":"Other"}' }, settings, secret)).toBe(false);
      expect(await judge({ url: url(sig), body: '{"text":' }, settings, secret)).toBe(false);
      expect(await judge({ url: url(sig), body: '{"x":{"toString":1}}' }, settings, secret)).toBe(false);
    },
  );

  test('[HTTPC-3] Vonage writes & and = in values as _ before it signs', async () => {
    const body = JSON.stringify({
      keyword: 'TEST',
      'message-timestamp': '2017-04-04 22:57:47',
      messageId: '0B00000042AC53BD',
      msisdn: '14843472194',
      nonce: '929d6744-bd28-42c8-b6cf-31d5b4f43732',
      text: 'Test with & and =',
      timestamp: '1491346667',
      to: '12192259404',
      type: 'text',
      sig: 'e06d9763e3fd0b9c31beb5fc2fcb011c',
    });
    expect(await judge({ body }, 'vonage', secret)).toBe(true);
    expect(await judge({ body }, 'vonage', `${secret}x`)).toBe(false);
  });
});

describe('Standard Webhooks', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const body = '{"test": 2432232314}';
  const now = 1_614_265_330_000;

  test('[HTTPC-3] The vector of the standard is genuine for five minutes', async () => {
    const judged = (called: Called, at = now) => judge(called, 'standard-webhooks', secret, at);
    expect(await judged({ body, headers })).toBe(true);
    expect(await judged({ body, headers }, now + 301_000)).toBe(false);
    expect(await judged({ body: `${body} `, headers })).toBe(false);
    const given = headers['webhook-signature'];
    const several = { ...headers, 'webhook-signature': `v1a,x v1,AAAA ${given}` };
    expect(await judged({ body, headers: several })).toBe(true);
    const ofOtherVersion = { ...headers, 'webhook-signature': given.replace('v1', 'v2') };
    expect(await judged({ body, headers: ofOtherVersion })).toBe(false);
    expect(await judge({ body, headers }, 'standard-webhooks', 'whsec_', now)).toBe(false);
  });

  test('[HTTPC-3] What the reference library signs is genuine', async () => {
    const signature = new Webhook(secret).sign('msg_2', new Date(now), body);
    const signed = { ...headers, 'webhook-id': 'msg_2', 'webhook-signature': signature };
    expect(await judge({ body, headers: signed }, 'standard-webhooks', secret, now)).toBe(true);
  });
});

describe('tokens', () => {
  const tokens = {
    withBody:
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiI5M2U1NTAwNi1hMGU4LTQ1MjYtYTE5MC1mYTVmZjAwZWExMTYiLCJ1cmxfaGFzaCI6IjQxZjA1ZjBkZGQwYTIyYWIyMDlhYzQ2ZjQ3YzQ1NzJkOWNlZmEyNTdlZDc0YjI0MDA0YmFlNzUzZWNlNmMyNjAiLCJwYXlsb2FkX2hhc2giOiJkZmZkNjAyMWJiMmJkNWIwYWY2NzYyOTA4MDllYzNhNTMxOTFkZDgxYzdmNzBhNGIyODY4OGEzNjIxODI5ODZmIn0._H--TOuYFLpeEH39-rg5E3IHVkjHozBcaKVWPRC5m9I',
    withoutBody:
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiJjOTQ2YWY3Ny1lMTgyLTRlYWEtYjJmZi0xYTU0NWI1ZTk5MWEiLCJ1cmxfaGFzaCI6IjQxZjA1ZjBkZGQwYTIyYWIyMDlhYzQ2ZjQ3YzQ1NzJkOWNlZmEyNTdlZDc0YjI0MDA0YmFlNzUzZWNlNmMyNjAifQ.huo2ou6JDoDc7sV25d75UMWeYhBeavQlLsqIibSZuac',
    ofOtherBody:
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiIxNDUwMTUzMi05NmYyLTQ2ODQtOTgzMi02OGYwOTUxYWUzNDIiLCJ1cmxfaGFzaCI6IjBmMTE1ZGIwNjJiN2MwZGQwMzBiMTY4NzhjOTlkZWE1YzM1NGI0OWRjMzdiMzhlYjg4NDYxNzljNzc4M2U5ZDciLCJwYXlsb2FkX2hhc2giOiJmYjYyZjAyYWNkYTdkNzQxNzdhNzAxYTFjZTAwNmU2YmFjZDkwYzdkNGQ3YWI0ODE2OTJjMWRhNDdjODEwNzZiIn0.m79RCwO6dGa9pvzsQypkVuXQ6eM0CkRl6_U7MfWg6TM',
    ofVonage:
      'eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJPbmxpbmUgSldUIEJ1aWxkZXIiLCJpYXQiOjE2OTc2MzQ2ODAsImV4cCI6MzMyNTQ1NDA4MjgsImF1ZCI6IiIsInN1YiI6IiJ9.88vJc3I2HhuqEDixHXVhc9R30tA6U_HQHZTC29y6CGM',
  };
  const birdKey = '36efdd1aace2e26cd490f0d951138253bef2f7c6d34d18981da781555cc4cebb';
  const inHeader = { scheme: 'jwt', header: 'MessageBird-Signature-JWT' } as const;
  const signedAt = Date.parse('2021-07-05T12:00:00+02:00');
  const url = 'https://example.com/path?bar=1&foo=2';
  const judged = (token: string, called: Called, now = signedAt) =>
    judge({ url, headers: { 'messagebird-signature-jwt': token }, ...called }, inHeader, birdKey, now);

  test('[HTTPC-3] A token of MessageBird covers the address and the body', async () => {
    const body = 'Hello, World!';
    expect(await judged(tokens.withBody, { body })).toBe(true);
    expect(await judged(tokens.withBody, { body: 'Hello' })).toBe(false);
    expect(await judged(tokens.withBody, { body, url: `${url}3` })).toBe(false);
    expect(await judged(tokens.withoutBody, {})).toBe(true);
    expect(await judged(tokens.withoutBody, { body })).toBe(false);
    expect(await judged(tokens.ofOtherBody, { url: 'https://example.com/', body })).toBe(false);
    expect(await judged(tokens.withBody, { body }, signedAt + 80_000)).toBe(true);
    expect(await judged(tokens.withBody, { body }, signedAt + 120_000)).toBe(false);
    expect(await judged(tokens.withBody, { body }, signedAt - 60_000)).toBe(false);
    expect(await judged('no.token', { body })).toBe(false);
  });

  test('[HTTPC-3] A token of Vonage stands in Authorization', async () => {
    const call = { headers: { Authorization: `Bearer ${tokens.ofVonage}` } };
    const now = 1_700_000_000_000;
    expect(await judge(call, 'jwt', 'qwertyuiopasdfghjklzxcvbnm123456', now)).toBe(true);
    expect(await judge(call, 'jwt', 'asdf', now)).toBe(false);
  });

  test('[HTTPC-3] A token for another address, without a signature or by another method is no proof', async () => {
    const key = Buffer.from('a key as short as some are');
    const signed = (aud: string | string[], alg = 'HS256') =>
      new SignJWT({}).setProtectedHeader({ alg }).setAudience(aud).setExpirationTime(1_700_000_600).sign(key);
    const judgedToken = (token: string) =>
      judge({ url, headers: { authorization: `bearer ${token}` } }, 'jwt', key.toString(), 1_700_000_000_000);
    expect(await judgedToken(await signed(url))).toBe(true);
    expect(await judgedToken(await signed(['https://other.example', url]))).toBe(true);
    expect(await judgedToken(await signed('https://other.example'))).toBe(false);
    expect(await judgedToken(await signed(url, 'HS512'))).toBe(false);
    const [, claims] = (await signed(url)).split('.');
    expect(await judgedToken(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`)).toBe(
      false,
    );
  });
});
