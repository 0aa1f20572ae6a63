/** Every way to authenticate: all methods with valid and invalid credentials, and mixtures with mistakes. */
import fc, { type Arbitrary } from 'fast-check';
import { secretMark } from './hostile-values.ts';

type Pair = readonly [name: string, value: string];

/** The parts of a request that carry its credentials. */
export interface Presented {
  readonly headers: readonly Pair[];
  readonly query: readonly Pair[];
  readonly body: Readonly<Record<string, unknown>>;
}

export interface KnownCredentials {
  readonly users: readonly { readonly username: string; readonly password: string }[];
  readonly apiKeys: readonly string[];
}

const nothing: Presented = { headers: [], query: [], body: {} };
const base64 = (text: string) => Buffer.from(text).toString('base64');

type ByPassword = (username: string, password: string) => Presented;

const basic: ByPassword = (username, password) =>
  header('Authorization', `Basic ${base64(`${username}:${password}`)}`);
const inHeaders: ByPassword = (username, password) => ({
  ...nothing,
  headers: [
    ['X-Service-Userid', base64(username)],
    ['X-Service-Password', base64(password)],
  ],
});
const inBody: ByPassword = (username, password) => ({ ...nothing, body: { username, password } });
const inUrl: ByPassword = (username, password) => ({
  ...nothing,
  query: [
    ['U', encodeURIComponent(username)],
    ['P', encodeURIComponent(password)],
  ],
});
const byPassword = [basic, inHeaders, inBody, inUrl];

type ByKey = (key: string) => Presented;

const keyHeader: ByKey = (key) => header('X-API-Key', key);
const keyInUrl: ByKey = (key) => ({ ...nothing, query: [['key', encodeURIComponent(key)]] });
const keyInBody: ByKey = (key) => ({ ...nothing, body: { apikey: key } });
/** Accepted under `/api/v1` only. */
const bearer: ByKey = (key) => header('Authorization', `Bearer ${key}`);
const byKey = [keyHeader, keyInUrl, keyInBody, bearer];

/** Where a call accepts credentials besides headers; `basic` accepts only the one header. */
export type Places = 'body' | 'url' | 'basic';

const applicable: Readonly<Record<Places, readonly [readonly ByPassword[], readonly ByKey[]]>> = {
  body: [[basic, inHeaders, inBody], byKey],
  url: [
    [basic, inHeaders, inUrl],
    [keyHeader, keyInUrl],
  ],
  basic: [[basic], []],
};

function header(name: string, value: string): Presented {
  return { ...nothing, headers: [[name, value]] };
}

/** Mostly valid credentials, because the code behind authentication is the target. */
export function credentials(known: KnownCredentials, places: Places): Arbitrary<Presented> {
  const [passwordsHere, keysHere] = applicable[places];
  const anywhere = given(known, byPassword, byKey);
  const wrongKey = fc
    .tuple(fc.constantFrom(...byKey), fc.constantFrom(...known.apiKeys), fc.nat({ max: 80 }))
    .map(([give, key, at]) => give(`${key.slice(0, at)}${secretMark}${key.slice(at + 1)}`));
  return fc.oneof(
    { weight: 180, arbitrary: given(known, passwordsHere, keysHere) },
    { weight: 6, arbitrary: anywhere },
    { weight: 6, arbitrary: wrongKey },
    { weight: 6, arbitrary: malformed },
    { weight: 6, arbitrary: fc.tuple(anywhere, anywhere).map(([one, other]) => both(one, other)) },
    { weight: 3, arbitrary: fc.constant(nothing) },
    { weight: 1, arbitrary: wrongPassword },
  );
}

function given(
  { users, apiKeys }: KnownCredentials,
  passwords: readonly ByPassword[],
  keys: readonly ByKey[],
): Arbitrary<Presented> {
  const byUser = fc
    .tuple(fc.constantFrom(...passwords), fc.constantFrom(...users))
    .map(([give, { username, password }]) => give(username, password));
  if (keys.length === 0) return byUser;
  return fc.oneof(
    byUser,
    fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...apiKeys)).map(([give, key]) => give(key)),
  );
}

/** Only a few, since each costs a full password hash. Each uses its own account because of the limits on attempts. */
const wrongPassword = fc
  .tuple(fc.constantFrom(...byPassword), fc.nat())
  .map(([give, serial]) => give(`nobody${serial}`, `${secretMark} ${serial}`));

const malformed: Arbitrary<Presented> = fc.constantFrom<Presented>(
  header('Authorization', ''),
  header('Authorization', 'Basic'),
  header('Authorization', 'Basic ='),
  header('Authorization', `Basic ${base64(secretMark)}`),
  header('Authorization', `Basic ${base64(`:${secretMark}`)}`),
  header('Authorization', `Basic ${base64('alice:')}`),
  header('Authorization', `Basic ${Buffer.from([0x61, 0x3a, 0xff, 0xfe]).toString('base64')}`),
  header('Authorization', `Bearer ${secretMark}`),
  header('Authorization', 'Bearer'),
  header('Authorization', `bearer ${secretMark} ${secretMark}`),
  header('Authorization', `Bearer ${secretMark.repeat(1_000)}`),
  header('Authorization', `Basic ${base64(`alice\0:${secretMark}`)}`),
  header('Authorization', `Basic ${base64(`${'a'.repeat(5_000)}:${secretMark}`)}`),
  header('Authorization', `Basic ${base64(`alice:${secretMark.repeat(1_000)}`)}`),
  header('X-Service-Userid', base64('alice')),
  header('X-Service-Password', '%%%'),
  header('X-API-Key', secretMark.repeat(1_000)),
  header('X-API-Key', '\xff\xfe'),
  { ...nothing, query: [['U', 'alice']] },
  {
    ...nothing,
    query: [
      ['U', '%ff'],
      ['P', secretMark],
    ],
  },
  {
    ...nothing,
    query: [
      ['key', secretMark],
      ['key', secretMark],
    ],
  },
  { ...nothing, body: { username: ['alice'], password: {} } },
  { ...nothing, body: { username: 'alice', password: 5 } },
  { ...nothing, body: { apikey: { toString: 'x' } } },
  { ...nothing, body: { username: '\ud800', password: secretMark } },
);

function both(one: Presented, other: Presented): Presented {
  return {
    headers: [...one.headers, ...other.headers],
    query: [...one.query, ...other.query],
    body: { ...one.body, ...other.body },
  };
}
