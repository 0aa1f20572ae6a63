/** A persistent connection that sends requests as raw bytes, valid or not, and reads responses strictly (RFC 9112). */
import { connect, type Socket } from 'node:net';

export interface WireAnswer {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** The head as received. */
  readonly head: string;
  readonly ms: number;
}

export interface AskOptions {
  /** Whether the response has no body, whatever its headers say. */
  readonly isHead?: boolean;
  /** Whether the sender sends nothing more. */
  readonly isCutOff?: boolean;
  /** Whether nothing that follows on this connection could be understood. */
  readonly isLast?: boolean;
}

const patienceMs = 30_000;

export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;
  /** Connections opened so far by all instances. */
  static opened = 0;

  constructor(port: number) {
    this.#port = port;
  }

  /** Resolves with a string instead of a response if the connection ended without one. */
  ask(bytes: Buffer, options: AskOptions = {}): Promise<WireAnswer | 'closed' | 'late' | 'not HTTP'> {
    return new Promise((resolve) => {
      const socket = this.#open();
      const startedMs = performance.now();
      const chunks: Buffer[] = [];
      const done = (answer: WireAnswer | 'closed' | 'late' | 'not HTTP', isKept: boolean) => {
        clearTimeout(timer);
        socket.off('data', onData).off('close', onClose);
        if (!isKept) this.close();
        resolve(answer);
      };
      const timer = setTimeout(() => done('late', false), patienceMs);
      const onClose = () => {
        const answer = chunks.length === 0 ? undefined : readAnswer(Buffer.concat(chunks), false, true);
        if (answer === undefined || answer === 'not HTTP') done('closed', false);
        else done({ ...answer, ms: performance.now() - startedMs }, false);
      };
      const onData = (chunk: Buffer) => {
        chunks.push(chunk);
        const received = chunks.length === 1 ? chunk : Buffer.concat(chunks);
        const answer = readAnswer(received, options.isHead === true);
        if (answer === undefined) chunks.splice(0, chunks.length, received);
        else if (answer === 'not HTTP') done(answer, false);
        else {
          const isKept = options.isLast !== true && answer.headers.get('connection') !== 'close';
          done({ ...answer, ms: performance.now() - startedMs }, isKept);
        }
      };
      socket.on('data', onData).on('close', onClose);
      socket.write(bytes);
      if (options.isCutOff === true) socket.end();
    });
  }

  close(): void {
    // A reset leaves no port behind in TIME_WAIT.
    this.#socket?.resetAndDestroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    if (this.#socket !== undefined && !this.#socket.destroyed && this.#socket.writable) return this.#socket;
    Connection.opened += 1;
    // Uses many local addresses, so that many short connections do not exhaust the ports.
    const localAddress = `127.0.0.${2 + (Connection.opened % 250)}`;
    this.#socket = connect({ port: this.#port, host: '127.0.0.1', localAddress, noDelay: true });
    this.#socket.on('error', () => {});
    return this.#socket;
  }
}

type Read = Omit<WireAnswer, 'ms'>;

/** Returns `undefined` if more bytes are needed. */
export function readAnswer(
  received: Buffer,
  isHead: boolean,
  hasEnded = false,
): Read | 'not HTTP' | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = received.toString('latin1', 0, end);
  const status = Number(/^HTTP\/1\.1 ([1-5][0-9]{2}) [ -~]+(?:\r\n|$)/.exec(head)?.[1]);
  if (Number.isNaN(status)) return 'not HTTP';
  // Interim responses, such as 100 Continue, do not count.
  if (status < 200) return readAnswer(received.subarray(end + 4), isHead, hasEnded);
  const headers = new Map<string, string>();
  for (const line of head.split('\r\n').slice(1)) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([^\r\n\0]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return 'not HTTP';
    headers.set(name.toLowerCase(), value);
  }
  const noBody = isHead || status === 204 || status === 304;
  if (!noBody && headers.get('transfer-encoding') === 'chunked') {
    const body = joinChunks(received, end + 4);
    return body === undefined || body === 'not HTTP' ? body : { status, headers, head, body };
  }
  // HTTP/1.0 has no chunks, so a long response ends by closing the connection.
  const isEndedByClose = !headers.has('content-length') && headers.get('connection') === 'close';
  if (!noBody && isEndedByClose)
    return hasEnded ? { status, headers, head, body: received.subarray(end + 4) } : undefined;
  const length = Number(noBody ? 0 : headers.get('content-length'));
  // Every other response of this server has a length.
  if (Number.isNaN(length)) return 'not HTTP';
  if (received.length < end + 4 + length) return undefined;
  return { status, headers, head, body: received.subarray(end + 4, end + 4 + length) };
}

/**
 * RFC 9112 section 7.1, without extensions and trailers, which this server does not send. Returns `undefined` if more bytes
 * are needed.
 */
function joinChunks(received: Buffer, from: number): Buffer | 'not HTTP' | undefined {
  const chunks: Buffer[] = [];
  let at = from;
  for (;;) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const digits = received.toString('latin1', at, lineEnd);
    if (!/^[0-9A-Fa-f]{1,8}$/.test(digits)) return 'not HTTP';
    const start = lineEnd + 2;
    const end = start + Number.parseInt(digits, 16);
    if (received.length < end + 2) return undefined;
    if (received.toString('latin1', end, end + 2) !== '\r\n') return 'not HTTP';
    if (end === start) return Buffer.concat(chunks);
    chunks.push(received.subarray(start, end));
    at = end + 2;
  }
}
