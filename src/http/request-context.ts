/** A request with its response, and what the server knows of it from its head. */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressTest, originOf, type RequestOrigin } from './origin.ts';

export interface RequestContext {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Where the client is, also behind a trusted proxy. */
  readonly origin: RequestOrigin;
}

const contextOfRequest = Symbol('context');
type Known = IncomingMessage & { [contextOfRequest]?: RequestContext };

/** `peer`: of all clients, in place of the address of their connection. */
export function openContext(
  request: Known,
  response: ServerResponse,
  { isTrustedProxy, peer }: { readonly isTrustedProxy: AddressTest; readonly peer?: string },
): RequestContext {
  const { headers, socket } = request;
  const hop = {
    peer: peer ?? socket.remoteAddress ?? '',
    isEncrypted: 'encrypted' in socket,
    forwardedFor: oneLine(headers['x-forwarded-for']),
    forwardedProto: oneLine(headers['x-forwarded-proto']),
  };
  const context = { id: requestIdOf(request), request, response, origin: originOf(hop, isTrustedProxy) };
  request[contextOfRequest] = context;
  return context;
}

/** For those who have it from elsewhere: every request that comes to a page has one. */
export function contextOf(request: Known): RequestContext {
  return request[contextOfRequest] as RequestContext;
}

/** The path that is asked for, as it came. Its target may be a whole URL (RFC 9112 section 3.2.2). */
export function pathOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}

/** A header that came several times, as one. */
export function oneLine(header: string | readonly string[] | undefined): string | undefined {
  return header === undefined || typeof header === 'string' ? header : header.join(',');
}

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

/** Whether a call by this method has its parameters in a body; by others they stand in the URL. */
export function takesBody(method: string | undefined): boolean {
  return method === 'POST' || method === 'PATCH';
}
