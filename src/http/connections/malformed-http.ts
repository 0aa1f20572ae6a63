/** Responds to HTTP that cannot be parsed, is too large, or does not arrive in time. */
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
  bad_request: 'The request is not valid HTTP.',
} as const satisfies Partial<Record<ErrorCode, string>>;

type HttpError = Error & { readonly code?: string };

/** How long a client may take to read the response; then the connection ends, whether or not the client ends it too. */
const lingerMs = 2_000;

/** Connections whose last response waits for earlier ones; Node reports each further piece that it cannot parse. */
const ending = new WeakSet<Socket>();

/** For a request that arrived too slowly for too long. */
export const requestTooSlow: HttpError = Object.assign(new Error('the request came too slowly'), {
  code: 'ERR_HTTP_REQUEST_TIMEOUT',
});

/**
 * `earlier` are the pending responses to valid requests that came before on this connection. They are sent first, so that no
 * completed request is taken for the refused one (RFC 9112 section 9.3.2).
 */
export function answerMalformedHttp(
  error: HttpError,
  socket: Socket,
  earlier: readonly ServerResponse[] = [],
): void {
  if (ending.has(socket)) return;
  ending.add(socket);
  let awaited = earlier.length;
  if (awaited === 0) answerImmediately(error, socket);
  for (const response of earlier) {
    response.once('close', () => {
      awaited -= 1;
      if (awaited === 0) answerImmediately(error, socket);
    });
  }
}

function answerImmediately(error: HttpError, socket: Socket): void {
  const code = codeOf(error.code);
  if (code === undefined || !socket.writable) {
    socket.destroy();
    return;
  }
  const begun = answerUnderWayOn(socket);
  if (begun?.headersSent === true) {
    // More bytes would be taken for part of this response. It may still end, though not all of its request came.
    begun.once('close', () => socket.destroy());
    destroyLater(socket);
    return;
  }
  // A refused request must not be completed and carried out after all.
  if (code === 'request_timeout') socket.pause();
  endWith(new ServiceError(code, sentences[code]), socket, newRequestId());
}

/** Node treats what follows a CONNECT as tunnel bytes and leaves the connection to us. */
export function refuseTunnel(request: IncomingMessage, socket: Duplex): void {
  // Node has removed its own listener; without one, a client that resets the connection would end the process.
  socket.on('error', () => socket.destroy());
  const allow = 'GET, POST';
  const sentence = `This server is not a proxy and does not accept CONNECT. It accepts ${allow}.`;
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
  destroyLater(socket);
}

function destroyLater(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** Undefined for a broken connection, with or without TLS: no one would read a response. */
function codeOf(code: string | undefined): keyof typeof sentences | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code?.startsWith('HPE_') ? 'bad_request' : undefined;
}
