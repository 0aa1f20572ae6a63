/** Sends raw bytes to a server and reads the responses, without the good manners of a client. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed JSON body; undefined if it is not JSON. */
  readonly json: unknown;
}

export interface Conversation {
  readonly answers: readonly RawAnswer[];
  /** Whether the server closed the connection or left it open. */
  readonly ended: 'closed' | 'open';
}

/** Builds valid requests with this API key, whose bytes a test can then corrupt. */
export function requestsWith(key: () => string) {
  const head = (requestLine: string, ...headers: readonly string[]): string =>
    [requestLine, 'Host: sms.example.com', `X-API-Key: ${key()}`, ...headers, '', ''].join('\r\n');
  return {
    head,
    get: (path: string, ...headers: readonly string[]) => head(`GET ${path} HTTP/1.1`, ...headers),
    post: (path: string, body: string, ...headers: readonly string[]) =>
      head(`POST ${path} HTTP/1.1`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers) + body,
  };
}

export interface Manners {
  /** Milliseconds between the pieces. */
  readonly pauseMs?: number;
  /** What to do after the last piece: nothing, close our side, or reset. */
  readonly finally?: 'wait' | 'end' | 'reset';
  /** How many responses to wait for, however slow the machine, before silence counts. */
  readonly answers?: number;
  /**
   * Sent after those responses, to be answered last of all; its answer shows that the connection was kept and nothing
   * else arrived.
   */
  readonly next?: string;
  /** Without `next`, how long to wait for more after the last response; Infinity waits until the server closes. */
  readonly quietMs?: number;
}

/** Enough for a server with a tenth of a processor, yet shorter than a test's time limit. */
const patienceMs = 100_000;

/**
 * Sends the pieces and collects responses until the server closes, `next` is answered, or nothing more has arrived for a
 * while.
 */
export function converse(
  port: number,
  pieces: readonly (string | Buffer)[],
  { pauseMs = 0, finally: last = 'wait', answers = 1, next, quietMs = 300 }: Manners = {},
): Promise<Conversation> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    let isAllSent = false;
    let isNextSent = false;
    let quiet: NodeJS.Timeout | undefined;
    const done = (ended: 'closed' | 'open') => {
      clearTimeout(quiet);
      clearTimeout(tooLong);
      socket.resetAndDestroy();
      resolve({ answers: answersIn(received), ended });
    };
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const listen = () => {
      clearTimeout(quiet);
      const came = received.toString('latin1').split('\r\n\r\n').length - 1;
      if (!isAllSent || came < answers) return;
      if (next === undefined) {
        if (Number.isFinite(quietMs)) quiet = setTimeout(() => done('open'), quietMs);
        return;
      }
      if (!isNextSent) socket.write(next);
      isNextSent = true;
      if (came > answers) done('open');
    };
    const tooLong = setTimeout(() => done('open'), patienceMs + pieces.length * pauseMs);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      listen();
    });
    socket.on('error', () => {});
    socket.on('end', () => done('closed')).on('close', () => done('closed'));
    socket.once('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(piece);
        if (pauseMs > 0) await delay(pauseMs);
      }
      if (last === 'end') socket.end();
      if (last === 'reset') socket.resetAndDestroy();
      isAllSent = true;
      listen();
    });
  });
}

function answersIn(received: Buffer): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = received;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`this is no answer: ${rest.toString('latin1', 0, 200)}`);
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const bodyEnd = end + 4 + Number(headers['content-length'] ?? 0);
    const text = rest.toString('utf8', end + 4, bodyEnd);
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, text, json: parsed(text) });
    rest = rest.subarray(bodyEnd);
  }
  return answers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
