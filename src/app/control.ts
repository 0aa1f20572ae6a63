/**
 * The operator's access to a running server: a Unix socket in the data folder, open only to its owner, so that exactly
 * those who may read the store may command the server. It takes commands by name, and API calls. When several servers share
 * one folder (with PostgreSQL as the store), the server that holds the lock beside the socket owns the socket. A socket
 * without a holder was left behind by a killed process. When the holder ends, for whatever reason, another server takes
 * over.
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
  /** Handles paths with more than one segment. */
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
/** How often a server without the socket checks whether the socket's holder is gone. */
const lookEveryMs = 1_000;

export function socketPath(dataFolder: string): string {
  return join(dataFolder, 'control.sock');
}

export async function openControl(dataFolder: string, answering: Answering, log: Log): Promise<Control> {
  // With PostgreSQL as the store, the folder may not exist yet.
  makePrivateFolder(dataFolder);
  const socket = socketPath(dataFolder);
  let held = await take(dataFolder, answering);
  const failed = (error: unknown) =>
    log.warn({ error }, "the operator's commands cannot be accepted; trying again");
  const checks = new WokenLoop({ pauseMs: lookEveryMs, failed }, async () => {
    held = await take(dataFolder, answering);
    if (held === undefined) return;
    log.info({ socket }, "now accepts the operator's commands");
    return { pauseMs: Infinity };
  });
  if (held === undefined) {
    log.info({ socket }, "another server on this data folder accepts the operator's commands");
    checks.start();
  }
  return {
    async close() {
      await checks.stop();
      if (held !== undefined) await release(held);
    },
  };
}

/** Undefined when another process holds the lock. */
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

/** Removes the socket's file with the server, before another process can put its own there. */
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
    // The umask is needed because a client could connect before the socket's mode is changed.
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
      return { status: 404, body: { error: `The server does not know the command ${name}.` } };
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

/** A command's answer, and the process that ran it. */
export type Answered = { readonly processId: number } & Readonly<Record<string, unknown>>;

/** Sends a command to the server that serves this data folder. */
export function command(dataFolder: string, name: string, input: unknown): Promise<Answered> {
  const path = socketPath(dataFolder);
  return new Promise((resolve, reject) => {
    // Uses a connection of its own, because a kept-alive connection may lead to a server that has ended.
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

/** Why the socket does not answer, in words that the operator can act on. */
export function socketFault(path: string, error: NodeJS.ErrnoException): StartError {
  if (isForbidden(error)) return notReadable(path);
  if (error.code !== 'ENOENT' && error.code !== 'ECONNREFUSED')
    return new StartError(
      `The connection to ${path} broke: ${error.message}. The command may still have been carried out.`,
      { cause: error },
    );
  return new StartError(
    `No Carillon server accepts commands at ${path}. Start one on this data folder, with the role dispatch (carillon serve), or set CARILLON_DATA to the folder of the running server.`,
  );
}
