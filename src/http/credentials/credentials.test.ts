import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../foundation/errors.ts';
import type { JsonObject } from '../parameters/table.ts';
import {
  type AcceptedCredentials,
  anyMethod,
  anyMethodBesideLines,
  basicOnly,
  type CredentialSources,
  findCredentialsBesideBody,
  passwordOnly,
} from './credentials.ts';

interface Sources extends Partial<Omit<CredentialSources, 'url'>> {
  readonly url?: Readonly<Record<string, string>>;
  readonly body?: JsonObject | undefined;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const basic = (pair: string) => ({ authorization: `Basic ${base64(pair)}` });
const password = { kind: 'password', username: 'åsa', password: 'lösen:ord' };
const key = { kind: 'key', key: 'k' };
const headerPair = { 'x-service-userid': base64('åsa'), 'x-service-password': base64('lösen:ord') };

function find(sources: Sources, accepted: AcceptedCredentials = anyMethod) {
  const url = new Map(Object.entries(sources.url ?? {}));
  const found = findCredentialsBesideBody({ method: 'POST', headers: {}, ...sources, url }, accepted);
  found.addBody(sources.body ?? {});
  return found.only();
}

function refusal(sources: Sources, accepted?: AcceptedCredentials): string {
  try {
    find(sources, accepted);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthorised') return error.message;
    throw error;
  }
  throw new Error('not refused');
}

const get = { method: 'GET', body: undefined } as const;

describe('each method where it applies', () => {
  test('[AUTH-1] A user name and password are accepted in a JSON body', () => {
    expect(find({ body: { username: 'åsa', password: 'lösen:ord' } })).toEqual(password);
  });

  test.each(['GET', 'DELETE'])(
    '[AUTH-1] A user name and password are accepted in the URL of a %s',
    (method) => {
      const url = { U: '%C3%A5sa', P: 'l%C3%B6sen:ord' };
      expect(find({ method, body: undefined, url })).toEqual(password);
    },
  );

  test('[AUTH-1] A user name and password are accepted in the URL of a POST whose body is a line list', () => {
    const url = { U: '%C3%A5sa', P: 'l%C3%B6sen:ord' };
    expect(find({ body: undefined, url }, anyMethodBesideLines)).toEqual(password);
  });

  test('[AUTH-1] Basic authentication is accepted in UTF-8, with colons in the password', () => {
    expect(find({ headers: basic('åsa:lösen:ord') })).toEqual(password);
    expect(find({ headers: { authorization: `basic  ${base64('åsa:lösen:ord')} ` } })).toEqual(password);
    expect(find({ headers: basic('åsa:lösen:ord') }, basicOnly)).toEqual(password);
  });

  test('[AUTH-1] A user name and password are accepted in the credential headers', () => {
    expect(find({ headers: headerPair })).toEqual(password);
    expect(find({ ...get, headers: headerPair }, passwordOnly)).toEqual(password);
  });

  test('[AUTH-1] An API key is accepted in URL, header or body', () => {
    expect(find({ url: { key: 'k' } })).toEqual(key);
    expect(find({ ...get, url: { key: 'k' } })).toEqual(key);
    expect(find({ headers: { 'x-api-key': 'k' } })).toEqual(key);
    expect(find({ body: { apikey: 'k' } })).toEqual(key);
  });

  test('[AUTH-2] Empty strings and null count as absent credentials', () => {
    const sources = {
      body: { username: '', password: null, apikey: '' },
      url: { U: '', P: '', key: '' },
      headers: { authorization: '', 'x-service-userid': '', 'x-service-password': '', 'x-api-key': 'k' },
    };
    expect(find(sources)).toEqual(key);
    expect(find({ headers: { ...basic(':'), 'x-api-key': 'k' } })).toEqual(key);
  });
});

describe('an API key as a bearer token', () => {
  const bearing: AcceptedCredentials = { ...anyMethod, bearer: true };
  const bearer = (token: string): Sources => ({ headers: { authorization: `Bearer ${token}` } });

  test('[ALERT-4] An API key is accepted as a bearer token, with the scheme in any case', () => {
    expect(find(bearer('Alice~20B.12.1.a-b_c'), bearing)).toEqual({ ...key, key: 'Alice~20B.12.1.a-b_c' });
    expect(find({ headers: { authorization: ' bearer   k ' } }, bearing)).toEqual(key);
    expect(find({ headers: basic('åsa:lösen:ord') }, bearing)).toEqual(password);
    expect(refusal({}, bearing)).toContain('an API key (header `X-API-Key` or `Authorization: Bearer`)');
  });

  test.each([
    ['no token', ''],
    ['two tokens', 'k k'],
    ['a comma', 'k,k'],
    ['a quoted token', '"k"'],
    ['a colon', 'u:p'],
    ['another alphabet', 'nyckelå'],
    ['a token longer than any key', 'k'.repeat(4_097)],
  ])('[ALERT-4] A bearer token with %s is refused, and the sentence says why', (_what, token) => {
    expect(refusal(bearer(token), bearing)).toBe(
      'The token of `Authorization: Bearer` must be an API key, and nothing else.',
    );
  });

  test('[ALERT-4] A bearer token beside other credentials is refused, as are other schemes, and all but Basic where none is accepted', () => {
    const twice = { headers: { ...bearer('k').headers, 'x-api-key': 'k' } };
    expect(refusal(twice, bearing)).toBe(
      'Credentials were given by two methods, `Authorization: Bearer` and `X-API-Key`. Use exactly one.',
    );
    expect(refusal({ ...bearer('k'), body: { username: 'u', password: 'p' } }, bearing)).toContain(
      'two methods',
    );
    expect(refusal({ headers: { authorization: 'Digest k' } }, bearing)).toContain(
      '`Bearer` with an API key',
    );
    for (const accepted of [anyMethod, passwordOnly, basicOnly])
      expect(refusal(bearer('k'), accepted)).toBe(
        'The `Authorization` header accepts only Basic authentication.',
      );
  });
});

describe('everything else is refused', () => {
  test('[AUTH-2] A call without credentials is refused', () => {
    expect(refusal({})).toMatch(/^No credentials were given/);
    expect(refusal({}, basicOnly)).toContain('Basic');
  });

  test('[AUTH-2] Credentials by two methods are refused, even if they agree', () => {
    const methods: Sources[] = [
      { body: { username: 'u', password: 'p' } },
      { url: { key: 'k' } },
      { headers: basic('u:p') },
      { headers: { 'x-service-userid': base64('u'), 'x-service-password': base64('p') } },
      { headers: { 'x-api-key': 'k' } },
    ];
    for (const one of methods) {
      for (const other of methods) {
        if (one === other) continue;
        const both = { ...one, ...other, headers: { ...one.headers, ...other.headers } };
        expect(refusal(both)).toMatch(/^Credentials were given by two methods/);
      }
    }
    expect(refusal({ body: { apikey: 'k' }, url: { key: 'k' } })).toMatch(/two methods/);
  });

  test.each<[string, Sources]>([
    ['user name in the body', { body: { username: 'u' } }],
    ['password in the body', { body: { password: 'p', username: '' } }],
    ['U', { ...get, url: { U: 'u' } }],
    ['P', { ...get, url: { P: 'p', U: '' } }],
    ['X-Service-Userid', { headers: { 'x-service-userid': base64('u') } }],
    ['X-Service-Password', { headers: { 'x-service-password': base64('p') } }],
    ['Basic without a password', { headers: basic('u:') }],
    ['Basic without a user name', { headers: basic(':p') }],
    ['half of one method beside a whole other', { body: { username: 'u', apikey: 'k' } }],
  ])('[AUTH-2] Credentials that are half of a method are refused: %s', (_what, sources) => {
    expect(refusal(sources)).toMatch(/^Only half/);
  });

  test.each<[string, Sources, AcceptedCredentials]>([
    ['U and P on a POST', { url: { U: 'u', P: 'p' } }, anyMethod],
    ['a key in a header on the address book', { headers: { 'x-api-key': 'k' } }, passwordOnly],
    ['a key in the URL on the address book', { ...get, url: { key: 'k' } }, passwordOnly],
    ['a key in the body on the address book', { body: { apikey: 'k' } }, passwordOnly],
    ['a key on /apikey', { ...get, headers: { 'x-api-key': 'k' } }, basicOnly],
    ['U and P on /apikey', { ...get, url: { U: 'u', P: 'p' } }, basicOnly],
    ['credential headers on /apikey', { ...get, headers: headerPair }, basicOnly],
  ])('[AUTH-2] Credentials of a method that does not apply are refused: %s', (_what, sources, accepted) => {
    expect(refusal(sources, accepted)).not.toMatch(/^No credentials/);
  });

  test.each([
    ['another scheme', 'Bearer abc'],
    ['no token', 'Basic'],
    ['no Base64', 'Basic a*c='],
    ['Base64 without its padding', `Basic ${base64('u:p1').replace(/=+$/, '')}`],
    ['no UTF-8', `Basic ${Buffer.from('u:\xff', 'latin1').toString('base64')}`],
    ['no colon', `Basic ${base64('alice')}`],
    ['two tokens', `Basic ${base64('u:p')} ${base64('u:p')}`],
  ])('[AUTH-2] An Authorization header with %s is refused', (_what, authorization) => {
    expect(refusal({ headers: { authorization } })).not.toMatch(/^No credentials/);
  });

  test('[AUTH-2] Credentials of a JSON type other than string are refused', () => {
    expect(refusal({ body: { username: 5, password: 'p' } })).toContain('`username`');
    expect(refusal({ body: { apikey: {} } })).toContain('`apikey`');
  });

  test('[AUTH-2] Credentials that are not valid UTF-8 are refused', () => {
    expect(refusal({ ...get, url: { U: '%E5sa', P: 'p' } })).toContain('`U`');
    const latin1 = Buffer.from('\xe5', 'latin1').toString('base64');
    expect(refusal({ headers: { 'x-service-userid': latin1, 'x-service-password': base64('p') } })).toContain(
      'UTF-8',
    );
  });
});
