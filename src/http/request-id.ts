/** Gives every request a name that stands in its answer and in the log (API: conventions). */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const processPart = `${randomBytes(6).toString('base64url').replace(/[-_]/g, '0')}-`;
let count = 0;

/** The caller's own id, if it is a sane one; else a new one, unique among all processes. */
export function requestIdOf(request: IncomingMessage): string {
  const own = request.headers['x-request-id'];
  return typeof own === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(own) ? own : newRequestId();
}

export function newRequestId(): string {
  count += 1;
  return processPart + count.toString(36);
}
