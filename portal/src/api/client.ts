/** Calls the server: typed by path and method, JSON both ways, and patient while a sign-in or a password is due. */
import type { Method } from '../../../src/app/api-types.ts';
import { filledIn, queryOf } from '../../../src/wire/api-path.ts';
import { serverTime, setClock } from '../browser/clock.ts';
import type { AnswerOf, ParametersOf, PathFor } from './endpoints.ts';
import { Fault, type FaultBody } from './fault.ts';

/** `/portal/`, behind the server's path prefix, which it writes into the page. */
export const portalPath =
  document.querySelector<HTMLMetaElement>('meta[name=portal-path]')?.content ?? '/portal/';

/** Where the calls of the API begin: empty, or the server's path prefix. */
export const pathPrefix = portalPath.slice(0, -'/portal/'.length);

export interface CallOptions {
  /** What is sent twice under one key is done once. */
  readonly idempotencyKey?: string;
  /** When it was sent first under the key, where that is known from before the page was loaded. */
  readonly firstSentAt?: number | undefined;
  /** The version that the change is based on: it is refused if the object has another one by now. */
  readonly version?: string | undefined;
  readonly signal?: AbortSignal;
  /** The JSON that is sent in place of the parameters, where it is too large to be made in the page. */
  readonly body?: Blob;
  /** It signs in or out: that nobody is signed in is an answer like any other. */
  readonly takes401?: boolean;
}

export function get<Path extends PathFor<'GET'>>(
  path: Path,
  parameters: ParametersOf<'GET', Path>,
  options?: CallOptions,
): Promise<AnswerOf<'GET', Path>> {
  return call('GET', path, parameters, options);
}

export function post<Path extends PathFor<'POST'>>(
  path: Path,
  parameters: ParametersOf<'POST', Path>,
  options?: CallOptions,
): Promise<AnswerOf<'POST', Path>> {
  return call('POST', path, parameters, options);
}

export function patch<Path extends PathFor<'PATCH'>>(
  path: Path,
  parameters: ParametersOf<'PATCH', Path>,
  options?: CallOptions,
): Promise<AnswerOf<'PATCH', Path>> {
  return call('PATCH', path, parameters, options);
}

export function remove<Path extends PathFor<'DELETE'>>(
  path: Path,
  parameters: ParametersOf<'DELETE', Path>,
  options?: CallOptions,
): Promise<AnswerOf<'DELETE', Path>> {
  return call('DELETE', path, parameters, options);
}

/** Where a browser loads a file from, such as the CSV of a list as it is filtered. */
export function fileAddress<Path extends PathFor<'GET'>>(
  path: Path,
  parameters: ParametersOf<'GET', Path>,
): string {
  const { url, rest } = filledIn(path, parameters);
  return pathPrefix + url + queryOf(rest);
}

/** By POST, with a file as the body; the parameters stand in the URL. */
export function postFile<Path extends PathFor<'POST'>>(
  path: Path,
  parameters: ParametersOf<'POST', Path>,
  file: Blob,
): Promise<AnswerOf<'POST', Path>> {
  return call('POST', path, parameters, { file });
}

/** Resolves when somebody has signed in again, and the call may be made once more. */
export type SignInAgain = () => Promise<void>;

let signInAgain: SignInAgain | undefined;

/** Says what to do when a call finds that the session has ended. */
export function whenSignedOut(doThis: SignInAgain | undefined): void {
  signInAgain = doThis;
}

/** Resolves with whether the password was given: then the call may be made once more. */
type GivePassword = () => Promise<boolean>;

let givePassword: GivePassword | undefined;

/** Says what to do when a call takes a password that was given in the last minutes. */
export function whenPasswordNeeded(doThis: GivePassword | undefined): void {
  givePassword = doThis;
}

let shownTo: string | undefined;

/** Says whom the pages are shown to: the server answers nobody else, whoever has signed in in another tab since. */
export function showTo(username: string | undefined): void {
  shownTo = username;
}

/** Whom the pages are shown to. */
export function shownUser(): string {
  return shownTo ?? '';
}

export async function call<Answer>(
  method: Method,
  path: string,
  parameters: Readonly<Record<string, unknown>>,
  options: CallOptions & { readonly file?: Blob } = {},
): Promise<Answer> {
  for (;;) {
    const response = await request(method, path, parameters, options);
    if (response.status === 401 && signInAgain !== undefined && options.takes401 !== true) {
      // Nothing was done yet: who calls is asked before anything else.
      await signInAgain();
      continue;
    }
    const body = await bodyOf(response);
    if (response.ok) return body as Answer;
    const fault = new Fault(response.status, body as FaultBody);
    if (fault.code === 'password_needed' && (await givePassword?.()) === true) continue;
    if (fault.code !== 'other_session') throw fault;
    location.reload();
    // Of a page that goes, nothing comes any more.
    return new Promise(() => undefined);
  }
}

async function request(
  method: Method,
  path: string,
  parameters: Readonly<Record<string, unknown>>,
  { idempotencyKey, firstSentAt, version, signal, body, file }: CallOptions & { readonly file?: Blob },
): Promise<Response> {
  const { url, rest } = filledIn(path, parameters);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (shownTo !== undefined) headers['x-portal-user'] = encodeURIComponent(shownTo);
  if (idempotencyKey !== undefined) {
    if (!isRepeatable(firstCallOf(idempotencyKey, firstSentAt))) throw new Fault(0, { code: 'outdated' });
    headers['idempotency-key'] = idempotencyKey;
  }
  if (version !== undefined) headers['if-match'] = `"${version}"`;
  const hasBody = method === 'POST' || method === 'PATCH';
  const hasJson = hasBody && file === undefined;
  if (hasBody) headers['content-type'] = file === undefined ? 'application/json' : 'text/csv';
  const response = await reached(
    fetch(pathPrefix + url + (hasJson ? '' : queryOf(rest)), {
      method,
      headers,
      credentials: 'same-origin',
      ...(hasJson ? { body: body ?? JSON.stringify(rest) } : file === undefined ? {} : { body: file }),
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  setClock(response.headers.get('date'));
  return response;
}

/** The line may also break in the middle of an answer. */
async function reached<Value>(value: Promise<Value>): Promise<Value> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Fault(0, {});
  }
}

/** The server knows a key for a day; an hour less, for a clock that is wrong and an answer that is slow. */
const repeatableForMs = 23 * 60 * 60 * 1_000;

/** Whether what was first sent at a time may be sent again under its key, without being done again. */
export function isRepeatable(firstAt: number): boolean {
  return serverTime() - firstAt < repeatableForMs;
}

const firstCalls = new Map<string, number>();

function firstCallOf(key: string, firstSentAt = serverTime()): number {
  const at = firstCalls.get(key) ?? firstSentAt;
  firstCalls.set(key, at);
  return at;
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await reached(response.text());
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  // A proxy in between answers with a page of its own.
  return isJson ? JSON.parse(text) : {};
}

/** Keys by which the server knows a call again that is made twice. Plain HTTP has no `randomUUID`. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
