/**
 * The operator's way into a running server: a Unix socket in the data folder, open to its owner only, so that whoever
 * may read the store may command the server, and nobody else. It takes commands by their names, and calls of the API.
 *
 * Of several servers on one folder (PostgreSQL being the store of all) one has the socket: the one that holds the lock
 * beside it. A socket without a holder was left behind by a process that was killed. When the holder ends, however that
 * happens, another one takes over.
 */
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { join } from 'node:path';
import { ServiceError, StartError } from '../foundation/errors.ts';
import {
  isForbidden,
  makePrivateFolder,
  notReadable,
  withPrivateUmask,
} from '../foundation/private-files.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { type Lock, tryLock } from '../storage/sqlite/folder-lock.ts';

export type Command = (input: unknown) => Promise<object>;
export type Commands = Readonly<Record<string, Command>>;

interface Answering {
  readonly commands: Commands;
  /** Takes whatever has a path of several names. */
  readonly api: RequestListener;
}

export interface Control {
  close(): Promise<void>;
}

interface Log {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}

interface Held {
  readonly lock: Lock;
  readonly server: Server;
}

const maxInputBytes = 1024 * 1024;
/** How often those without the socket look whether its holder is gone. */
const lookEveryMs = 1_000;

export function socketPath(dataFolder: string): string {
  return join(dataFolder, 'control.sock');
}

export async function openControl(dataFolder: string, answering: Answering, log: Log): Promise<Control> {
  // With PostgreSQL as the store, nobody has made the folder before.
  makePrivateFolder(dataFolder);
  const socket = socketPath(dataFolder);
  let held = await take(dataFolder, answering);
  const failed = (error: unknown) =>
    log.warn({ error }, "the operator's commands cannot be taken; trying again");
  const looks = new WokenLoop({ pauseMs: lookEveryMs, failed }, async () => {
    held = await take(dataFolder, answering);
    if (held === undefined) return;
    log.info({ socket }, "takes the operator's commands from now on");
    return { pauseMs: Infinity };
  });
  if (held === undefined) {
    log.info({ socket }, "another server on this data folder takes the operator's commands");
    looks.start();
  }
  return {
    async close() {
      await looks.stop();
      if (held !== undefined) await release(held);
    },
  };
}

/** Undefined when another process has it. */
async function take(dataFolder: string, answering: Answering): Promise<Held | undefined> {
  const path = socketPath(dataFolder);
  let lock: Lock | undefined;
  try {
    lock = tryLock(join(dataFolder, 'control.lock'));
    if (lock === undefined) return undefined;
    rmSync(path, { force: true });
    const server = createControlServer(answering);
    await listen(server, path);
    return { lock, server };
  } catch (error) {
    lock?.release();
    throw new StartError(
      `The operator's socket ${path} cannot be opened: ${(error as Error).message}. A shorter CARILLON_DATA may help.`,
    );
  }
}

/** The socket's file goes with the server, before anybody else may put one in its place. */
async function release({ lock, server }: Held): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  lock.release();
}

function createControlServer({ commands, api }: Answering): Server {
  return createServer((incoming, outgoing) => {
    if (incoming.url?.includes('/', 1) === true) return api(incoming, outgoing);
    void answer(incoming, commands).then(({ status, body }) => {
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // Whoever connects before its mode is changed would be in.
    withPrivateUmask(() => server.listen(path, () => resolve()));
  });
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

async function answer(incoming: IncomingMessage, commands: Commands): Promise<Answer> {
  try {
    const name = (incoming.url ?? '').slice(1);
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined)
      return { status: 404, body: { error: `The server knows no command ${name}.` } };
    const result = await command(JSON.parse(await readText(incoming)));
    return { status: 200, body: { ...result, processId: process.pid } };
  } catch (error) {
    const status = error instanceof ServiceError ? error.status : 500;
    return { status, body: { error: (error as Error).message } };
  }
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxInputBytes) throw new ServiceError('body_too_large', 'The command is larger than 1 MiB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What a command answers, and which process carried it out. */
export type Answered = { readonly processId: number } & Readonly<Record<string, unknown>>;

/** Sends a command to the server that takes those of this data folder. */
export function command(dataFolder: string, name: string, input: unknown): Promise<Answered> {
  const path = socketPath(dataFolder);
  return new Promise((resolve, reject) => {
    // A connection of its own: one that was kept open may lead to a server that has ended since.
    const options = { socketPath: path, path: `/${name}`, method: 'POST', agent: false } as const;
    const outgoing = request(options, (incoming) => {
      readText(incoming).then((text) => {
        const body = JSON.parse(text) as Answered & { error?: string };
        if (incoming.statusCode === 200) resolve(body);
        else reject(new StartError(body.error ?? `The server answered ${incoming.statusCode}.`));
      }, reject);
    });
    outgoing.on('error', (error) => reject(socketFault(path, error)));
    outgoing.end(JSON.stringify(input));
  });
}

/** Why nobody answers at the socket, as the operator can act on it. */
export function socketFault(path: string, error: NodeJS.ErrnoException): StartError {
  if (isForbidden(error)) return notReadable(path);
  if (error.code !== 'ENOENT' && error.code !== 'ECONNREFUSED')
    return new StartError(
      `The connection to ${path} broke: ${error.message}. What was asked for may have been done all the same.`,
      { cause: error },
    );
  return new StartError(
    `No Carillon server takes commands at ${path}. Start one on this folder, with the role dispatch (carillon serve), or set CARILLON_DATA to that of the one that runs.`,
  );
}
