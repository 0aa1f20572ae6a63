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
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

/** The number of copies in addition to the server's own handle. */
const copies = 31;
const manyConnections = 50;
const withinMs = 1_000;

const copyHandle = `process.on('message', (copies, handle) => {
  for (let copy = 0; copy < copies; copy++) process.send(copy, handle);
});`;

/** The internal view of a server that Node's cluster uses to share it among processes. */
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

  /** For a server that listens; `backlog` connections may wait to be accepted. */
  constructor(server: Server, backlog: number, log: Logger) {
    this.#server = server;
    this.#backlog = backlog;
    this.#log = log;
    server.on('connection', () => this.#connected());
  }

  get handles(): number {
    return 1 + this.#copies.length;
  }

  /** Resolves when all waiting connections have been accepted and no more can come, or when it is too late. */
  close(isTooLate: () => boolean = () => false): Promise<void> {
    this.#closed ??= this.#close(isTooLate);
    return this.#closed;
  }

  /** Resolves when all accepted connections have ended. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  async #close(isTooLate: () => boolean): Promise<void> {
    this.#state = 'closed';
    this.#copying?.kill();
    // While the other process has a copy, closing ours would leave clients in a queue that is never served.
    await endOf(this.#copying);
    await closeWhenEmpty(this.#server, this.#backlog, () => this.#closeAll(), isTooLate);
  }

  /** Closes them as plain net servers: an HTTP server would cut off connections on which a call may be arriving. */
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
      this.#log.warn(
        { err: error },
        'connections are accepted one per turn of the event loop: the listening server could not be copied',
      ),
    );
    copying.on('message', (_copy, copied) => {
      // While one copy is open, clients can connect but would never be answered.
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

/** Resolves when the process no longer holds a handle and none that it sent is in transit. */
async function endOf(copying: ChildProcess | undefined): Promise<void> {
  if (copying?.pid === undefined) return;
  const { exitCode, signalCode } = copying;
  if (exitCode === null && signalCode === null) await new Promise((resolve) => copying.once('exit', resolve));
  if (copying.connected) await new Promise((resolve) => copying.once('disconnect', resolve));
}

/*
 * A listening socket is closed at a moment when nobody waits in its queue, because Linux resets the connections that it has
 * made and that nobody has accepted: their callers, who have already sent their calls, would get no answer.
 *
 *   two connections of our own, last in the queue ──▶ queue of one: it is full ──▶ all up to our first are accepted
 *        ▲                                                                           │
 *        └──(others shake hands: the queue is long again)── our second waits alone ──┴──▶ close
 *
 * While the queue is full, Linux drops attempts to connect. Those clients try again after a second and find no server; since
 * they have sent nothing, they know that nothing was done. Linux also drops the last step of a handshake, which the client
 * repeats with its call after 0.2 s, 0.6 s and 1.4 s. The queue is never left short while it has room, because Linux would
 * then send SYN cookies, and handshakes by cookie are in no table.
 *
 * Where the system has no such table, the socket is closed when our first connection has been accepted.
 */

/** The libuv handle: listening again changes the maximum length of the queue. */
interface ListeningHandle {
  listen?(backlog: number): number;
}

/** The codes for connection states in `/proc/net/tcp`. */
const established = '01';
const shakingHands = '03';
const listening = '0A';
/** The inode of a connection that no process has accepted. */
const noInode = '0';

/** The queue is long for at least this time between two tries, and for as long as it was short. */
const retryMs = 20;
const maxRetryMs = 500;
/** Enough for a client's third try; a handshake whose client has gone would be awaited for a minute. */
const handshakesMs = 2_000;
/** On a busy machine, so many tries take longer than that. */
const leastTries = 10;

/**
 * Calls `close` in the same turn in which the queue is known to be empty; closes anyway if handshakes are under way all the
 * time, or if it is too late.
 */
async function closeWhenEmpty(
  server: Server,
  backlog: number,
  close: () => void,
  isTooLate: () => boolean,
): Promise<void> {
  const address = server.address();
  const { _handle: handle } = server as Server & { readonly _handle?: ListeningHandle | null };
  const beganMs = performance.now();
  let tries = 0;
  while (address !== null && typeof address === 'object' && !isTooLate()) {
    tries += 1;
    const isLastTry = tries > leastTries && performance.now() - beganMs >= handshakesMs;
    const triedMs = performance.now();
    const first = connectTo(address);
    const last = connectTo(address);
    await connecting();
    // Linux queues one connection more than requested. The table is read afterwards, so that nobody gets in while it is read.
    const isShort = handle?.listen?.(0) === 0;
    const rows = isShort ? rowsOf(address) : undefined;
    const isFull = isQueued(first, rows) && isQueued(last, rows);
    if (!isFull) handle?.listen?.(backlog);
    const awaitsFirst = isFull || rows === undefined || isLastTry;
    const isDrained = awaitsFirst && (await isAccepted(server, first, isTooLate));
    const mayClose = isTooLate() || isLastTry || (isDrained && isAlone(last, rowsOf(address)));
    if (mayClose) close();
    else handle?.listen?.(backlog);
    first.destroy();
    last.destroy();
    if (mayClose) return;
    await delay(Math.min(Math.max(retryMs, performance.now() - triedMs), maxRetryMs));
  }
  close();
}

/**
 * Resolves in the turn in which the server accepts this connection of our own; to false when the connection ends before that,
 * or when it is too late.
 */
function isAccepted(server: Server, own: Socket, isTooLate: () => boolean): Promise<boolean> {
  const { localPort, destroyed } = own;
  if (destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (isAccepted: boolean) => {
      clearInterval(timer);
      server.off('connection', came);
      resolve(isAccepted);
    };
    const came = ({ remotePort }: Socket) => remotePort === localPort && end(true);
    const timer = setInterval(() => isTooLate() && end(false), retryMs);
    server.on('connection', came);
    own.on('close', () => end(false));
  });
}

function connectTo({ address, port }: AddressInfo): Socket {
  // A server that listens on all IPv6 addresses also listens on all IPv4 ones. Some machines have no `::1`.
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address;
  // It is reset when the listening socket closes, as intended.
  return connect({ host, port }).on('error', () => undefined);
}

/** Node connects after the calling code; for a connection to the same machine the system completes the handshake at once. */
function connecting(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Whether this connection of our own waits to be accepted. */
function isQueued({ localPort }: Socket, rows: readonly TableRow[] = []): boolean {
  return rows.some(
    ({ remotePort, state, inode }) => remotePort === localPort && state === established && inode === noInode,
  );
}

/** Whether nobody else waits in the queue or is on the way there; true where the system has no table of them. */
function isAlone(own: Socket, rows: readonly TableRow[] | undefined): boolean {
  if (rows === undefined) return true;
  if (rows.some(({ state }) => state === shakingHands)) return false;
  // Other servers may use the same port on other addresses of this machine.
  const waiting = rows
    .filter(({ state }) => state === listening)
    .reduce((sum, { queued }) => sum + queued, 0);
  return waiting === 1 && isQueued(own, rows);
}

interface TableRow {
  readonly remotePort: number;
  readonly state: string;
  /** For a listening socket, the number of connections waiting to be accepted. */
  readonly queued: number;
  readonly inode: string;
}

/** The sockets on this port (proc(5), `/proc/net/tcp`); undefined if no table of the system lists the port. */
function rowsOf({ family, port }: AddressInfo): readonly TableRow[] | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/net/${family === 'IPv6' ? 'tcp6' : 'tcp'}`, 'latin1');
  } catch (error) {
    // Without a free file descriptor, for example, the table is tried again.
    return ['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '') ? undefined : [];
  }
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows: TableRow[] = [];
  for (const line of text.split('\n')) {
    if (!line.includes(suffix)) continue;
    const [, local, remote = '', state = '', queues = '', , , , , inode = ''] = line.trim().split(/\s+/);
    if (local?.endsWith(suffix) !== true) continue;
    const [remotePort, queued] = [remote, queues].map((pair) =>
      Number.parseInt(pair.split(':')[1] ?? '', 16),
    );
    rows.push({ remotePort: remotePort ?? 0, state, queued: queued ?? 0, inode });
  }
  return rows.some(({ state }) => state === listening) ? rows : undefined;
}
