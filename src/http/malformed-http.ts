/** Answers what never became a request: HTTP that cannot be parsed, is too large, or does not arrive in time. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, ServiceError } from '../foundation/errors.ts';
import { errorBody } from './error-response.ts';
import { newRequestId } from './request-id.ts';

const sentences = {
  headers_too_large: 'The request line or its headers are too large. Send long parameters by POST.',
  request_timeout: 'The request did not arrive in time.',
  bad_request: 'The request is not proper HTTP.',
} as const satisfies Partial<Record<ErrorCode, string>>;

export function answerMalformedHttp(error: Error & { readonly code?: string }, socket: Socket): void {
  const code = codeOf(error.code);
  // With an answer begun on this connection, further bytes would be taken for a part of it.
  if (code === undefined || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy();
    return;
  }
  const fault = new ServiceError(code, sentences[code]);
  const { status } = fault;
  const body = JSON.stringify(errorBody(fault));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${newRequestId()}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** None for a broken connection, over TLS or not: nobody would read an answer. */
function codeOf(code: string | undefined): keyof typeof sentences | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code?.startsWith('HPE_') ? 'bad_request' : undefined;
}

/** Node keeps the response under way on its socket and looks at it in the same way, for want of another. */
function hasBegunAnswer(
  socket: Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null },
): boolean {
  return socket._httpMessage?.headersSent === true;
}
