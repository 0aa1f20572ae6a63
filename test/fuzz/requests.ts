/**
 * Generates whole requests, byte for byte as sent: correct requests, and requests with every mistake that a client
 * could make.
 */
import fc, { type Arbitrary } from 'fast-check';
import type { ApiDescription, Operation } from './api-description.ts';
import { credentials, type KnownCredentials, type Places, type Presented } from './credentials.ts';
import { damagedBody } from './damaged-bodies.ts';
import { urlValueFor } from './hostile-urls.ts';
import { isOffered, number, object, textMark, writeJson } from './hostile-values.ts';

type Pair = readonly [name: string, value: string];

export type Framing =
  | 'length'
  | 'none'
  | 'chunked'
  | 'short length'
  | 'long length'
  | 'two lengths'
  | 'length beside chunks'
  | 'negative length'
  | 'broken chunks';

export interface FuzzRequest {
  readonly method: string;
  /** The path and query as in the request line. */
  readonly target: string;
  readonly version: string;
  readonly headers: readonly Pair[];
  readonly framing: Framing;
  readonly body: Buffer;
  /** The operation the request is meant for; a changed method or path may miss it. */
  readonly operation: Operation;
}

const methods = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'];
const noMethods = ['get', 'BREW', 'CONNECT', '', 'PRI', 'G\0T', 'GET GET'];
const otherPaths = [
  ...[
    '/',
    '/healthz',
    '/readyz',
    '/metrics',
    '/docs',
    '/docs/',
    '/docs/openapi.json',
    '/docs/site.js',
    '*',
    '',
  ],
  ...[
    '/restsms',
    '/restsms/svcrest/sends',
    '/restsms/svcrest/send/',
    '//restsms/svcrest/send',
    '/a/../b',
    '/%2e%2e/',
  ],
  ...[
    '/restsms/svcrest/%73end',
    '/restsms/svcrest/send%00',
    '/%zz',
    '/%ff',
    '/docs/%2e%2e/package.json',
    '/;x',
  ],
  ...[
    '/docs/../../etc/hostname',
    '/docs/..%2f..%2fpackage.json',
    '/__proto__',
    '/constructor',
    `/${'x'.repeat(9_000)}`,
  ],
  ...[
    'http://example.com/restsms/svcrest/status',
    'http://[::1',
    'example.com:443',
    '/restsms/svcrest/SEND',
    '?',
    '/#x',
  ],
];

/** Encoded values for `{id}`. */
const inPath = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 2_000_000 }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('0', '-1', '1e3', '1+1', '%00', '%C3%A5', '%ff', '%', '{id}', '1;2'),
  },
  { weight: 1, arbitrary: fc.constantFrom('9'.repeat(16), '9'.repeat(30), 'x'.repeat(2_000)) },
);

/** For each call, mostly the right method and path, otherwise nearly right ones. */
export function fuzzRequests(api: ApiDescription, known: KnownCredentials): Arbitrary<FuzzRequest> {
  // The management API has far more calls and keeps growing, which must not make the contract's calls rarer.
  return fc.oneof(
    ...api.operations.map((operation) => ({
      weight: operation.path.startsWith('/api/v1/') ? 1 : 3,
      arbitrary: requestsOf(operation, known),
    })),
  );
}

function requestsOf(operation: Operation, known: KnownCredentials): Arbitrary<FuzzRequest> {
  const method = fc.oneof(
    { weight: 30, arbitrary: fc.constant(operation.method) },
    { weight: 1, arbitrary: fc.constantFrom(...methods) },
    { weight: 1, arbitrary: fc.constantFrom(...noMethods) },
  );
  const path = fc.oneof(
    { weight: 30, arbitrary: inPath.map((value) => operation.path.replace(/\{\w+\}/g, value)) },
    { weight: 1, arbitrary: fc.constantFrom(...otherPaths) },
  );
  const version = fc.oneof(
    { weight: 60, arbitrary: fc.constant('HTTP/1.1') },
    { weight: 1, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/1.2', 'HTTP/3.0', 'http/1.1', 'ICAP/1.0', '') },
  );
  return fc
    .record({
      method,
      path,
      version,
      presented: credentials(known, placesOf(operation)),
      query: query(operation),
      fields: operation.body === undefined ? fc.constant(undefined) : object(operation.body),
      damage: damagedBody,
      headers: fc.tuple(forwarded, host, fc.array(oddHeader, { maxLength: 2 })),
      framing,
    })
    .map(({ presented, query, fields, damage, headers, ...parts }) => ({
      method: parts.method,
      target: targetOf(parts.path, [...presented.query, ...query]),
      version: parts.version,
      headers: [...headers.slice(0, 2), headers[2], presented.headers].flat() as Pair[],
      framing: framingOf(fields === undefined && damage.isPlain, headers[2], parts.framing),
      body: damage.apply(bodyText(fields, presented)),
      operation,
    }));
}

/** If a body sent with an Upgrade is broken, Node waits for the rest until the request times out. */
function framingOf(hasNoBody: boolean, headers: readonly Pair[], wanted: Framing): Framing {
  if (hasNoBody) return 'none';
  return headers.some(([name]) => name === 'Upgrade') ? 'length' : wanted;
}

function placesOf({ path, body }: Operation): Places {
  if (path.endsWith('/apikey')) return 'basic';
  return body === undefined ? 'url' : 'body';
}

function bodyText(fields: object | undefined, presented: Presented): string {
  return fields === undefined ? '' : writeJson({ ...fields, ...presented.body });
}

function query({ query: parameters }: Operation): Arbitrary<readonly Pair[]> {
  const names = parameters.map(({ name, description = '', schema }) => ({
    weight: isOffered({ description }) ? 20 : 1,
    arbitrary: fc.tuple(fc.constant(name), urlValueFor(name, schema)),
  }));
  const unknown = fc.tuple(
    fc.constantFrom('x', '__proto__', 'constructor', 'key%00', '%zz', '', 'T%5B%5D', 'U', 'P', 'key'),
    fc.constantFrom('', '1', '%ff', 'a=b'),
  );
  const some = fc.oneof(...names, { weight: 10, arbitrary: unknown });
  return fc
    .tuple(urlEssentials(parameters), fc.uniqueArray(some, { maxLength: 4, selector: ([name]) => name }))
    .map(([first, others]) => [...first, ...others]);
}

/** A valid number and text, or name, if the call needs them. */
function urlEssentials(parameters: Operation['query']): Arbitrary<readonly Pair[]> {
  const names = parameters.map(({ name }) => name);
  if (names.includes('name')) return fc.constantFrom<readonly Pair[]>([['name', 'fuzz']], []);
  if (!names.includes('M8')) return fc.constant([]);
  const right = number.map((to): readonly Pair[] => [
    ['T', to],
    ['M8', textMark],
  ]);
  return fc.oneof({ weight: 4, arbitrary: right }, { weight: 1, arbitrary: fc.constant([]) });
}

function targetOf(path: string, query: readonly Pair[]): string {
  return query.length === 0 ? path : `${path}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`;
}

/**
 * Mostly a different client each time, through a trusted proxy, so that one client's failed attempts do not use up the
 * limits.
 */
const forwarded: Arbitrary<readonly Pair[]> = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.nat({ max: 2 ** 24 - 1 }).map((address): readonly Pair[] => [
      ['X-Forwarded-For', `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`],
      ['X-Forwarded-Proto', 'https'],
    ]),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<readonly Pair[]>(
      [],
      [['X-Forwarded-For', '::ffff:10.1.2.3, [2001:db8::1]:443, "10.0.0.1"']],
      [['X-Forwarded-For', ',,,\0']],
      [['X-Forwarded-For', '999.1.1.1, fe80::1%25eth0, unknown, _hidden']],
      [['X-Forwarded-For', '10.9.9.9,'.repeat(3_000)]],
      [['X-Forwarded-Proto', 'http']],
      [['X-Forwarded-Proto', 'https, http']],
      [['X-Forwarded-Proto', '']],
    ),
  },
);

const host: Arbitrary<readonly Pair[]> = fc.oneof(
  { weight: 80, arbitrary: fc.constant<readonly Pair[]>([['Host', 'sms.example.com']]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<readonly Pair[]>(
      [],
      [['Host', '']],
      [['Host', 'a b/../\\']],
      [
        ['Host', 'one.example'],
        ['Host', 'other.example'],
      ],
      [['Host', 'x'.repeat(10_000)]],
    ),
  },
);

const oddHeaders: readonly Pair[] = [
  ...[
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/xml',
  ].map((type): Pair => ['Content-Type', type]),
  ...['', 'x', ';;;', 'application/json; charset=utf-16', 'MULTIPART/mixed', 'a/b; c="'].map(
    (type): Pair => ['Content-Type', type],
  ),
  ...['gzip', 'br', 'identity', 'deflate, gzip', 'x'].map((coding): Pair => ['Content-Encoding', coding]),
  ...['100-continue', 'tea', ''].map((expectation): Pair => ['Expect', expectation]),
  ...['a', '', ' ', 'x'.repeat(255), 'x'.repeat(256), 'å', '"quoted"', "' OR 1=1"].map(
    (key): Pair => ['Idempotency-Key', key],
  ),
  ...['text/plain', 'application/json', '*/*;q=0', 'text/*;q=1, */*;q=x', ',,;', 'x'.repeat(3_000)].map(
    (types): Pair => ['Accept', types],
  ),
  ...['close', 'keep-alive', 'Upgrade', 'host', ''].map((option): Pair => ['Connection', option]),
  ...['*', '"etag"', 'W/"', ''].map((tag): Pair => ['If-None-Match', tag]),
  ...['*', '"1"', '"1", W/"2"', 'W/"1"', '1', '"', ',', ''].map((tags): Pair => ['If-Match', tags]),
  ['If-Modified-Since', 'Sat, 01 Jan 2050 00:00:00 GMT'],
  ['If-Modified-Since', 'yesterday'],
  ...['bytes=0-1', 'bytes=-1', 'bytes=9-1', 'bytes=0-,1-,2-', 'x'].map((range): Pair => ['Range', range]),
  ['Upgrade', 'h2c'],
  ['Upgrade', 'websocket'],
  ['X-Request-Id', 'own-id.1:2'],
  ['X-Request-Id', 'a b'],
  ['X-Request-Id', 'x'.repeat(129)],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Cookie', 'a=b; __proto__=c'],
  ['Origin', 'null'],
  ['TE', 'trailers'],
  ['Trailer', 'X-API-Key'],
  ['__proto__', 'x'],
  ['Accept-Encoding', 'gzip, br'],
  ['Accept-Language', '\xff'],
  ['X-Long', 'x'.repeat(66_000)],
  ['X-Folded', 'a\r\n b'],
  ['X Spaced', 'a'],
  ['X-Nul', 'a\0b'],
];
const oddHeader = fc.constantFrom(...oddHeaders);

const framing: Arbitrary<Framing> = fc.oneof(
  { weight: 80, arbitrary: fc.constant<Framing>('length') },
  { weight: 8, arbitrary: fc.constant<Framing>('chunked') },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Framing>(
      'none',
      'short length',
      'long length',
      'two lengths',
      'length beside chunks',
      'negative length',
      'broken chunks',
    ),
  },
);
