/** API calls for commands: to a server at an address, or over the operator's socket of the server on this machine. */
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AnswerAt, ApiEndpoint, Method, ParametersAt, PathOf } from '../app/api-types.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { filledIn as filledInPath, queryOf } from '../wire/api-path.ts';

type PathFor<M extends Method> = PathOf<ApiEndpoint, M>;
type ParametersOf<M extends Method, Path extends PathFor<M>> = ParametersAt<ApiEndpoint, M, Path>;
export type AnswerOf<M extends Method, Path extends PathFor<M>> = AnswerAt<ApiEndpoint, M, Path>;

/** The server to call, and the user to call it as. */
export interface Door {
  /** Its path is the prefix of every API path. */
  readonly url: URL;
  readonly socket: string | undefined;
  /** Undefined with a key, which identifies its user. */
  readonly username: string | undefined;
  /** Includes the credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The error to report when the connection fails. */
  readonly fault: (error: NodeJS.ErrnoException) => Error;
}

interface Body {
  readonly type: string;
  readonly content: string | Buffer;
}

interface CallOptions {
  readonly idempotencyKey?: string | undefined;
}

type Call<M extends Method> = <Path extends PathFor<M>>(
  path: Path,
  parameters: ParametersAt<ApiEndpoint, M, Path>,
  options?: CallOptions,
) => Promise<AnswerAt<ApiEndpoint, M, Path>>;

type Page<Name extends PropertyKey, Item> = Readonly<Record<Name, readonly Item[]>> & { next?: string };
type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;
/** The items of the list with this name in a response. */
type ItemAt<Path extends PathFor<'GET'>, Name extends keyof AnswerOf<'GET', Path>> = ItemOf<
  AnswerOf<'GET', Path>[Name]
>;

/** What is known about a call that brought no answer of its own. */
type Certainty =
  /** The server answered that it did nothing. */
  | 'refused'
  /** No connection was made, so the server never saw the call. */
  | 'unsent'
  /** The server may have carried it out. */
  | 'unknown';

export class CallError extends StartError {
  readonly certainty: Certainty;
  /** The API's error code; undefined if the answer was not the API's. */
  readonly code: string | undefined;

  constructor(message: string, certainty: Certainty, code?: string) {
    super(message);
    this.certainty = certainty;
    this.code = code;
  }
}

/** Milliseconds between two polls of a watching command; each poll opens a connection of its own. */
export const lookElsewhereEveryMs = 2_000;
/** Longer than a large import takes. */
const defaultSilenceMs = 300_000;
/** A response that is not a file is at most this long. */
const maxAnswerBytes = 64 * 1024 * 1024;

export class Api {
  readonly #door: Door;
  readonly #silenceMs: number;
  #answeredAt = systemClock.now();

  constructor(door: Door, silenceMs = defaultSilenceMs) {
    this.#door = door;
    this.#silenceMs = silenceMs;
  }

  /** The same calls, which wait no longer than this for the server to say something. */
  waitingAtMost(silenceMs: number): Api {
    return new Api(this.#door, silenceMs);
  }

  readonly get: Call<'GET'> = (path, parameters) => this.#call('GET', path, parameters);
  readonly post: Call<'POST'> = (path, parameters, options) => this.#call('POST', path, parameters, options);
  readonly patch: Call<'PATCH'> = (path, parameters) => this.#call('PATCH', path, parameters);
  readonly remove: Call<'DELETE'> = (path, parameters) => this.#call('DELETE', path, parameters);

  /** Posts a file as the body, with the parameters in the URL. */
  async upload<Path extends PathFor<'POST'>>(
    path: Path,
    parameters: ParametersOf<'POST', Path>,
    content: Buffer,
  ): Promise<AnswerOf<'POST', Path>> {
    const { url, rest } = filledIn(path, parameters);
    return jsonOf(await this.#open('POST', url + queryOf(rest), { type: 'text/csv', content }));
  }

  /** Streams the text of a file. */
  async *download<Path extends PathFor<'GET'>>(
    path: Path,
    parameters: ParametersOf<'GET', Path>,
  ): AsyncGenerator<string> {
    const { url, rest } = filledIn(path, parameters);
    const answer = await this.#open('GET', url + queryOf(rest));
    answer.setEncoding('utf8');
    yield* chunksOf<string>(answer);
  }

  /** Undefined with a key, which identifies its user. */
  get username(): string | undefined {
    return this.#door.username;
  }

  /** When the last call was answered, by the server's clock, which may differ from this machine's. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  /** The items of the list with this name in the responses, page by page: at most `most` items. */
  async *each<Path extends PathFor<'GET'>, Name extends keyof AnswerOf<'GET', Path>>(
    path: Path,
    name: Name,
    most = Infinity,
    parameters: ParametersOf<'GET', Path> = {} as ParametersOf<'GET', Path>,
  ): AsyncGenerator<ItemAt<Path, Name>> {
    let left = most;
    let after: string | undefined;
    do {
      const page = { ...parameters, after, limit: Math.min(left, 200) };
      const answer = await this.#call<Page<Name, ItemAt<Path, Name>>>('GET', path, page);
      yield* answer[name];
      left -= answer[name].length;
      if (answer.next !== undefined && answer.next === after)
        throw new StartError('The server’s list never ends: one of its pages leads back to itself.');
      after = answer.next;
    } while (after !== undefined && left > 0);
  }

  /** The same items as a complete list. */
  async list<Path extends PathFor<'GET'>, Name extends keyof AnswerOf<'GET', Path>>(
    path: Path,
    name: Name,
    most = Infinity,
    parameters: ParametersOf<'GET', Path> = {} as ParametersOf<'GET', Path>,
  ): Promise<readonly ItemAt<Path, Name>[]> {
    const items: ItemAt<Path, Name>[] = [];
    for await (const item of this.each(path, name, most, parameters)) items.push(item);
    return items;
  }

  async #call<Answer>(
    method: Method,
    path: string,
    parameters: object,
    { idempotencyKey }: CallOptions = {},
  ): Promise<Answer> {
    const { url, rest } = filledIn(path, parameters);
    // Headers can't hold other characters.
    if (idempotencyKey !== undefined && !/^[\x20-\x7e]{1,255}$/.test(idempotencyKey))
      throw new StartError('The idempotency key must be 1 to 255 printable ASCII characters.');
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    if (method !== 'POST' && method !== 'PATCH') return jsonOf(await this.#open(method, url + queryOf(rest)));
    const body = { type: 'application/json', content: JSON.stringify(rest) };
    return jsonOf(await this.#open(method, url, body, headers));
  }

  /** Resolves with the head of a successful response. */
  async #open(
    method: Method,
    path: string,
    body?: Body,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<IncomingMessage> {
    const { url, socket, fault } = this.#door;
    const options: RequestOptions = {
      method,
      // Uses a connection of its own, because a kept-alive connection may lead to a server that has ended.
      agent: false,
      headers: {
        accept: 'application/json, text/csv',
        ...this.#door.headers,
        ...headers,
        ...(body === undefined
          ? {}
          : { 'content-type': body.type, 'content-length': Buffer.byteLength(body.content) }),
      },
      ...(socket === undefined ? {} : { socketPath: socket }),
    };
    const target = new URL(url.href.replace(/\/$/, '') + path);
    const isSecure = url.protocol === 'https:';
    const seconds = this.#silenceMs / 1_000;
    let certainty: Certainty = 'unsent';
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = (isSecure ? requestHttps : request)(target, options, resolve);
      sent.on('socket', (socket) =>
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          certainty = 'unknown';
        }),
      );
      sent.setTimeout(this.#silenceMs, () =>
        sent.destroy(new Error(`it did not answer for ${seconds} seconds`)),
      );
      sent.on('error', (error) => reject(new CallError(fault(error).message, certainty)));
      sent.end(body?.content);
    });
    const { statusCode = 0, headers: received } = answer;
    this.#answeredAt = Date.parse(received.date ?? '') || systemClock.now();
    if (statusCode >= 200 && statusCode < 300) return answer;
    throw await refusalOf(answer, target, path);
  }
}

async function jsonOf<Answer>(answer: IncomingMessage): Promise<Answer> {
  const text = await textOf(answer);
  try {
    return JSON.parse(text) as Answer;
  } catch {
    const said = 'The response is not JSON: this is not a Carillon server. Check the address.';
    throw new CallError(said, 'unknown');
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf<Buffer>(answer)) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new CallError('The response is larger than 64 MiB.', 'unknown');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function* chunksOf<Chunk>(answer: IncomingMessage): AsyncGenerator<Chunk> {
  try {
    yield* answer as AsyncIterable<Chunk>;
  } catch (error) {
    throw new CallError(`The response broke off: ${(error as Error).message}.`, 'unknown');
  }
}

interface FaultBody {
  readonly error?: string;
  readonly code?: string;
  readonly errors?: readonly { readonly field: string; readonly error: string }[];
}

/** The refusal as sentences: the API's own sentence, then one for each fault that it lists. */
async function refusalOf(answer: IncomingMessage, asked: URL, path: string): Promise<CallError> {
  const { statusCode = 0, headers } = answer;
  const { origin } = asked;
  const { error, code, errors = [] } = faultIn(await textOf(answer));
  if (statusCode >= 300 && statusCode < 400) {
    const said = `${origin} redirects elsewhere${whereTo(headers.location, asked, path)}.`;
    return new CallError(said, 'refused');
  }
  if (error === undefined && statusCode === 401)
    return new CallError('The server does not accept these credentials (401).', 'refused');
  if (error === undefined) {
    const said = `${origin} answered ${statusCode}, but not as Carillon would. Check the address, including its path.`;
    return new CallError(said, 'unknown');
  }
  const retryAfter = headers['retry-after'];
  const again = retryAfter === undefined ? '' : ` Try again in ${retryAfter} s.`;
  const others = errors.length > 1 ? errors.map((one) => `${one.field}: ${one.error}`) : [];
  // A proxy's answer may look like ours, but it has no code.
  const certainty = statusCode < 500 && code !== undefined ? 'refused' : 'unknown';
  return new CallError([error + again, ...others].join('\n'), certainty, code);
}

/** The target of a redirect: the address to use if it keeps the path of the call, otherwise only the server. */
function whereTo(location: string | undefined, asked: URL, path: string): string {
  if (location === undefined || !URL.canParse(location, asked.href)) return ', and does not say where';
  const { origin, pathname } = new URL(location, asked);
  const [called = ''] = path.split('?');
  if (!pathname.endsWith(called)) return ` (${origin}): check the address, including its path`;
  return `: if you trust it, give the address ${origin}${pathname.slice(0, -called.length)}`;
}

function faultIn(text: string): FaultBody {
  try {
    const body = JSON.parse(text) as unknown;
    const { error, code } = Object(body);
    const isOurs = typeof error === 'string' && ['string', 'undefined'].includes(typeof code);
    return isOurs ? (body as FaultBody) : {};
  } catch {
    // A proxy in between may return pages of its own.
    return {};
  }
}

/** Fills in the path; a value that can't be part of a path is reported to the user of the command. */
function filledIn(path: string, parameters: object) {
  try {
    return filledInPath(path, parameters);
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}

/** A user of the caller's company, as its administrator sees it. */
export async function userNamed(api: Api, username: string) {
  const { users } = await api.get('/api/v1/users', { name: username });
  const user = users.find((one) => one.username === username);
  if (user !== undefined) return user;
  throw new StartError(`The company has no user ${username}.`);
}
