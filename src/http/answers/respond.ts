/** Writes a response to the wire, with the headers that every response carries (API: conventions). */
import { forgoBody } from '../body/unread-body.ts';
import type { RequestContext } from '../request-context.ts';

/** Alternating names and values, the form that Node writes with the least work. */
export type HeaderPairs = readonly string[];

export const jsonHeaders: HeaderPairs = ['content-type', 'application/json; charset=utf-8'];
export const textHeaders: HeaderPairs = ['content-type', 'text/plain; charset=utf-8'];

const securityHeaders: HeaderPairs = ['x-content-type-options', 'nosniff', 'referrer-policy', 'no-referrer'];
/** Covers only this host name: other services on its domain are not ours to decide about (RFC 6797 section 6.1). */
const httpsHeaders: HeaderPairs = [...securityHeaders, 'strict-transport-security', 'max-age=31536000'];

/** The headers of every response, whether from an endpoint, a page or a refusal. */
export function securityHeadersOf({ isHttps }: { readonly isHttps: boolean }): HeaderPairs {
  return isHttps ? httpsHeaders : securityHeaders;
}

/** The parts of a request that its response headers depend on. */
interface AnsweredRequest {
  readonly id: string;
  readonly origin: { readonly isHttps: boolean };
}

export function respond(
  context: RequestContext,
  status: number,
  headers: HeaderPairs,
  payload: string,
): void {
  const { request, response } = context;
  forgoBody(request, response);
  const length = String(Buffer.byteLength(payload));
  response.writeHead(status, [...headers, 'content-length', length, ...headersOfAll(context)]);
  response.end(payload);
}

/** Responses contain texts and phone numbers, so no cache on the way may keep them. */
export function headersOfAll({ id, origin }: AnsweredRequest): HeaderPairs {
  return ['x-request-id', id, 'cache-control', 'no-store', ...securityHeadersOf(origin)];
}

/** Whether an `Accept` header ranks plain text above JSON (RFC 9110 section 12.5.1). */
export function prefersText(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return weightOf('text', 'plain', accept) > weightOf('application', 'json', accept);
}

/** The most specific matching range decides. */
function weightOf(type: string, subtype: string, accept: string): number {
  let weight = 0;
  let exactness = 0;
  for (const range of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    const fit = [`*/*`, `${type}/*`, `${type}/${subtype}`].indexOf(name) + 1;
    if (fit <= exactness) continue;
    exactness = fit;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    weight = quality === undefined ? 1 : Number(quality.slice(2)) || 0;
  }
  return weight;
}
