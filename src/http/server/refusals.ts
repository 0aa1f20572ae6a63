/** Refuses calls for which there is no room at as little cost as can be: before routes, hooks and bodies. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../../foundation/errors.ts';
import { type Admission, overloaded } from '../admission.ts';
import { errorBody, standardRetryAfterS } from '../answers/error-response.ts';
import { headersOfAll, jsonHeaders } from '../answers/respond.ts';
import { forgoBody } from '../body/unread-body.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { PathTable } from '../endpoints/path-table.ts';
import type { HttpMetrics } from '../gate/probes.ts';
import { pathOf } from '../request-context.ts';
import { requestIdOf } from '../request-id.ts';

const flooded = new ServiceError(
  'overloaded',
  'Too many calls came on one connection without waiting for their answers. This one and those behind it were not done; send them again, fewer at once.',
);

export interface RefusalServices {
  readonly admission: Admission;
  readonly endpoints: readonly Pick<Endpoint<never>, 'path' | 'errorFields'>[];
  readonly pathPrefix: string;
  readonly metrics: HttpMetrics | undefined;
}

interface Refused {
  readonly path: string;
  readonly payload: string;
}

export class Refusals {
  readonly #admission: Admission;
  readonly #metrics: HttpMetrics | undefined;
  /** By path. What is none, such as a probe, is answered under overload too. */
  readonly #refused = new PathTable<Refused>();

  constructor({ admission, endpoints, pathPrefix, metrics }: RefusalServices) {
    this.#admission = admission;
    this.#metrics = metrics;
    for (const { path, errorFields } of endpoints) {
      const body = { ...errorBody(overloaded), ...errorFields?.(overloaded.message) };
      const refused = { path, payload: JSON.stringify(body) };
      for (const one of new Set([path, pathPrefix + path])) this.#refused.add(one, refused);
    }
  }

  readonly hasNoRoomFor = (request: IncomingMessage): boolean =>
    this.#admission.isFull && this.#refused.find(pathOf(request)) !== undefined;

  readonly refuse = (request: IncomingMessage, response: ServerResponse): void => {
    const refused = this.#refused.find(pathOf(request))?.target;
    if (refused !== undefined) this.#answer(request, response, refused);
  };

  /** The connection ends behind this answer. */
  readonly refuseFlood = (request: IncomingMessage, response: ServerResponse): void => {
    response.shouldKeepAlive = false;
    const path = this.#refused.find(pathOf(request))?.target.path ?? 'other';
    this.#answer(request, response, { path, payload: JSON.stringify(errorBody(flooded)) });
  };

  #answer(request: IncomingMessage, response: ServerResponse, { path, payload }: Refused): void {
    forgoBody(request, response);
    response.writeHead(503, [
      ...jsonHeaders,
      'content-length',
      String(Buffer.byteLength(payload)),
      'retry-after',
      standardRetryAfterS,
      ...headersOfAll({ id: requestIdOf(request), origin: { isHttps: 'encrypted' in request.socket } }),
    ]);
    response.end(payload);
    this.#metrics?.request(path, request.method ?? '', 503, 0);
  }
}
