/** Refuses calls for which there is no room as cheaply as possible: before routes, hooks and bodies. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../../foundation/errors.ts';
import type { Language } from '../../foundation/language.ts';
import { type Admission, overloaded } from '../admission.ts';
import { errorBody, formBeforeCall, standardRetryAfterS } from '../answers/error-response.ts';
import { languageOf, replacerFor } from '../answers/in-language.ts';
import { headersOfAll, jsonHeaders } from '../answers/respond.ts';
import { forgoBody } from '../body/unread-body.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { PathTable } from '../endpoints/path-table.ts';
import type { HttpMetrics } from '../gate/probes.ts';
import { pathOf, requestIdOf } from '../request-context.ts';

const flooded = new ServiceError('overloaded', { sentence: 'calls_unanswered' });

type Refusable = Pick<Endpoint<never>, 'path' | 'errorFields' | 'table'>;

export interface RefusalServices {
  readonly admission: Admission;
  readonly endpoints: readonly Refusable[];
  readonly pathPrefix: string;
  readonly metrics: HttpMetrics | undefined;
}

interface Refused {
  readonly path: string;
  readonly payloadOf: (fault: ServiceError, request: IncomingMessage) => string;
}

function refusedOf(endpoint: Refusable): Refused {
  const { path, errorFields } = endpoint;
  if (errorFields === undefined) return { path, payloadOf: plainPayload };
  const payloadOf: Refused['payloadOf'] = (fault, request) => {
    const { asked = () => '' } = formBeforeCall(endpoint, request);
    return JSON.stringify({ ...errorBody(fault), ...errorFields(fault.message, asked) });
  };
  return { path, payloadOf };
}

const written = (fault: ServiceError, language: Language) =>
  JSON.stringify(errorBody(fault), replacerFor(language));
const payloads = new Map(
  [overloaded, flooded].map((fault) => [fault, { en: written(fault, 'en'), sv: written(fault, 'sv') }]),
);

function plainPayload(fault: ServiceError, request: IncomingMessage): string {
  const language = languageOf(request);
  return payloads.get(fault)?.[language] ?? written(fault, language);
}

const unknownPath: Refused = { path: 'other', payloadOf: plainPayload };

export class Refusals {
  readonly #admission: Admission;
  readonly #metrics: HttpMetrics | undefined;
  /** By path. Paths outside the API, such as probes, are served even under overload. */
  readonly #refused = new PathTable<Refused>();

  constructor({ admission, endpoints, pathPrefix, metrics }: RefusalServices) {
    this.#admission = admission;
    this.#metrics = metrics;
    // If several endpoints share a path, the last one counts, so endpoints whose refusals have fields of their own come
    // last.
    const sorted = endpoints.toSorted(
      (one, other) => Number(one.errorFields !== undefined) - Number(other.errorFields !== undefined),
    );
    for (const endpoint of sorted) {
      const { path } = endpoint;
      const refused = refusedOf(endpoint);
      for (const one of new Set([path, pathPrefix + path])) this.#refused.add(one, refused);
    }
  }

  readonly hasNoRoomFor = (request: IncomingMessage): boolean =>
    this.#admission.isFull && this.#refused.find(pathOf(request)) !== undefined;

  readonly refuse = (request: IncomingMessage, response: ServerResponse): void => {
    const refused = this.#refused.find(pathOf(request))?.target;
    if (refused !== undefined) this.#answer(request, response, refused, overloaded);
  };

  /** The connection ends after this response. */
  readonly refuseFlood = (request: IncomingMessage, response: ServerResponse): void => {
    response.shouldKeepAlive = false;
    const refused = this.#refused.find(pathOf(request))?.target ?? unknownPath;
    this.#answer(request, response, refused, flooded);
  };

  #answer(
    request: IncomingMessage,
    response: ServerResponse,
    { path, payloadOf }: Refused,
    fault: ServiceError,
  ): void {
    const payload = payloadOf(fault, request);
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
