/**
 * Handles a body that will not be read. A connection that is closed while bytes still come loses the answer on its way
 * (RFC 9112 section 9.6); but reading a refused body to its end costs as much as a good one.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A body that is announced as no larger is read and forgotten, so that the connection can be kept. */
const smallBytes = 65_536;
/** Of a larger one, so much is still taken off the line, and for so long its sender may take the answer. */
const discardedBytes = 262_144;
const lingerMs = 2_000;

/** Call it before the answer is given. */
export function forgoBody(request: IncomingMessage, response: ServerResponse): void {
  if (!isBodyComing(request)) return;
  const bytes = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (bytes <= smallBytes && response.shouldKeepAlive && !awaitsGoAhead(request)) request.resume();
  else closeBehindAnswer(request, response);
  // Not before: the answers to earlier requests may still be awaited.
  response.once('finish', () => {
    if (request.complete) return;
    const timer = setTimeout(() => request.socket.destroy(), lingerMs).unref();
    request.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  });
}

/** Whether the sender of the body waits to be told that it is wanted (RFC 9110 section 10.1.1). */
export function awaitsGoAhead({ headers: { expect }, httpVersion }: IncomingMessage): boolean {
  return expect !== undefined && /\b100-continue\b/i.test(expect) && httpVersion !== '1.0';
}

function isBodyComing({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The answer says that the connection ends, and the end follows it; then its sender has a moment to read it. */
function closeBehindAnswer(request: IncomingMessage, response: ServerResponse): void {
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > discardedBytes) request.pause();
  });
  response.shouldKeepAlive = false;
  const { socket } = request;
  const destroySoon = socket.destroySoon.bind(socket);
  // Node calls it behind the last answer of a connection; what still came then would take the answer away.
  socket.destroySoon = () => {
    if (request.complete) return destroySoon();
    socket.end();
    request.once('end', destroySoon);
  };
}
