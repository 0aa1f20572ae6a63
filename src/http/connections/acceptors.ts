/**
 * Lets a server accept many connections in each turn of its event loop. Node accepts one per handle and turn, and a turn
 * is long when there is much to answer: of a thousand clients that connect at once, the last would wait for seconds.
 *
 *   one handle ──(many connect within a second)──▶ a short-lived process sends copies of it back ──▶ many handles, one queue
 *
 * Node copies a handle only when it passes it to another process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, Server as NetServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';

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

/*
 * A listening socket is closed in a moment in which nobody waits in its queue: Linux resets the connections that it has made
 * and that nobody has accepted, so that their callers, who have sent their calls already, get no answer.
 *
 *   queue of one ──▶ a connection of our own takes its place ──▶ nobody else waits or shakes hands ──▶ close
 *        ▲                                                            │
 *        └───────────(what waits is accepted and answered)◀───────────┘
 *
 * While the queue is full, Linux drops who begins to connect. They try again after a second and find nobody: as nothing of
 * theirs was sent, they know that it was not done.
 */

/** As libuv gives it: listening once more changes how long the queue may be. */
interface ListeningHandle {
  listen?(backlog: number): number;
}

/** What `/proc/net/tcp` calls the states of a connection. */
const listening = '0A';
const shakingHands = '03';
/** The inode of a connection that no process has accepted. */
const noInode = '0';

const retryMs = 2;
/** A handshake lasts as long as the way there and back; one whose client has gone would be waited for for a minute. */
const mostTries = 250;

/**
 * Calls `close` in the same turn in which the queue is known to hold nobody; or, where the system does not tell, nobody lets
 * it come to that, or it is too late, as it is.
 */
async function closeWhenEmpty(server: Server, close: () => void, isTooLate: () => boolean): Promise<void> {
  await acceptWaiting(server, isTooLate);
  const address = server.address();
  const { _handle: handle } = server as Server & { readonly _handle?: ListeningHandle | null };
  // Linux lets one more wait than it is told.
  const isShort = !isTooLate() && process.platform === 'linux' && handle?.listen?.(0) === 0;
  if (isShort && address !== null && typeof address === 'object') {
    for (let tries = 0; tries < mostTries && !isTooLate(); tries++) {
      // Behind the accepting of this turn.
      await nextTurn();
      const own = connectTo(address);
      await connecting();
      const isEmpty = isHeldBy(own, address);
      if (isEmpty !== false) close();
      own.destroy();
      if (isEmpty !== false) return;
      await delay(retryMs);
    }
  }
  close();
}

/** Until a turn has brought nobody: Node accepts one in each. */
async function acceptWaiting(server: Server, isTooLate: () => boolean): Promise<void> {
  let hasCome = true;
  const came = () => {
    hasCome = true;
  };
  server.on('connection', came);
  while (hasCome && !isTooLate()) {
    hasCome = false;
    await nextTurn();
    await nextTurn();
  }
  server.off('connection', came);
}

function connectTo({ address, port }: AddressInfo): Socket {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  // It is reset when the listening socket closes, as it is meant to be.
  return connect({ host, port }).on('error', () => undefined);
}

/** Node connects behind the code that asks for it; to this machine itself the system shakes hands at once. */
function connecting(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Whether this connection is the only one that waits in the queue, and none is on its way there; undefined if nobody knows. */
function isHeldBy({ localPort }: Socket, address: AddressInfo): boolean | undefined {
  if (localPort === undefined) return false;
  const table = `/proc/net/${address.family === 'IPv6' ? 'tcp6' : 'tcp'}`;
  let isWaiting = false;
  // The queue is told ahead of the connections: only a second look tells it behind the first of ours.
  for (let look = 0; look < 2; look++) {
    const rows = rowsOf(table, address.port);
    const queues = rows?.filter(({ state }) => state === listening) ?? [];
    if (rows === undefined || queues.length === 0) return undefined;
    // Other servers may have the same port at other addresses of this machine.
    const waiting = queues.reduce((sum, { queued }) => sum + queued, 0);
    if (waiting !== 1 || rows.some(({ state }) => state === shakingHands)) return false;
    isWaiting = rows.some(({ remotePort, inode }) => remotePort === localPort && inode === noInode);
    if (!isWaiting) return false;
  }
  return isWaiting;
}

interface TableRow {
  readonly remotePort: number;
  readonly state: string;
  /** On a listening socket, how many connections wait to be accepted. */
  readonly queued: number;
  readonly inode: string;
}

/** The sockets at this port (proc(5), `/proc/net/tcp`); undefined where the system has no such table. */
function rowsOf(table: string, port: number): readonly TableRow[] | undefined {
  let text: string;
  try {
    text = readFileSync(table, 'latin1');
  } catch {
    return undefined;
  }
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows: TableRow[] = [];
  for (const line of text.split('\n')) {
    const [, local, remote = '', state = '', queues = '', , , , , inode = ''] = line.trim().split(/\s+/);
    if (local?.endsWith(suffix) !== true) continue;
    const [remotePort, queued] = [remote, queues].map((pair) =>
      Number.parseInt(pair.split(':')[1] ?? '', 16),
    );
    rows.push({ remotePort: remotePort ?? 0, state, queued: queued ?? 0, inode });
  }
  return rows;
}
