/** What orchestrators and monitors ask: is the process alive, can it serve, how is it doing. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../foundation/errors.ts';
import type { Admission } from '../admission.ts';
import type { AddressTest } from '../origin.ts';
import { contextOf } from '../request-context.ts';

export interface Health {
  /** True, or the reason why requests cannot be served now, to stand after a colon. */
  readonly ready: () => true | string;
}

/** Nothing left for it; given to another; its request, or whoever is to take the answer, too slow. */
export type ConnectionEnd = 'refused' | 'displaced' | 'slow_request' | 'slow_reader';

/** The app's measurements, to which the server reports each request. */
export interface HttpMetrics {
  /** `path` is that of an endpoint, or `other`; status 499 is a caller who went away. */
  readonly request: (path: string, method: string, status: number, seconds: number) => void;
  /** A connection that was not taken, or ended, for the sake of others. */
  readonly connectionEnded: (reason: ConnectionEnd) => void;
  readonly contentType: string;
  readonly text: () => string | Promise<string>;
}

export interface ProbeServices {
  readonly health: Health;
  readonly metrics: HttpMetrics | undefined;
  readonly mayReadMetrics: AddressTest;
  readonly admission: Admission;
}

const json = 'application/json; charset=utf-8';

/** These answer under overload and during the stop, too. */
export function addProbes(app: FastifyInstance, services: ProbeServices): void {
  const { health, metrics, mayReadMetrics, admission } = services;
  const options = { exposeHeadRoute: true, onRequest: forbidCaches };

  app.get('/healthz', options, (_request, reply) => {
    reply.type(json).send('{"status":"ok"}');
  });

  app.get('/readyz', options, (_request, reply) => {
    const ready = admission.isStopping ? 'the server is stopping' : health.ready();
    if (ready !== true) throw new ServiceError('not_ready', `Not ready to serve: ${ready}.`);
    reply.type(json).send('{"status":"ready"}');
  });

  if (metrics === undefined) return;
  app.get('/metrics', options, async (request, reply) => {
    const { address } = contextOf(request.raw).origin;
    if (mayReadMetrics(address)) return reply.type(metrics.contentType).send(await metrics.text());
    throw new ServiceError(
      'address_not_allowed',
      `Metrics are not open to ${address}. The operator allows addresses with CARILLON_METRICS_ALLOW.`,
    );
  });
}

function forbidCaches(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'no-store');
  done();
}
