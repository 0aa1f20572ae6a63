/** Pages and probes, which Fastify routes: what applies to all of them, and the responses for unknown paths. */

import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyServerFactory } from 'fastify';
import type { Logger } from 'pino';
import { ServiceError } from '../../foundation/errors.ts';
import { respondWithError } from '../answers/error-response.ts';
import { securityHeadersOf } from '../answers/respond.ts';
import { awaitsGoAhead, forgoBody } from '../body/unread-body.ts';
import { contextOf, pathOf } from '../request-context.ts';

export interface PagesParts {
  readonly pathPrefix: string;
  readonly log: Logger;
  /** Creates the server whose requests go to Fastify if they are for no endpoint. */
  readonly serverFactory: FastifyServerFactory<Server>;
  /** Handles data that never became a request. */
  readonly clientErrorHandler: (error: Error, socket: Socket) => void;
}

/** A page that does not state its needs may load nothing. */
const strictPolicy = "default-src 'none'; frame-ancestors 'none'";

export function createPages({
  pathPrefix,
  log,
  serverFactory,
  clientErrorHandler,
}: PagesParts): FastifyInstance {
  const refuse = (reply: FastifyReply, thrown: unknown) => {
    reply.hijack();
    respondWithError(contextOf(reply.request.raw), thrown, log);
  };
  const app = Fastify<Server>({
    serverFactory,
    clientErrorHandler,
    ...(pathPrefix === '' ? {} : { rewriteUrl: ({ url = '/' }) => withoutPrefix(url, pathPrefix) }),
    genReqId: (request) => contextOf(request).id,
    frameworkErrors: (error, _request, reply) => refuse(reply, error),
    exposeHeadRoutes: false,
    // While this server stops, its pages are still answered until the last connection ends.
    return503OnClosing: false,
  });
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByPath.set(url, methods);
  });
  // Runs this early so that no body is read in vain.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const methods = methodsByPath.get(pathOf(request.raw));
    refuse(reply, methods === undefined ? pathNotFound() : methodNotAllowed(request.raw, methods));
  });
  app.addHook('preParsing', ({ raw: request }, { raw: response }, payload, done) => {
    if (awaitsGoAhead(request)) response.writeContinue();
    done(null, payload);
  });
  app.addHook('onSend', ({ raw: request }, reply, _payload, done) => {
    const { id, origin } = contextOf(request);
    forgoBody(request, reply.raw);
    reply.header('x-request-id', id);
    const pairs = securityHeadersOf(origin);
    for (let index = 0; index < pairs.length; index += 2) {
      const name = pairs[index] as string;
      if (!reply.hasHeader(name)) reply.header(name, pairs[index + 1]);
    }
    if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', strictPolicy);
    done();
  });
  app.setErrorHandler((error, _request, reply) => refuse(reply, error));
  // A page may find that the object its path names does not exist.
  app.setNotFoundHandler((_request, reply) => refuse(reply, pathNotFound()));
  return app;
}

function withoutPrefix(url: string, prefix: string): string {
  if (!url.startsWith(prefix)) return url;
  const rest = url.slice(prefix.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}

function pathNotFound(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is nothing at this path. /docs lists every call of this service.',
  );
}

export function methodNotAllowed(
  { method }: Pick<IncomingMessage, 'method'>,
  methods: Iterable<string>,
): ServiceError {
  const allow = [...methods].join(', ');
  const said = { sentence: 'method', method: method ?? '', allow } as const;
  return new ServiceError('method_not_allowed', said, { headers: { allow } });
}
