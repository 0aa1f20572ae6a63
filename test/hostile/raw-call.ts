/** Makes calls as raw bytes from any chosen source address, without the good manners of a client. */
import { connect } from 'node:net';

export interface RawCall {
  readonly bytes: Buffer;
  /** Any address of this machine, which begins with 127 (RFC 1122 3.2.1.3). */
  readonly from?: string | undefined;
  /** Disconnects this long after the last byte without waiting for the response. */
  readonly leaveAfterMs?: number | undefined;
}

const patienceMs = 60_000;

/** Resolves with the status, or with how the call ended without one. */
export function call(port: number, { bytes, from = '127.0.0.1', leaveAfterMs }: RawCall): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
    let head = '';
    let left = Number.POSITIVE_INFINITY;
    const end = (how: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(statusOf(head) ?? how);
    };
    let timer = setTimeout(() => end('no answer'), patienceMs);
    socket.on('data', (chunk: Buffer) => {
      if (left === Number.POSITIVE_INFINITY) {
        head += chunk.toString('latin1');
        const headEnd = head.indexOf('\r\n\r\n');
        if (headEnd < 0) return;
        const length = /content-length: (\d+)/i.exec(head.slice(0, headEnd))?.[1];
        // A chunked response ends with an empty chunk.
        left = length === undefined ? -1 : Number(length) - (head.length - headEnd - 4);
      } else if (left > 0) left -= chunk.length;
      if (left === 0 || (left < 0 && chunk.subarray(-5).toString('latin1') === '0\r\n\r\n')) end('');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'error'));
    socket.on('close', () => end('closed'));
    socket.write(bytes, () => {
      if (leaveAfterMs === undefined) return;
      clearTimeout(timer);
      timer = setTimeout(() => end('left'), leaveAfterMs);
    });
  });
}

function statusOf(head: string): string | undefined {
  return /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1];
}

export interface Request {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export function bytesOf({ method = 'POST', path, headers = {}, body = '' }: Request): Buffer {
  const octets = Buffer.isBuffer(body) ? body : Buffer.from(body);
  const lines = Object.entries({
    host: 'sms.example',
    'content-length': String(octets.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`), octets]);
}
