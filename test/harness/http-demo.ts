/** A server with a few demo endpoints and no store, to test the rules common to all endpoints. */
import { BlockList, connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Logger, pino } from 'pino';
import Type from 'typebox';
import { ServiceError } from '../../src/foundation/errors.ts';
import { isMatch } from '../../src/foundation/if-match.ts';
import type { BodyBlocks } from '../../src/http/body/body.ts';
import {
  type Authenticate,
  anyMethod,
  anyMethodBesideLines,
  basicOnly,
  passwordOnly,
} from '../../src/http/credentials/credentials.ts';
import { endpointsFor } from '../../src/http/endpoints/endpoint.ts';
import { boolean, digits, integer, notAvailable, text } from '../../src/http/parameters/kinds.ts';
import { numberList, objectList, textList, textMap } from '../../src/http/parameters/lists.ts';
import {
  createServer,
  type HttpServer,
  type ServerConfig,
  type ServerParts,
} from '../../src/http/server/server.ts';

export interface DemoCaller {
  readonly name: string;
}

const endpoint = endpointsFor<DemoCaller>();
const anything = Type.Unsafe<object>({ type: 'object' });

export const echoParameters = {
  to: numberList({ get: 'T', maxItems: 1_000, description: 'Numbers.' }),
  tosubst: objectList({
    description: 'Numbers with their texts.',
    maxItems: 1_000,
    fields: {
      to: text({ required: true, description: 'A number.' }),
      subst: textMap({ default: {}, maxItems: 100, description: 'Text by label.' }),
    },
  }),
  message: text({ get: { M: 'iso-8859-1', M8: 'utf-8' }, description: 'The text.' }),
  conversation: text({ get: 'X', maxLength: 10, description: 'A conversation.' }),
  flash: boolean({ get: 'Z', default: false, description: 'Whether it is a flash SMS.' }),
  validminutes: integer({ get: 'V', default: 1440, min: 1, max: 10_080, description: 'Minutes.' }),
  maxnum: integer({ get: 'N', default: 100, min: 1, cap: 10_000, description: 'At most so many.' }),
  defaultcountrycode: digits({ get: 'D', maxLength: 4, description: 'A country code.' }),
  groups: textList({ get: 'G', maxItems: 100, description: 'Names of groups.' }),
  twoway: notAvailable({ get: '2', type: 'boolean', description: 'Two-way.' }),
  templateid: notAvailable({ get: 'TPID', type: 'text', description: 'A template.' }),
} as const;

const common = { group: 'Demo', title: 'Demo', description: 'Shows how endpoints work.' } as const;

/** Returns its input. */
const echo = endpoint({
  ...common,
  path: '/demo/echo',
  methods: ['GET', 'POST', 'DELETE'],
  parameters: echoParameters,
  credentials: anyMethod,
  isIdempotent: true,
  maxBodyBytes: 20_000,
  answer: anything,
  handle: (caller, input, call) => ({
    caller: caller.name,
    input,
    idempotencyKey: call.idempotencyKey,
    address: call.address,
  }),
});

const required = endpoint({
  ...common,
  path: '/demo/required',
  methods: ['GET', 'POST'],
  parameters: { email: text({ get: 'EM', required: true, description: 'An address.' }) },
  credentials: anyMethod,
  answer: anything,
  errorFields: (sentence, asked) => ({ errormessage: sentence, runtimeid: 0, asked: asked('email') }),
  handle: (_caller, { email }) => ({ email }),
});

/** Another endpoint on the same path. */
const forgotten = endpoint({
  ...common,
  path: '/demo/required',
  methods: ['DELETE'],
  parameters: { email: text({ get: 'EM', required: true, description: 'An address.' }) },
  credentials: anyMethod,
  answer: anything,
  handle: (_caller, { email }) => ({ forgotten: email }),
});

const books = endpoint({
  ...common,
  path: '/demo/books',
  methods: ['GET', 'POST'],
  parameters: {},
  credentials: passwordOnly,
  silent401: true,
  answer: anything,
  handle: () => ({ books: [] }),
});

const key = endpoint({
  ...common,
  path: '/demo/key',
  methods: ['GET'],
  parameters: {},
  credentials: basicOnly,
  answersText: true,
  answer: Type.String(),
  handle: () => 'the key',
});

const lines = endpoint({
  ...common,
  path: '/demo/lines',
  methods: ['POST'],
  parameters: { message: text({ get: 'M8', description: 'The text.' }) },
  credentials: anyMethodBesideLines,
  body: 'lines',
  maxBodyBytes: 2_000_000,
  answer: anything,
  handle: (caller, { message }, call) => ({ caller: caller.name, message, lines: textOf(call.lines) }),
});

function textOf({ blocks, length }: BodyBlocks): string {
  return Buffer.concat(blocks, length).toString();
}

/** Fails in the requested way. */
const failing = endpoint({
  ...common,
  path: '/demo/failing',
  methods: ['POST'],
  parameters: { how: text({ description: 'How.' }) },
  credentials: anyMethod,
  answer: anything,
  async handle(_caller, { how }) {
    if (how === 'busy') throw new ServiceError('store_unavailable', 'The store is away.');
    if (how === 'part') {
      const cause = new Error('a thread has ended');
      throw new ServiceError('overloaded', 'A part of the service has failed.', { cause });
    }
    if (how === 'body') throw new ServiceError('nothing_queued', 'Nothing.', { body: { rejected: ['1'] } });
    throw new Error('SELECT secret FROM /etc/passwd');
  },
});

/** A management API endpoint with a single version, whatever the id. */
const note = endpoint({
  ...common,
  path: '/api/v1/notes/{id}',
  methods: ['GET', 'PATCH', 'DELETE'],
  parameters: { id: digits({ get: 'id', required: true, description: 'An id.' }) },
  credentials: anyMethod,
  answer: Type.Object({ version: Type.String(), ifMatch: Type.Optional(Type.Array(Type.String())) }),
  answersVersion: true,
  takesVersion: true,
  handle(_caller, _input, { ifMatch }) {
    if (!isMatch(ifMatch, '3')) throw new ServiceError('changed_meanwhile', 'The note was changed.');
    return { version: '3', ifMatch: ifMatch && [...ifMatch] };
  },
});

const madeNote = endpoint({
  ...common,
  path: '/api/v1/notes',
  methods: ['GET', 'POST'],
  parameters: {},
  credentials: anyMethod,
  creates: 'id',
  answer: Type.Object({ id: Type.String(), version: Type.String() }),
  answersVersion: true,
  handle: () => ({ id: '7', version: '1' }),
});

/** Responds only when released. */
export class Held {
  readonly waiting: (() => void)[] = [];

  release(): void {
    for (const answer of this.waiting.splice(0)) answer();
  }
}

function slow(held: Held) {
  return endpoint({
    ...common,
    path: '/demo/slow',
    methods: ['POST'],
    parameters: {},
    credentials: anyMethod,
    answer: anything,
    handle: () => new Promise<object>((resolve) => held.waiting.push(() => resolve({ done: true }))),
  });
}

/** The same, but waits for something outside the server. */
function away(held: Held) {
  return endpoint({
    ...common,
    path: '/demo/away',
    methods: ['POST'],
    parameters: {},
    credentials: anyMethod,
    answer: anything,
    handle: (_caller, _input, call) =>
      call.whileWaiting(new Promise<object>((resolve) => held.waiting.push(() => resolve({ done: true })))),
  });
}

/** Accepts only alice, by password or by key. */
const knowsAlice: Authenticate<DemoCaller> = (credentials) => {
  const isAlice =
    credentials.kind === 'key'
      ? credentials.key === 'key-of-alice'
      : credentials.username === 'alice' && credentials.password === 'pässword';
  if (isAlice) return { name: 'alice' };
  throw new ServiceError('unauthorised', 'User name or password is wrong.');
};

export interface DemoServer {
  readonly url: string;
  readonly port: number;
  readonly held: Held;
  readonly server: HttpServer;
  readonly log: readonly Record<string, unknown>[];
  /** Sends raw bytes and resolves with everything received until the connection ends. */
  raw(request: string | Buffer): Promise<string>;
  /** The same, but leaves after the first response, since the server waits a while for the rest of a body. */
  rawAnswer(request: string | Buffer): Promise<string>;
  stop(): Promise<void>;
}

export interface DemoOptions extends Partial<Omit<ServerParts<DemoCaller>, 'config'>> {
  readonly config?: Partial<ServerConfig>;
}

export async function startDemoServer(options: DemoOptions = {}): Promise<DemoServer> {
  const held = new Held();
  const written: Record<string, unknown>[] = [];
  const server = createServer<DemoCaller>({
    version: '1.2.3',
    endpoints: demoEndpoints(held),
    authenticate: knowsAlice,
    ownerOf: ({ name }) => name,
    log: recordingLog(written),
    health: { ready: () => true },
    docsFolder: fileURLToPath(new URL('docs', import.meta.url)),
    ...options,
    config: {
      http: { host: '127.0.0.1', port: 0 },
      tls: undefined,
      trustedProxies: new BlockList(),
      metricsReaders: new BlockList(),
      publicUrl: undefined,
      pathPrefix: '',
      maxBodyBytes: 1_000_000,
      stopGraceSeconds: 2,
      ...options.config,
    },
  });
  const port = await server.listen();
  const scheme = options.config?.tls === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    port,
    held,
    server,
    log: written,
    raw: (request) => exchangeBytes(port, request),
    rawAnswer: (request) => exchangeBytes(port, request, isWhole),
    stop: () => server.stop(0),
  };
}

export function demoEndpoints(held = new Held()) {
  return [echo, required, forgotten, books, key, lines, failing, note, madeNote, slow(held), away(held)];
}

function recordingLog(written: Record<string, unknown>[]): Logger {
  return pino({ level: 'debug' }, { write: (line: string) => void written.push(JSON.parse(line)) });
}

function isWhole(answer: string): boolean {
  const [head = '', ...body] = answer.split('\r\n\r\n');
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return length !== undefined && Buffer.byteLength(body.join('\r\n\r\n')) >= Number(length);
}

function exchangeBytes(
  port: number,
  request: string | Buffer,
  isEnough: (answer: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
      if (isEnough(answer)) socket.destroy();
    });
    socket.on('error', () => resolve(answer)).on('close', () => resolve(answer));
  });
}
