/** What every request meets before its route: the count of what is under way, its origin, and the reasons to refuse it. */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ServiceError } from '../../foundation/errors.ts';
import type { Admission } from '../admission.ts';
import { respondWithError } from '../answers/error-response.ts';
import { securityHeadersOf } from '../answers/respond.ts';
import { awaitsGoAhead, forgoBody } from '../body/unread-body.ts';
import { type AddressTest, type Origin, originOf } from '../origin.ts';
import { whenEnded } from '../when-ended.ts';
import { faultOfSite, type SiteServices } from './cross-site.ts';
import type { HttpMetrics } from './probes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the client, also behind a trusted proxy. */
    origin: Origin;
    /** `other` for what is no endpoint of the API. */
    endpointPath: string;
  }
}

export interface GuardServices extends SiteServices {
  readonly admission: Admission;
  readonly log: Logger;
  readonly metrics: HttpMetrics | undefined;
}

/** Of a page that does not say what it needs: nothing. */
const strictPolicy = "default-src 'none'; frame-ancestors 'none'";

/** Call it before any route is added. */
export function guardAllRoutes(app: FastifyInstance, services: GuardServices): void {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByPath.set(url, methods);
  });

  app.decorateRequest('origin', null as unknown as Origin);
  app.decorateRequest('endpointPath', 'other');
  app.addHook('onRequest', (request, reply, done) => {
    count(request, reply, services);
    request.origin = originOfRequest(request, services.isTrustedProxy);
    // Here already, so that no body is read for nothing.
    const fault =
      faultOfForm(request) ??
      faultOfSite(request.raw, services) ??
      (request.is404 ? faultOfPath(request, methodsByPath) : undefined);
    if (fault === undefined) done();
    else respondWithError(reply, fault, services.log);
  });

  // Bodies that Fastify reads are those of routes that are no endpoints.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (awaitsGoAhead(request.raw)) reply.raw.writeContinue();
    done(null, payload);
  });

  app.setNotFoundHandler((request, reply) => {
    respondWithError(reply, faultOfPath(request, methodsByPath), services.log);
  });

  app.addHook('onSend', (request, reply, _payload, done) => {
    forgoBody(request.raw, reply.raw);
    reply.header('x-request-id', request.id);
    const pairs = securityHeadersOf(request.origin);
    for (let index = 0; index < pairs.length; index += 2)
      reply.header(pairs[index] as string, pairs[index + 1]);
    if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', strictPolicy);
    done();
  });
}

function count(
  request: FastifyRequest,
  reply: FastifyReply,
  { admission, metrics, log }: GuardServices,
): void {
  const startedMs = performance.now();
  const response: ServerResponse = reply.raw;
  const ended = (): void => {
    if (!admission.end(response)) return;
    const { method, endpointPath } = request;
    const seconds = (performance.now() - startedMs) / 1000;
    const status = response.writableFinished ? response.statusCode : 499;
    metrics?.request(endpointPath, method, status, seconds);
    // Never the URL as it came: its query may hold credentials and texts.
    if (log.isLevelEnabled('debug')) {
      log.debug({ requestId: request.id, method, path: endpointPath, status, seconds }, 'answered');
    }
  };
  admission.begin(response);
  whenEnded(request.raw, response, ended);
}

/** What Fastify can't route meets none of the hooks. */
export function answerUnrouted(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { isTrustedProxy, log }: Pick<GuardServices, 'isTrustedProxy' | 'log'>,
): void {
  request.origin = originOfRequest(request, isTrustedProxy);
  respondWithError(reply, error, log);
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
  const hosts = countHosts(raw.rawHeaders);
  if (hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0')) return undefined;
  const what = hosts === 0 ? 'no Host header' : `${hosts} Host headers`;
  return new ServiceError('bad_request', `The request is not proper HTTP/1.1: it has ${what}.`);
}

/** Of names and values in turn. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
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

/** Why a call of an endpoint may not be read at all. */
export function faultOfTransport({ raw, origin }: FastifyRequest): ServiceError | undefined {
  if (!origin.isSafe) {
    return new ServiceError(
      'https_required',
      'Credentials are taken over HTTPS only. Behind a proxy that ends TLS, the operator names it in CARILLON_TRUSTED_PROXIES, and it must send X-Forwarded-Proto.',
    );
  }
  const type = raw.headers['content-type'];
  if (raw.method === 'POST' && type !== undefined && /^multipart\//i.test(type)) {
    return new ServiceError(
      'multipart_not_supported',
      'Multipart bodies are not supported. Send the parameters as one JSON object.',
    );
  }
  const coding = raw.headers['content-encoding'];
  if (raw.method === 'POST' && coding !== undefined && !isUncoded(coding)) {
    return new ServiceError(
      'content_encoding_not_supported',
      'Compressed bodies are not supported. Send the body as it is, without `Content-Encoding`.',
      { headers: { 'accept-encoding': 'identity' } },
    );
  }
  return undefined;
}

function isUncoded(contentEncoding: string): boolean {
  return contentEncoding.split(',').every((coding) => /^(?:identity)?$/i.test(coding.trim()));
}
