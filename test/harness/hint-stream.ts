/** A browser's stream of live hints, on the wire. */
import { connect, type Socket } from 'node:net';
import type { WholeApp } from './app.ts';
import { until } from './awake.ts';
import type { BrowserSession } from './browser-session.ts';

export interface Stream {
  /** The text received so far. */
  readonly text: string;
  /** Whether the last chunk has arrived, that is, the server has ended the stream rather than cut it off. */
  readonly isEnded: boolean;
  /** Leaves like a browser that closes a page: only its own side of the connection ends. */
  leave(): void;
}

const open: Socket[] = [];

/** For `afterAll`. */
export function closeStreams(): void {
  for (const socket of open.splice(0)) socket.destroy();
}

/** Resolves once the stream has begun or was refused. */
export async function openStream(
  app: WholeApp,
  { cookie }: Pick<BrowserSession, 'cookie'>,
  path = '/portal/api/hints',
): Promise<Stream> {
  const { hostname, port } = new URL(app.baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  open.push(socket);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => {});
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nSec-Fetch-Site: same-origin\r\nCookie: ${cookie}\r\n\r\n`,
  );
  await until(() => text.includes(': open') || /^HTTP\/1.1 [45]/.test(text));
  return {
    get text() {
      return text;
    },
    get isEnded() {
      return text.endsWith('0\r\n\r\n');
    },
    leave: () => void socket.end(),
  };
}
