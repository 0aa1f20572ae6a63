/** What orchestrators and monitors ask: is the process alive, can it serve, how is it doing. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { ServiceError } from '../../foundation/errors.ts';
import type { Admission } from '../admission.ts';
import { respondWithError } from '../answers/error-response.ts';
import { jsonHeaders, respond } from '../answers/respond.ts';
import type { AddressTest } from '../origin.ts';

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
  readonly log: Logger;
}

/** These answer under overload and during the stop, too. */
export function addProbes(app: FastifyInstance, services: ProbeServices): void {
  const { health, metrics, mayReadMetrics, admission, log } = services;
  const headToo = { exposeHeadRoute: true };

  app.get('/healthz', headToo, (_request, reply) => {
    respond(reply, 200, jsonHeaders, '{"status":"ok"}');
  });

  app.get('/readyz', headToo, (_request, reply) => {
    const ready = admission.isStopping ? 'the server is stopping' : health.ready();
    if (ready === true) respond(reply, 200, jsonHeaders, '{"status":"ready"}');
    else respondWithError(reply, new ServiceError('not_ready', `Not ready to serve: ${ready}.`), log);
  });

  if (metrics === undefined) return;
  app.get('/metrics', headToo, async (request, reply) => {
    if (mayReadMetrics(request.origin.address)) {
      respond(reply, 200, ['content-type', metrics.contentType], await metrics.text());
      return reply;
    }
    throw new ServiceError(
      'address_not_allowed',
      `Metrics are not open to ${request.origin.address}. The operator allows addresses with CARILLON_METRICS_ALLOW.`,
    );
  });
}
