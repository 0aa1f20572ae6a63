/** Checks what every response must be, whatever the request (API: conventions, errors). */
import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { ApiDescription, Operation } from './api-description.ts';
import type { WireAnswer } from './connection.ts';
import { secretMark } from './hostile-values.ts';
import type { FuzzRequest } from './requests.ts';

/** Statuses that HTTP itself may require for any request, with the only codes allowed for them. */
const ofHttp: ReadonlyMap<number, string> = new Map([
  [400, 'bad_request'],
  [403, 'cross_site'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [408, 'request_timeout'],
  [431, 'headers_too_large'],
]);

/** Internal words that no outside caller should see. */
const inside =
  /node_modules|sqlite|postgres|\bat (?:[\w.<>]+ )?\(?(?:file|node|\/)|\.[cm]?[jt]s:\d|\/src\/|\/dist\/|ECONN|TypeError|RangeError|SyntaxError|SELECT |INSERT |UNIQUE constraint/;

const jsonType = 'application/json; charset=utf-8';

export interface Known {
  readonly api: ApiDescription;
  /** Passwords and keys that no response may repeat. */
  readonly secrets: readonly string[];
}

/** Every fault of the response. */
export function faultsOf(request: FuzzRequest, answer: WireAnswer, known: Known): readonly string[] {
  const path = pathOf(request);
  const operation = operationOf(request, known.api);
  const body = decoded(answer);
  const text = body.toString();
  return [
    ...faultsOfHead(request, answer),
    ...(isUtf8(body) ? [] : ['the body is not UTF-8']),
    ...leaks(path, answer, text, known),
    ...(isPage(path) ? [] : faultsOfBody(operation, request.method, answer, text, known)),
  ];
}

/** Files of pages come compressed to those who take that. */
function decoded({ headers, body }: WireAnswer): Buffer {
  if (body.length === 0) return body;
  switch (headers.get('content-encoding')) {
    case 'br':
      return brotliDecompressSync(body);
    case 'gzip':
      return gunzipSync(body);
    default:
      return body;
  }
}

/** The unescaped path without the query, and without the scheme and host of an absolute form (RFC 9112 section 3.2.2). */
function pathOf({ target }: FuzzRequest): string {
  const path = (target.split(/[?#]/, 1)[0] ?? '').replace(/^http:\/\/[^/]*(?=\/)/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The call that was actually made, which may differ from the intended one. */
export function operationOf(request: FuzzRequest, { operations }: ApiDescription): Operation | undefined {
  const path = pathOf(request);
  // A literal path takes precedence over a parameter: `/batches/preview` is not a batch.
  const isNamed = operations.some((one) => one.path === path);
  const isAt = (one: Operation) => (isNamed ? one.path === path : fits(path, one.path));
  return operations.find((one) => isAt(one) && one.method === request.method);
}

function fits(path: string, template: string): boolean {
  const segments = path.split('/');
  const expected = template.split('/');
  const isSame = (segment: string, place: number) =>
    segment.startsWith('{') ? segments[place] !== '' : segment === segments[place];
  return segments.length === expected.length && expected.every(isSame);
}

/** Static files and documents have their own types and words. */
function isPage(path: string): boolean {
  return path === '/' || path === '/metrics' || path === '' || path === '*' || path.startsWith('/docs');
}

function faultsOfHead({ headers: asked }: FuzzRequest, { status, headers }: WireAnswer): string[] {
  const faults: string[] = [];
  const need = (name: string, pattern: RegExp) => {
    const value = headers.get(name);
    if (value === undefined || !pattern.test(value)) faults.push(`${status} has ${name}: ${value}`);
  };
  need('x-request-id', /^[A-Za-z0-9._:-]{1,128}$/);
  const own = asked.filter(([name]) => name === 'X-Request-Id').map(([, value]) => value);
  if (own.includes('own-id.1:2') && own.length === 1 && status !== 400 && status !== 431)
    need('x-request-id', /^own-id\.1:2$/);
  need('x-content-type-options', /^nosniff$/);
  need('referrer-policy', /^no-referrer$/);
  if (status === 401)
    need(
      'www-authenticate',
      /^Basic realm="[^"]+", charset="UTF-8"(, Bearer realm="[^"]+"(, error="invalid_token")?)?$/,
    );
  if (status === 405) need('allow', /^[A-Z]+(, [A-Z]+)*$/);
  if (status === 429 || status === 503) need('retry-after', /^[0-9]+$/);
  if (headers.has('x-injected')) faults.push('a header of the answer came out of the request');
  if (status >= 500 && status !== 503) faults.push(`the status is ${status}`);
  return faults;
}

function leaks(path: string, answer: WireAnswer, text: string, { secrets }: Known): string[] {
  const isKey = path.endsWith('/apikey') && answer.status === 200;
  const whole = `${answer.head}\n${text}`;
  // The documents are our own text, so internal words are allowed in them.
  const [word] = text.startsWith('{"openapi"') || text.startsWith('# HELP') ? [] : (inside.exec(whole) ?? []);
  const revealed = isKey ? [] : [secretMark, ...secrets].filter((secret) => whole.includes(secret));
  return [
    ...(word === undefined ? [] : [`the answer tells of the inside: ${word}`]),
    ...revealed.map((secret) => `the answer repeats a secret: ${secret}`),
  ];
}

function faultsOfBody(
  operation: Operation | undefined,
  method: string,
  { status, headers }: WireAnswer,
  text: string,
  { api }: Known,
): string[] {
  if (method === 'HEAD' || status === 304 || status === 308) return [];
  const type = headers.get('content-type');
  const contents = operation?.answers.get(status)?.contents;
  if (type === 'text/plain; charset=utf-8' && contents?.has('text/plain') === true) return [];
  if (type === 'text/csv; charset=utf-8' && contents?.has('text/csv') === true) return [];
  const line = contents?.get('application/jsonl');
  if (type === 'application/jsonl; charset=utf-8' && line !== undefined)
    return text
      .split('\n')
      .filter((one) => one !== '' && line.Check(parsed(one)?.value) !== true)
      .map((one) => `a line is not as declared: ${one.slice(0, 80)}`);
  if (contents?.size === 0 && text === '') return [];
  if (type !== jsonType) return [`the content type is ${type}`];
  const json = parsed(text);
  if (json === undefined) return [`the body is not JSON: ${text.slice(0, 80)}`];
  if (status === 200 && contents === undefined) return [];
  const declared = contents?.get('application/json');
  if (declared?.Check(json.value) === true) return [];
  // Malformed HTTP and unknown calls are refused alike for every path.
  const { code } = Object(json.value) as { code?: unknown };
  const isError = api.error.Check(json.value);
  if (isError && ofHttp.get(status) === code && (operation === undefined || !isAboutPath(code))) return [];
  if (isError && operation === undefined) return [`${status} ${code} for no call at all`];
  return [`${status} ${String(code)} is not as declared: ${text.slice(0, 300)}`];
}

function isAboutPath(code: unknown): boolean {
  return code === 'not_found' || code === 'method_not_allowed';
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
