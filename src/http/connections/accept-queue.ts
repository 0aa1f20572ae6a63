/**
 * Closes a listening socket in a moment in which nobody waits in its queue: Linux resets the connections that it has made
 * and that nobody has accepted, so that their callers, who have sent their calls already, get no answer.
 *
 *   queue of one ──▶ a connection of our own takes its place ──▶ nobody else waits or shakes hands ──▶ close
 *        ▲                                                            │
 *        └───────────(what waits is accepted and answered)◀───────────┘
 *
 * While the queue is full, Linux drops who begins to connect. They try again after a second and find nobody: as nothing of
 * theirs was sent, they know that it was not done.
 */
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

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
export async function closeWhenEmpty(
  server: Server,
  close: () => void,
  isTooLate: () => boolean,
): Promise<void> {
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
