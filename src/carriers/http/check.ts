/**
 * Finds what is wrong with the declaration of a carrier by HTTP although each of its settings is well formed: placeholders that
 * have no value, secrets in the wrong place, addresses that others could listen to.
 */
import { isLoopback } from '../../http/origin.ts';
import { networkList } from '../../wire/network-list.ts';
import { nearest } from '../../yaml/fields.ts';
import { declarationOf, presets } from './presets.ts';
import { type HttpDeclaration, type HttpSettings, missingKeys } from './settings.ts';
import { fillUrl, placeholdersOf } from './template.ts';

type Path = readonly (string | number)[];

export interface DeclarationFault {
  /** Where it is within the settings; empty for what is missing. */
  readonly path: Path;
  /** Continues the line after the place, without a full stop. */
  readonly sentence: string;
}

/** Where a text stands in the declaration. */
interface Text {
  readonly path: Path;
  readonly text: string;
}

/** A request of the declaration, with the placeholders that have a meaning in it beside those of the carrier itself. */
interface Request {
  readonly path: Path;
  readonly request: HttpDeclaration['submit'] | Poll;
  readonly names: readonly string[];
}

type Poll = NonNullable<NonNullable<HttpDeclaration['receipts']>['poll']>;

/** What a request that submits a message can name of it. */
const messageNames: readonly string[] = [
  ...['id', 'key', 'to', 'from', 'text', 'parts', 'flash', 'validitySeconds'],
  ...['receiptUrl', 'incomingUrl'],
];
const accountNames = ['baseUrl', 'username', 'password'] as const;
const requestKeys = ['url', 'headers', 'basic', 'json', 'form', 'query'];
const maxJsonLength = 20_000;

/** The settings may have their secrets sealed: only their names matter. */
export function faultsOf(settings: HttpSettings): readonly DeclarationFault[] {
  const { preset, submit } = settings;
  if (preset !== undefined && !Object.hasOwn(presets, preset)) {
    const meant = nearest(preset, Object.keys(presets));
    const advice =
      meant === undefined ? `the presets are ${Object.keys(presets).join(', ')}` : `did you mean ${meant}?`;
    return [{ path: ['preset'], sentence: `there is no preset of this name; ${advice}` }];
  }
  if (preset === undefined && submit === undefined)
    return [{ path: [], sentence: 'needs a key "submit", or the name of a service in "preset"' }];
  const declaration = declarationOf(settings);
  const missing = missingKeys(declaration);
  if (missing.length > 0)
    return missing.map(([section, key]) => ({ path: [section], sentence: `needs a key "${key}"` }));
  const requests = requestsOf(declaration);
  return [
    ...nameFaults(declaration),
    ...placeholderFaults(declaration, requests, settings),
    ...keyFaults(declaration, settings),
    ...requests.flatMap((request) => requestFaults(request, declaration)),
    ...bodyFaults(declaration),
    ...conditionFaults(declaration),
    ...callFaults(declaration),
  ];
}

/** Faults of the regular expressions in the settings; the library that reads them is loaded only if there is one. */
export async function expressionFaults(settings: HttpSettings): Promise<readonly DeclarationFault[]> {
  const { receipts, incoming, submit } = settings;
  const texts = textsIn({
    submit: { accepted: submit?.accepted, refusals: submit?.refusals },
    receipts,
    incoming,
  });
  const written = texts.filter(
    // The values in `is` and the text of an answer may well begin like an expression.
    ({ path, text }) => text.startsWith('regex:') && path.at(-1) !== 'body' && !path.includes('is'),
  );
  if (written.length === 0) return [];
  const { RE2JS } = await import('re2js');
  return written.flatMap(({ path, text }) => {
    try {
      RE2JS.compile(text.slice('regex:'.length));
      return [];
    } catch (error) {
      const why = (error as Error).message.replace(/^error parsing regexp: /, '');
      return [
        {
          path,
          sentence: `is no regular expression that RE2 can read (it has no lookaround and no back references): ${why}`,
        },
      ];
    }
  });
}

function requestsOf(declaration: HttpDeclaration): readonly Request[] {
  const { submit, receipts, incoming, choices = {} } = declaration;
  const list = incoming?.poll;
  return [
    { path: ['submit'], request: submit, names: [...messageNames, ...Object.keys(choices)] },
    ...(receipts?.poll === undefined
      ? []
      : [{ path: ['receipts', 'poll'], request: receipts.poll, names: ['id', 'carrierId'] }]),
    ...(list === undefined ? [] : [{ path: ['incoming', 'poll'], request: list, names: [] }]),
    ...(list?.acknowledge === undefined
      ? []
      : [{ path: ['incoming', 'poll', 'acknowledge'], request: list.acknowledge, names: ['incomingId'] }]),
  ];
}

/** Names of the operator's choice that mean something already. */
function nameFaults({
  secrets = {},
  values = {},
  choices = {},
}: HttpDeclaration): readonly DeclarationFault[] {
  const taken = new Set<string>([...messageNames, ...accountNames, 'carrierId', 'incomingId']);
  return Object.entries({ secrets, values, choices }).flatMap(([field, named]) =>
    Object.keys(named).flatMap((name) => {
      const isTaken = taken.has(name);
      taken.add(name);
      return isTaken
        ? [{ path: [field, name], sentence: 'this placeholder has a meaning already; choose another name' }]
        : [];
    }),
  );
}

function placeholderFaults(
  declaration: HttpDeclaration,
  requests: readonly Request[],
  settings: HttpSettings,
): readonly DeclarationFault[] {
  const { values = {}, secrets = {}, choices = {}, baseUrl = '' } = declaration;
  const own = [...accountNames, ...Object.keys(values), ...Object.keys(secrets)];
  const places = [
    ...requests.map(({ path, request, names }) => ({
      texts: requestKeys.flatMap((key) => textsIn((request as Record<string, unknown>)[key], [...path, key])),
      known: [...own, ...names],
    })),
    { texts: textsIn(choices, ['choices']), known: [...own, ...messageNames] },
    { texts: textsIn(baseUrl, ['baseUrl']), known: own },
  ];
  const used = places.flatMap(({ texts, known }) =>
    texts.flatMap(({ path, text }) => placeholdersOf(text).map((name) => ({ path, name, known }))),
  );
  const missing = accountNames.filter(
    (name) => declaration[name] === undefined && used.some((one) => one.name === name),
  );
  const unknown = used.filter(({ name, known }) => !known.includes(name));
  const [inFile, inPreset] = [true, false].map((isOwn) =>
    unknown.filter(({ path }) => isWritten(settings, path) === isOwn),
  ) as [typeof unknown, typeof unknown];
  return [
    ...missing.map((name) => ({ path: [], sentence: `needs a key "${name}", because {${name}} is used` })),
    ...[...new Set(inPreset.map(({ name }) => name))].map((name) => ({
      path: [],
      sentence: `the preset needs a text for {${name}}: give it in "secrets" if it is secret, or else in "values"`,
    })),
    ...inFile.map(({ path, name, known }) => {
      const meant = nearest(name, known);
      const advice = meant === undefined ? `known here: ${known.join(', ')}` : `did you mean {${meant}}?`;
      return { path, sentence: `there is no placeholder {${name}}; ${advice}` };
    }),
  ];
}

/** Whether the operator wrote what is there; otherwise it comes from the preset. */
function isWritten(settings: unknown, path: Path): boolean {
  const found = path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined,
    settings,
  );
  return found !== undefined;
}

/** Signatures whose key is missing. */
function keyFaults(declaration: HttpDeclaration, settings: HttpSettings): readonly DeclarationFault[] {
  const { submit, receipts, incoming, secrets = {} } = declaration;
  const signatures = [
    { path: ['submit', 'sign'], signature: submit.sign },
    { path: ['receipts', 'signature'], signature: receipts?.signature },
    { path: ['incoming', 'signature'], signature: incoming?.signature },
  ];
  const known = [...(declaration.password === undefined ? [] : ['password']), ...Object.keys(secrets)];
  const faults = signatures.flatMap(({ path, signature }) => {
    if (signature === undefined) return [];
    const key = (typeof signature === 'string' ? undefined : signature.secret) ?? 'password';
    if (known.includes(key)) return [];
    if (key === 'password')
      return [{ path: [], sentence: 'needs a key "password", with which signatures are made' }];
    const at = [...path, 'secret'];
    if (!isWritten(settings, at))
      return [
        {
          path: [],
          sentence: `the preset needs the secret "${key}", with which signatures are made: give it in "secrets"`,
        },
      ];
    const meant = nearest(key, known);
    const advice = meant === undefined ? 'give it in "secrets"' : `did you mean ${meant}?`;
    return [{ path: at, sentence: `there is no secret of this name; ${advice}` }];
  });
  return faults.filter(
    ({ sentence }, index) => faults.findIndex((other) => other.sentence === sentence) === index,
  );
}

/** Headers that the connection itself needs. */
const ownHeaders = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

function requestFaults(
  { path, request }: Request,
  declaration: HttpDeclaration,
): readonly DeclarationFault[] {
  const { headers = {}, basic } = request;
  const { json, form, query } = request as Partial<HttpDeclaration['submit']>;
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const secret = [
    ...textsIn({ headers, form, query, json }, path).filter(({ path: at }) =>
      isSecretName(String(at.at(-1))),
    ),
    ...(basic === undefined ? [] : [{ path: [...path, 'basic', 'password'], text: basic.password }]),
  ];
  return [
    ...urlFaults([...path, 'url'], request.url, declaration),
    ...secret
      .filter(({ text }) => isShownSecret(text))
      .map(({ path: at }) => ({ path: at, sentence: shownSecret })),
    ...Object.entries(headers).flatMap(([name, text]) => {
      const at = [...path, 'headers', name];
      if (!/^[\w.-]+$/.test(name)) return [{ path: at, sentence: 'is no name of a header' }];
      if (ownHeaders.includes(name.toLowerCase()))
        return [{ path: at, sentence: 'this header is set by the server itself' }];
      return /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
        ? []
        : [{ path: at, sentence: 'must be one line of characters of Latin-1' }];
    }),
    ...(basic !== undefined && names.includes('authorization')
      ? [{ path: [...path, 'basic'], sentence: 'give either "basic" or a header "Authorization", not both' }]
      : []),
  ];
}

/** The usual names of headers and fields with secrets. */
function isSecretName(name: string): boolean {
  const word = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  return (
    ['authorization', 'proxyauthorization', 'cookie', 'key', 'pass', 'pwd', 'token'].includes(word) ||
    /(password|passwd|secret|apikey|authkey|accesskey|apitoken|authtoken|accesstoken)$/.test(word)
  );
}

/** Whether the value of a field for a secret is written out. A field `key` may hold `{id}`, an idempotency key. */
function isShownSecret(text: string): boolean {
  const isFilledIn = !placeholdersOf(text).every((name) => messageNames.includes(name));
  return !isFilledIn && /[\p{L}\p{N}]/u.test(text.replaceAll(/\{[^{}]*\}/g, ''));
}

const shownSecret =
  'has a secret that would be shown: give it in "secrets", and its name in braces here, such as {token}';

const exampleBase = 'https://sms.example';

function urlFaults(path: Path, url: string, declaration: HttpDeclaration): readonly DeclarationFault[] {
  const { baseUrl, values = {}, insecure } = declaration;
  // Without a base, which is reported by itself, the rest can still be checked.
  const filled = fillUrl(url, { ...values, baseUrl: baseUrl ?? exampleBase });
  const at =
    url.startsWith('{baseUrl}') && baseUrl !== undefined && !filled.startsWith('https://')
      ? ['baseUrl']
      : path;
  const [, scheme, authority = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(filled) ?? [];
  if (!['http', 'https'].includes(scheme?.toLowerCase() ?? '') || authority === '')
    return [{ path: at, sentence: 'must be an address that begins with https://, or with {baseUrl}' }];
  if (/[{}]/.test(authority))
    return [
      {
        path: at,
        sentence:
          'only {baseUrl}, or a name in "values", may say where the server is; what differs by message follows after the host',
      },
    ];
  if (authority.includes('@'))
    return [
      { path: at, sentence: 'must have no user and no password, because it is shown; give them in "basic"' },
    ];
  if (!URL.canParse(filled)) return [{ path: at, sentence: 'is no address' }];
  const { protocol, hostname, searchParams } = new URL(filled);
  if ([...searchParams].some(([name, value]) => isSecretName(name) && isShownSecret(value)))
    return [{ path: at, sentence: shownSecret }];
  const host = hostname.replace(/^\[|\]$/g, '');
  const isSafe = protocol === 'https:' || insecure || isLoopback(host) || host === 'localhost';
  return isSafe
    ? []
    : [
        {
          path: at,
          sentence:
            'must begin with https://, because others could read what is sent; "insecure: true" allows it nevertheless',
        },
      ];
}

function bodyFaults({
  submit: { method = 'POST', json, form },
}: HttpDeclaration): readonly DeclarationFault[] {
  const bodies = Object.entries({ json, form }).filter(([, body]) => body !== undefined);
  if (bodies.length > 1)
    return [{ path: ['submit', 'form'], sentence: 'give either "json" or "form", not both' }];
  return bodies.flatMap(([key, body]) => {
    const path = ['submit', key];
    if (method === 'GET')
      return [{ path, sentence: 'a request by GET has no body; give its fields in "query"' }];
    const isTooLong = JSON.stringify(body).length > maxJsonLength;
    return isTooLong ? [{ path, sentence: `must have at most ${maxJsonLength} characters as JSON` }] : [];
  });
}

function conditionFaults({
  submit: { accepted, refusals = [] },
  incoming,
}: HttpDeclaration): readonly DeclarationFault[] {
  const isWithoutPlace = ({ at, is }: { readonly at?: string; readonly is?: readonly string[] }) =>
    is !== undefined && at === undefined;
  const placeless = 'says which values, and needs a key "at" beside it for where they stand';
  return [
    ...(isWithoutPlace(accepted) ? [{ path: ['submit', 'accepted', 'is'], sentence: placeless }] : []),
    ...refusals.flatMap((refusal, index) => {
      const path = ['submit', 'refusals', index];
      const { status, at, as } = refusal;
      return [
        ...(status === undefined && at === undefined && refusal.is === undefined
          ? [{ path, sentence: 'needs a key "status" or "at": which answers does it mean?' }]
          : []),
        ...(isWithoutPlace(refusal) ? [{ path: [...path, 'is'], sentence: placeless }] : []),
        ...(as !== undefined && !['rejected', 'passOn'].includes(refusal.then)
          ? [
              {
                path: [...path, 'as'],
                sentence: 'is a final status, which only "then: rejected" and "then: passOn" lead to',
              },
            ]
          : []),
      ];
    }),
    ...(incoming?.only?.is.length === 0
      ? [{ path: ['incoming', 'only', 'is'], sentence: 'must not be empty' }]
      : []),
  ];
}

function callFaults({ receipts, incoming }: HttpDeclaration): readonly DeclarationFault[] {
  const calls = Object.entries({ receipts, incoming });
  return [
    ...(receipts !== undefined && Object.keys(receipts.states).length === 0
      ? [{ path: ['receipts', 'states'], sentence: 'must say what at least one state means' }]
      : []),
    ...calls.flatMap(([field, call]) => [
      ...(call?.networks ?? []).flatMap((network, index) =>
        network.includes('/') && networkList([network]) !== undefined
          ? []
          : [{ path: [field, 'networks', index], sentence: 'must be a network such as 192.0.2.0/24' }],
      ),
    ]),
  ];
}

function textsIn(value: unknown, path: Path = []): readonly Text[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, inner]) =>
    textsIn(inner, [...path, isList ? Number(key) : key]),
  );
}
