/**
 * Applied to every request before its route: counting requests in progress, determining the origin, and reasons for
 * refusal.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { ServiceError } from '../../foundation/errors.ts';
import type { Admission } from '../admission.ts';
import { type ErrorFields, formBeforeCall, respondWithError } from '../answers/error-response.ts';
import type { Parameters } from '../parameters/parameter.ts';
import type { ParameterTable } from '../parameters/table.ts';
import { openContext, type RequestContext } from '../request-context.ts';
import { whenEnded } from '../when-ended.ts';
import { faultOfSite, type SiteServices } from './cross-site.ts';
import type { HttpMetrics } from './probes.ts';

export interface GateServices extends SiteServices {
  readonly admission: Admission;
  readonly log: Logger;
  readonly metrics: HttpMetrics | undefined;
  /** The address of all clients if their connections have none, as on a Unix socket. */
  readonly peer?: string;
}

/** What a refusal needs to know about the called endpoint. */
export interface EnteredEndpoint {
  readonly path: string;
  readonly errorFields?: ErrorFields;
  readonly table: ParameterTable<Parameters>;
}

export class Gate {
  readonly #services: GateServices;

  constructor(services: GateServices) {
    this.#services = services;
  }

  /** Returns undefined if it has already responded. `endpoint` is undefined for requests outside the API. */
  enter(
    request: IncomingMessage,
    response: ServerResponse,
    endpoint: EnteredEndpoint | undefined,
  ): RequestContext | undefined {
    const context = openContext(request, response, this.#services);
    this.#count(context, endpoint?.path ?? 'other');
    const isPage = endpoint === undefined;
    const fault = faultOfForm(request) ?? faultOfSite(request, this.#services, isPage);
    if (fault === undefined) return context;
    respondWithError(context, fault, this.#services.log, endpoint && formBeforeCall(endpoint, request));
    return undefined;
  }

  #count({ id, request, response }: RequestContext, path: string): void {
    const { admission, metrics, log } = this.#services;
    const startedMs = performance.now();
    const ended = (): void => {
      if (!admission.end(response)) return;
      const { method = '' } = request;
      const seconds = (performance.now() - startedMs) / 1000;
      const status = response.writableFinished ? response.statusCode : 499;
      metrics?.request(path, method, status, seconds);
      // The URL as received is never logged, because its query may hold credentials and texts.
      if (log.isLevelEnabled('debug'))
        log.debug({ requestId: id, method, path, status, seconds }, 'answered');
    };
    admission.begin(response);
    whenEnded(request, response, ended);
  }
}

/** RFC 9112 section 3.2. */
function faultOfForm({ rawHeaders, httpVersion }: IncomingMessage): ServiceError | undefined {
  const hosts = countHosts(rawHeaders);
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined;
  const what = hosts === 0 ? 'no Host header' : `${hosts} Host headers`;
  return new ServiceError('bad_request', `The request is not valid HTTP/1.1: it has ${what}.`);
}

/** `rawHeaders` alternates names and values. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
