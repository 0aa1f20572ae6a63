/** A request with its response, and what the server knows about it from its head. */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type AddressTest, originOf, type RequestOrigin } from './origin.ts';

export interface RequestContext {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client's origin, even behind a trusted proxy. */
  readonly origin: RequestOrigin;
}

const contextOfRequest = Symbol('context');
type Known = IncomingMessage & { [contextOfRequest]?: RequestContext };

/** The origin of a connection's requests that no proxy has forwarded, which depends on nothing but the connection. */
const originOfSocket = Symbol('origin');
type KnownSocket = Socket & { [originOfSocket]?: RequestOrigin };

/** `peer` replaces the address of every client's connection. */
export function openContext(
  request: Known,
  response: ServerResponse,
  { isTrustedProxy, peer }: { readonly isTrustedProxy: AddressTest; readonly peer?: string },
): RequestContext {
  const { headers } = request;
  const socket: KnownSocket = request.socket;
  const forwardedFor = oneLine(headers['x-forwarded-for']);
  const forwardedProto = oneLine(headers['x-forwarded-proto']);
  const isForwarded = forwardedFor !== undefined || forwardedProto !== undefined;
  let origin = isForwarded ? undefined : socket[originOfSocket];
  if (origin === undefined) {
    const hop = { peer: peer ?? socket.remoteAddress ?? '', isEncrypted: 'encrypted' in socket };
    origin = originOf({ ...hop, forwardedFor, forwardedProto }, isTrustedProxy);
    if (!isForwarded) socket[originOfSocket] = origin;
  }
  const context = { id: requestIdOf(request), request, response, origin };
  request[contextOfRequest] = context;
  return context;
}

/** For code that has only the request: every request that reaches a page has a context. */
export function contextOf(request: Known): RequestContext {
  return request[contextOfRequest] as RequestContext;
}

/** The requested path as received. The request target may be an absolute URL (RFC 9112 section 3.2.2). */
export function pathOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}

/** Joins a header that occurs several times. */
export function oneLine(header: string | readonly string[] | undefined): string | undefined {
  return header === undefined || typeof header === 'string' ? header : header.join(',');
}

const processPart = `${randomBytes(6).toString('base64url').replace(/[-_]/g, '0')}-`;
let count = 0;

/** The caller's own id if it is reasonable, or else a new one, unique across all processes. */
export function requestIdOf(request: IncomingMessage): string {
  const own = request.headers['x-request-id'];
  return typeof own === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(own) ? own : newRequestId();
}

export function newRequestId(): string {
  count += 1;
  return processPart + count.toString(36);
}

/** Whether a call with this method carries its parameters in the body; otherwise they are in the URL. */
export function takesBody(method: string | undefined): boolean {
  return method === 'POST' || method === 'PATCH';
}
