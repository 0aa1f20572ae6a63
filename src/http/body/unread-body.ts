/**
 * Handles a body that will not be read. Closing a connection while bytes still arrive loses the response on its way (RFC 9112
 * section 9.6), but reading a refused body to its end costs as much as a good one.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A body announced as no larger than this is read and discarded, so that the connection can be kept. */
const smallBytes = 65_536;
/** This much of a larger body is still read, and its sender has this long to read the response. */
const discardedBytes = 262_144;
const lingerMs = 2_000;

/** Call it before the response is sent. */
export function forgoBody(request: IncomingMessage, response: ServerResponse): void {
  if (!isBodyComing(request)) return;
  const bytes = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (bytes <= smallBytes && response.shouldKeepAlive && !awaitsGoAhead(request)) request.resume();
  else closeBehindAnswer(request, response);
  // The connection cannot close earlier because responses to earlier requests may still be pending.
  response.once('finish', () => {
    if (request.complete) return;
    const timer = setTimeout(() => request.socket.destroy(), lingerMs).unref();
    request.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  });
}

/** Whether the client waits for `100 Continue` before it sends the body (RFC 9110 section 10.1.1). */
export function awaitsGoAhead({ headers: { expect }, httpVersion }: IncomingMessage): boolean {
  return expect !== undefined && /\b100-continue\b/i.test(expect) && httpVersion !== '1.0';
}

function isBodyComing({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The response announces that the connection ends, and the end follows it; the client then has a moment to read it. */
function closeBehindAnswer(request: IncomingMessage, response: ServerResponse): void {
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > discardedBytes) request.pause();
  });
  response.shouldKeepAlive = false;
  const { socket } = request;
  const destroySoon = socket.destroySoon.bind(socket);
  // Node calls it after the last response of a connection; data that still arrived would destroy the response.
  socket.destroySoon = () => {
    if (request.complete) return destroySoon();
    socket.end();
    request.once('end', destroySoon);
  };
}
