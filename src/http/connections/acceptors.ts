/**
 * Lets a server accept many connections in each turn of its event loop. Node accepts one per handle and turn, and a turn
 * is long when there is much to answer: of a thousand clients that connect at once, the last would wait for seconds.
 *
 *   one handle ──(many connect within a second)──▶ a short-lived process sends copies of it back ──▶ many handles, one queue
 *
 * Node copies a handle only when it passes it to another process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Server as NetServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { closeWhenEmpty } from './accept-queue.ts';

/** Beside the server's own. */
const copies = 31;
const manyConnections = 50;
const withinMs = 1_000;

const copyHandle = `process.on('message', (copies, handle) => {
  for (let copy = 0; copy < copies; copy++) process.send(copy, handle);
});`;

/** As Node's cluster, which shares a server among processes, sees it. */
type Listening = Server & { readonly _handle?: object | null; readonly allowHalfOpen?: boolean };

interface Handle {
  close(): void;
}

export class Acceptors {
  readonly #server: Listening;
  readonly #backlog: number;
  readonly #log: Logger;
  readonly #copies: Server[] = [];
  #copying: ChildProcess | undefined;
  #state: 'one handle' | 'many handles' | 'closed' = 'one handle';
  #connections = 0;
  #countedSinceMs = 0;
  #closed: Promise<void> | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  /** Beside a server that listens; `backlog` connections may wait to be accepted. */
  constructor(server: Server, backlog: number, log: Logger) {
    this.#server = server;
    this.#backlog = backlog;
    this.#log = log;
    server.on('connection', () => this.#connected());
  }

  get handles(): number {
    return 1 + this.#copies.length;
  }

  /** Resolves when nothing is accepted any longer, and everything was that waited for it, unless it becomes too late. */
  close(isTooLate: () => boolean = () => false): Promise<void> {
    this.#closed ??= this.#close(isTooLate);
    return this.#closed;
  }

  /** Resolves when the connections that were accepted have ended. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  async #close(isTooLate: () => boolean): Promise<void> {
    this.#state = 'closed';
    this.#copying?.kill();
    // As long as it has a copy, closing ours would leave callers in a queue that nobody looks at.
    await endOf(this.#copying);
    await closeWhenEmpty(this.#server, () => this.#closeAll(), isTooLate);
  }

  /** As any server of the net: one of HTTP would cut off connections on which a call may be on its way. */
  #closeAll(): void {
    const ended = [this.#server, ...this.#copies].map(
      (server) => new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve())),
    );
    this.#ended = Promise.all(ended);
  }

  #connected(): void {
    if (this.#state !== 'one handle') return;
    const nowMs = performance.now();
    if (nowMs - this.#countedSinceMs > withinMs) {
      this.#countedSinceMs = nowMs;
      this.#connections = 0;
    }
    this.#connections += 1;
    if (this.#connections >= manyConnections) this.#copyHandle();
  }

  #copyHandle(): void {
    const { _handle: handle } = this.#server;
    if (!handle) return;
    this.#state = 'many handles';
    const copying = spawn(process.execPath, ['-e', copyHandle], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {},
    });
    this.#copying = copying;
    copying.on('error', (error) =>
      this.#log.warn({ err: error }, 'connections are accepted one a turn: their server could not be copied'),
    );
    copying.on('message', (_copy, copied) => {
      // As long as one copy is open, clients can connect, and nobody would answer them.
      if (this.#state === 'closed') (copied as Handle).close();
      else this.#listenOn(copied as Handle);
      if (this.#copies.length === copies) copying.disconnect();
    });
    copying.send(copies, handle as never);
  }

  #listenOn(handle: Handle): void {
    const server = this.#server;
    const copy = new NetServer({ allowHalfOpen: server.allowHalfOpen === true, noDelay: true });
    copy.on('connection', (socket: Socket) => server.emit('connection', socket));
    copy.on('error', (error) => server.emit('error', error));
    copy.listen(handle, this.#backlog);
    this.#copies.push(copy);
  }
}

/** Resolves when the process has none of its handles any more, and none that it sent is on its way. */
async function endOf(copying: ChildProcess | undefined): Promise<void> {
  if (copying?.pid === undefined) return;
  const { exitCode, signalCode } = copying;
  if (exitCode === null && signalCode === null) await new Promise((resolve) => copying.once('exit', resolve));
  if (copying.connected) await new Promise((resolve) => copying.once('disconnect', resolve));
}
