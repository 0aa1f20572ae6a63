/** Answers HTTP that cannot be parsed, is too large, or does not arrive in time. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, ServiceError } from '../../foundation/errors.ts';
import { errorBody } from '../answers/error-response.ts';
import { securityHeadersOf } from '../answers/respond.ts';
import { newRequestId, requestIdOf } from '../request-context.ts';
import { answerUnderWayOn } from './arrivals.ts';

const sentences = {
  headers_too_large: 'The request line or its headers are too large. Send long parameters by POST.',
  request_timeout: 'The request did not arrive in time.',
  bad_request: 'The request is not proper HTTP.',
} as const satisfies Partial<Record<ErrorCode, string>>;

type HttpError = Error & { readonly code?: string };

/** So long a client may take the answer; then the connection ends, whether or not the client ends it too. */
const lingerMs = 2_000;

/** Connections whose last answer waits for earlier ones: Node tells of every further piece that it can't parse. */
const ending = new WeakSet<Socket>();

/** Of a request of which too little came for too long. */
export const requestTooSlow: HttpError = Object.assign(new Error('the request came too slowly'), {
  code: 'ERR_HTTP_REQUEST_TIMEOUT',
});

/**
 * `earlier` are the answers under way to proper requests that came before on this connection: each is given before, so
 * that none of them is taken for refused when it was done (RFC 9112 section 9.3.2).
 */
export function answerMalformedHttp(
  error: HttpError,
  socket: Socket,
  earlier: readonly ServerResponse[] = [],
): void {
  if (ending.has(socket)) return;
  ending.add(socket);
  let awaited = earlier.length;
  if (awaited === 0) answerAtOnce(error, socket);
  for (const response of earlier) {
    response.once('close', () => {
      awaited -= 1;
      if (awaited === 0) answerAtOnce(error, socket);
    });
  }
}

function answerAtOnce(error: HttpError, socket: Socket): void {
  const code = codeOf(error.code);
  // With an answer begun on this connection, further bytes would be taken for a part of it.
  if (code === undefined || !socket.writable || answerUnderWayOn(socket)?.headersSent === true) {
    socket.destroy();
    return;
  }
  // What was refused must not come to its end after all, and be done.
  if (code === 'request_timeout') socket.pause();
  endWith(new ServiceError(code, sentences[code]), socket, newRequestId());
}

/** Node takes what follows a CONNECT for the bytes of a tunnel and leaves the connection to us. */
export function refuseTunnel(request: IncomingMessage, socket: Duplex): void {
  // Node has taken its own listener away: without one, a caller who resets the connection would end the process.
  socket.on('error', () => socket.destroy());
  const allow = 'GET, POST';
  const sentence = `This server is no proxy: it does not take CONNECT. It takes ${allow}.`;
  endWith(new ServiceError('method_not_allowed', sentence), socket, requestIdOf(request), [
    `Allow: ${allow}`,
  ]);
}

function endWith(
  fault: ServiceError,
  socket: Duplex,
  requestId: string,
  headers: readonly string[] = [],
): void {
  const { status } = fault;
  const body = JSON.stringify(errorBody(fault));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
    ...headers,
  ];
  const security = securityHeadersOf({ isHttps: 'encrypted' in socket });
  for (let index = 0; index < security.length; index += 2)
    head.push(`${security[index]}: ${security[index + 1]}`);
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** None for a broken connection, over TLS or not: nobody would read an answer. */
function codeOf(code: string | undefined): keyof typeof sentences | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code?.startsWith('HPE_') ? 'bad_request' : undefined;
}
