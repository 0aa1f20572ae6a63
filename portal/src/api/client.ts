/**
 * Calls the server, typed by path and method and with JSON both ways. A call waits while a sign-in or a password is needed.
 */
import type { Method } from '../../../src/app/api-types.ts';
import { filledIn, queryOf } from '../../../src/wire/api-path.ts';
import { serverTime, setClock, thisMoment } from '../browser/clock.ts';
import { language } from '../words/language.ts';
import type { AnswerOf, ParametersOf, PathFor } from './endpoints.ts';
import { Fault, type FaultBody } from './fault.ts';

/** `/portal/` after the server's path prefix, which the server writes into the page. */
export const portalPath =
  document.querySelector<HTMLMetaElement>('meta[name=portal-path]')?.content ?? '/portal/';

/** Whether the browser has opened the pages of operators, who have a session of their own. */
export const isOfOperators = /^operator(?:\/|$)/.test(location.pathname.slice(portalPath.length));

/** What the paths of calls about the signed-in user or operator begin with. */
export const ownPath = isOfOperators ? '/portal/api/operator' : '/portal/api';

/** Prefix of the API's paths: empty, or the server's path prefix. */
export const pathPrefix = portalPath.slice(0, -'/portal/'.length);

export interface CallOptions {
  /** Calls repeated with the same key are carried out once. */
  readonly idempotencyKey?: string;
  /** When the call was first sent with this key, if that may have been before the page was loaded. */
  readonly firstSentAt?: number | undefined;
  /** The version that the change is based on. The call is refused if the object has a different version. */
  readonly version?: string | undefined;
  readonly signal?: AbortSignal;
  /** JSON sent instead of the parameters, if it is too large to be built in the page. */
  readonly body?: Blob;
  /** Whether the call signs in or out, so that the caller handles a 401 itself, without another sign-in. */
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

/** The address from which a browser loads a file, such as the CSV of a filtered list. */
export function fileAddress<Path extends PathFor<'GET'>>(
  path: Path,
  parameters: ParametersOf<'GET', Path>,
): string {
  const { url, rest } = filledIn(path, parameters);
  return pathPrefix + url + queryOf(rest);
}

/** Posts a file as the body, with the parameters in the URL. */
export function postFile<Path extends PathFor<'POST'>>(
  path: Path,
  parameters: ParametersOf<'POST', Path>,
  file: Blob,
): Promise<AnswerOf<'POST', Path>> {
  return call('POST', path, parameters, { file });
}

/** Resolves once the user has signed in again, after which the call may be repeated. */
export type SignInAgain = () => Promise<void>;

let signInAgain: SignInAgain | undefined;

/** Sets what to do when a call finds that the session has ended. */
export function whenSignedOut(doThis: SignInAgain | undefined): void {
  signInAgain = doThis;
}

/** Resolves with whether the password was entered; if so, the call may be repeated. */
type GivePassword = () => Promise<boolean>;

let givePassword: GivePassword | undefined;

/** Sets what to do when a call requires a password entered within the last few minutes. */
export function whenPasswordNeeded(doThis: GivePassword | undefined): void {
  givePassword = doThis;
}

let shownTo: string | undefined;

/**
 * Sets the user that the pages are shown to. The server answers this tab for no other user, even if another user has since
 * signed in from another tab.
 */
export function showTo(username: string | undefined): void {
  shownTo = username;
}

/** The user that the pages are shown to. */
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
      // Nothing has been done yet, because the server authenticates the caller before anything else.
      await signInAgain();
      continue;
    }
    const body = await bodyOf(response);
    if (response.ok) return body as Answer;
    const fault = new Fault(response.status, body as FaultBody);
    if (isUnconfirmed(fault) && (await givePassword?.()) === true) continue;
    if (fault.code !== 'other_session' && fault.code !== 'factor_missing') throw fault;
    location.reload();
    // The page is reloading, so this call never settles.
    return new Promise(() => undefined);
  }
}

/** Whether the user has to give the password or a second factor again, which a dialog asks for. */
export function isUnconfirmed({ code }: Fault): boolean {
  return code === 'password_needed' || code === 'factor_needed';
}

async function request(
  method: Method,
  path: string,
  parameters: Readonly<Record<string, unknown>>,
  { idempotencyKey, firstSentAt, version, signal, body, file }: CallOptions & { readonly file?: Blob },
): Promise<Response> {
  const { url, rest } = filledIn(path, parameters);
  const headers: Record<string, string> = { accept: 'application/json', 'accept-language': language };
  if (shownTo !== undefined) headers['x-portal-user'] = encodeURIComponent(shownTo);
  if (idempotencyKey !== undefined) {
    if (!isRepeatable(firstCallOf(idempotencyKey, firstSentAt))) throw new Fault(0, { code: 'outdated' });
    headers['idempotency-key'] = idempotencyKey;
  }
  if (version !== undefined) headers['if-match'] = `"${version}"`;
  const hasBody = method === 'POST' || method === 'PATCH';
  const hasJson = hasBody && file === undefined;
  if (hasBody) headers['content-type'] = file === undefined ? 'application/json' : 'text/csv';
  const requested = thisMoment();
  const response = await reached(
    fetch(pathPrefix + url + (hasJson ? '' : queryOf(rest)), {
      method,
      headers,
      credentials: 'same-origin',
      ...(hasJson ? { body: body ?? JSON.stringify(rest) } : file === undefined ? {} : { body: file }),
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  setClock(response.headers.get('date'), requested);
  return response;
}

/** The connection may also break in the middle of an answer. */
async function reached<Value>(value: Promise<Value>): Promise<Value> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Fault(0, {});
  }
}

/** The server keeps a key for a day. One hour less allows for a wrong clock and a slow answer. */
const repeatableForMs = 23 * 60 * 60 * 1_000;

/** Whether a call first sent at this time may be repeated with its key without being carried out again. */
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
  // A proxy in between may answer with its own page.
  if (!isJson) return {};
  return JSON.parse(text);
}

/** Makes keys by which the server recognises a repeated call. `randomUUID` is unavailable over plain HTTP. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
