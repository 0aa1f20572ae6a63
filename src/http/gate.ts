/** What every request meets before its route: the count of what is under way, its origin, and the reasons to refuse it. */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Logger } from 'pino';
import { ServiceError } from '../foundation/errors.ts';
import type { Admission } from './admission.ts';
import type { Endpoint } from './endpoint.ts';
import { respondWithError } from './error-response.ts';
import { type AddressTest, type Origin, originOf } from './origin.ts';
import type { HttpMetrics } from './probes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the client, also behind a trusted proxy. */
    origin: Origin;
  }
}

export interface GuardServices {
  readonly admission: Admission;
  readonly log: Logger;
  readonly metrics: HttpMetrics | undefined;
  readonly isTrustedProxy: AddressTest;
}

/** Call it before any route is added. */
export function guardAllRoutes(app: FastifyInstance, services: GuardServices): void {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByPath.set(url, methods);
  });

  app.decorateRequest('origin', null as unknown as Origin);
  app.addHook('onRequest', (request, reply, done) => {
    count(request, reply, services);
    request.origin = originOfRequest(request, services.isTrustedProxy);
    const fault = faultOfForm(request) ?? (request.is404 ? faultOfPath(request, methodsByPath) : undefined);
    if (fault === undefined) done();
    else respondWithError(reply, fault, services.log);
  });

  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    done();
  });
}

/** The gate of one endpoint: whether the server has room, and whether credentials may be read at all. */
export function gateTo<Caller>(
  endpoint: Endpoint<Caller>,
  admission: Admission,
  log: Logger,
): onRequestHookHandler {
  return (request, reply, done) => {
    const fault = admission.refusal() ?? faultOfTransport(request);
    if (fault !== undefined) return respondWithError(reply, fault, log, endpoint);
    // A body is JSON whatever its Content-Type says; Fastify would judge it by that (API: conventions).
    request.raw.headers['content-type'] = undefined;
    done();
  };
}

function count(
  request: FastifyRequest,
  reply: FastifyReply,
  { admission, metrics, log }: GuardServices,
): void {
  const startedMs = performance.now();
  const { socket } = request.raw;
  const response: ServerResponse = reply.raw;
  const ended = (): void => {
    socket.off('close', ended);
    if (!admission.end(response)) return;
    const seconds = (performance.now() - startedMs) / 1000;
    const status = response.writableFinished ? response.statusCode : 499;
    const path = request.routeOptions.url ?? 'none';
    metrics?.request(path, request.method, status, seconds);
    // Never the URL as it came: its query may hold credentials and texts.
    if (log.isLevelEnabled('debug')) {
      log.debug({ requestId: request.id, method: request.method, path, status, seconds }, 'answered');
    }
  };
  admission.begin(response);
  response.on('close', ended);
  // The answer to a pipelined request has no socket yet, and Node forgets it when the connection breaks before its turn.
  if (response.socket === null) socket.setMaxListeners(0).once('close', ended);
}

function originOfRequest({ raw }: FastifyRequest, isTrustedProxy: AddressTest): Origin {
  const { headers, socket } = raw;
  return originOf(
    {
      peer: socket.remoteAddress ?? '',
      isEncrypted: 'encrypted' in socket,
      forwardedFor: oneLine(headers['x-forwarded-for']),
      forwardedProto: oneLine(headers['x-forwarded-proto']),
    },
    isTrustedProxy,
  );
}

function oneLine(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}

/** RFC 9112 section 3.2. */
function faultOfForm({ raw }: FastifyRequest): ServiceError | undefined {
  if (raw.headers.host !== undefined || raw.httpVersion === '1.0') return undefined;
  return new ServiceError('bad_request', 'The request is not proper HTTP/1.1: it has no Host header.');
}

function faultOfPath(
  { raw }: FastifyRequest,
  methodsByPath: ReadonlyMap<string, ReadonlySet<string>>,
): ServiceError {
  const [path = ''] = (raw.url ?? '').split('?', 1);
  const methods = methodsByPath.get(path);
  if (methods === undefined) {
    return new ServiceError(
      'not_found',
      'There is nothing under this path. /docs shows every call of this service.',
    );
  }
  const allow = [...methods].join(', ');
  return new ServiceError('method_not_allowed', `This path does not take ${raw.method}. It takes ${allow}.`, {
    headers: { allow },
  });
}

function faultOfTransport({ raw, origin }: FastifyRequest): ServiceError | undefined {
  if (!origin.isSafe) {
    return new ServiceError(
      'https_required',
      'Credentials are taken over HTTPS only. Behind a proxy that ends TLS, the operator names it in CARILLON_TRUSTED_PROXIES, and it must send X-Forwarded-Proto.',
    );
  }
  if (raw.method === 'POST' && /^\s*multipart\//i.test(raw.headers['content-type'] ?? '')) {
    return new ServiceError(
      'multipart_not_supported',
      'Multipart bodies are not supported. Send the parameters as one JSON object.',
    );
  }
  return undefined;
}
