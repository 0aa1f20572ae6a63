/** Endpoints for orchestrators and monitors: whether the process is alive, whether it can serve, and how it is doing. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../foundation/errors.ts';
import type { Admission } from '../admission.ts';
import type { AddressTest } from '../origin.ts';
import { contextOf } from '../request-context.ts';

export interface Health {
  /** True, or the reason why requests cannot be served now, phrased to follow a colon. */
  readonly ready: () => true | string;
}

/** No place was left; the place went to another; the request or the reader of the response was too slow. */
export type ConnectionEnd = 'refused' | 'displaced' | 'slow_request' | 'slow_reader';

/** The app's metrics, to which the server reports each request. */
export interface HttpMetrics {
  /** `path` is that of an endpoint, or `other`; status 499 is a client that went away. */
  readonly request: (path: string, method: string, status: number, seconds: number) => void;
  /** A connection was refused, or ended in favour of others. */
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

/** Probes are also answered under overload and during the stop. */
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
      `Metrics are not available to ${address}. The operator can allow addresses with CARILLON_METRICS_ALLOW.`,
    );
  });
}

function forbidCaches(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'no-store');
  done();
}
