/**
 * The operator's way into a running server: a Unix socket in the data folder, open to its owner only, so that whoever
 * may read the store may command the server, and nobody else.
 */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ServiceError, StartError } from './foundation/errors.ts';

export type Command = (input: unknown) => Promise<unknown>;
export type Commands = Readonly<Record<string, Command>>;

export interface Control {
  close(): Promise<void>;
}

const maxInputBytes = 1024 * 1024;

function socketPath(dataFolder: string): string {
  return join(dataFolder, 'control.sock');
}

/** Undefined: another server on this data folder (PostgreSQL being the store of both) takes the commands. */
export async function openControl(dataFolder: string, commands: Commands): Promise<Control | undefined> {
  const path = socketPath(dataFolder);
  // With PostgreSQL as the store, nobody has made the folder before.
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  if (await isAnswered(path)) return undefined;
  // Left behind by a process that was killed.
  rmSync(path, { force: true });
  const server = createServer((incoming, outgoing) => {
    void answer(incoming, commands).then(({ status, body }) => {
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  try {
    await listen(server, path);
  } catch (error) {
    throw new StartError(
      `The operator's socket ${path} cannot be opened: ${(error as Error).message}. A shorter CARILLON_DATA may help.`,
    );
  }
  chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve());
  });
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function answer(incoming: IncomingMessage, commands: Commands): Promise<Answer> {
  try {
    const name = (incoming.url ?? '').slice(1);
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined)
      return { status: 404, body: { error: `The server knows no command ${name}.` } };
    return { status: 200, body: (await command(JSON.parse(await readText(incoming)))) ?? {} };
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

/** Sends a command to the server that runs on this data folder. */
export function command(dataFolder: string, name: string, input: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { socketPath: socketPath(dataFolder), path: `/${name}`, method: 'POST' },
      (incoming) => {
        readText(incoming).then((text) => {
          const body = JSON.parse(text) as { error?: string };
          if (incoming.statusCode === 200) resolve(body);
          else reject(new StartError(body.error ?? `The server answered ${incoming.statusCode}.`));
        }, reject);
      },
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const absent = error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
      reject(
        absent
          ? new StartError(
              `No Carillon server runs on the data folder ${dataFolder}. Start it with: carillon serve`,
            )
          : error,
      );
    });
    outgoing.end(JSON.stringify(input));
  });
}
