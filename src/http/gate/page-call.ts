/**
 * Whether a call comes from a page of ours: browsers add the cookie of a session whoever makes them call, so that a call
 * which changes something has to say where it comes from (PORT-2). No tokens in forms: the algorithm is that of
 * `CrossOriginProtection` of Go 1.25.
 */
import { ServiceError } from '../../foundation/errors.ts';
import type { RequestContext } from '../request-context.ts';
import { isOwnOrigin, isSameOrigin, type SiteServices } from './cross-site.ts';

/** What pages of other sites can send without being asked (Fetch standard: CORS-safelisted request-header). */
const simpleType = /^\s*(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\b/i;
const jsonType = /^\s*application\/json\b/i;

export function faultOfPageCall(
  { request }: RequestContext,
  services: SiteServices,
  body: 'json' | 'lines',
): ServiceError | undefined {
  const { origin, 'sec-fetch-site': site, 'content-type': type = '' } = request.headers;
  if (request.method === 'GET') return undefined;
  const isOwn =
    site === undefined ? origin !== undefined && isOwnOrigin(origin, request, services) : isSameOrigin(site);
  if (!isOwn)
    return refused('Its `Sec-Fetch-Site` or `Origin` does not say that a page of this server sent it.');
  if (request.method !== 'POST') return undefined;
  const isReadable = body === 'json' ? jsonType.test(type) : type !== '' && !simpleType.test(type);
  return isReadable
    ? undefined
    : refused('Its `Content-Type` is one that forms have: send application/json.');
}

function refused(why: string): ServiceError {
  return new ServiceError('cross_site', `The call of a page was refused. ${why}`);
}
