/**
 * Prevents other sites' pages from using a stored password or a portal session: browsers add both by themselves, whichever
 * page makes the request (API: authentication, PORT-2). Programs send neither of the two headers checked here.
 */

import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../foundation/errors.ts';
import { type Sentence, storedReason } from '../../foundation/sentences.ts';
import { carriesSession } from '../credentials/session-cookie.ts';
import { type AddressTest, plainAddress } from '../origin.ts';
import { oneLine, type RequestContext, takesBody } from '../request-context.ts';

export interface SiteServices {
  readonly isTrustedProxy: AddressTest;
  /** The URL by which users reach the server, if configured. */
  readonly publicUrl: URL | undefined;
}

/** `isPage` is for paths that show something and ignore credentials, to which a link of another site may lead. */
export function faultOfSite(
  request: IncomingMessage,
  services: SiteServices,
  isPage: boolean,
): ServiceError | undefined {
  const { authorization, origin, 'sec-fetch-site': site } = request.headers;
  if (origin === undefined && site === undefined) return undefined;
  const hasPassword = authorization !== undefined && /^\s*basic\b/i.test(authorization);
  if (!hasPassword && (!carriesSession(request.headers) || (isPage && isNavigation(request))))
    return undefined;
  if (site !== undefined && /\b(?:cross|same)-site\b/i.test(oneLine(site) ?? '')) {
    return crossSite({ sentence: 'site_other' });
  }
  // For a page that sends no referrer, browsers write `Origin: null` even to its own server.
  if (isSameOrigin(site)) return undefined;
  if (origin === undefined || isOwnOrigin(origin, request, services)) return undefined;
  return crossSite({ sentence: 'site_origin' });
}

function crossSite(why: Sentence): ServiceError {
  return new ServiceError('cross_site', { sentence: 'cross_site_login', why: storedReason(why) });
}

/** Whether a browser is following a link or an entered address in order to show the page. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && headers['sec-fetch-mode'] === 'navigate';
}

/** Only browsers write this header, and no page can influence it. */
function isSameOrigin(site: string | string[] | undefined): boolean {
  return oneLine(site)?.trim().toLowerCase() === 'same-origin';
}

function isOwnOrigin(origin: string, request: IncomingMessage, services: SiteServices): boolean {
  return originsOf(request, services).has(normalised(origin));
}

/** More hops than this are a caller's invention. */
const maxForwarded = 32;

/** The origins to which the request may have been sent. `X-Forwarded-*` headers are trusted only from trusted proxies. */
function originsOf(
  { headers, socket }: IncomingMessage,
  { isTrustedProxy, publicUrl }: SiteServices,
): ReadonlySet<string> {
  const isProxied = isTrustedProxy(plainAddress(socket.remoteAddress ?? ''));
  const forwarded = (name: string): string[] =>
    isProxied ? (oneLine(headers[name]) ?? '').split(',', maxForwarded) : [];
  // The first proxy reports how the browser connected.
  const [forwardedScheme = ''] = forwarded('x-forwarded-proto');
  const scheme = forwardedScheme.trim() || ('encrypted' in socket ? 'https' : 'http');
  const hosts = [headers.host ?? '', ...forwarded('x-forwarded-host')];
  const urls = [...hosts.map((host) => `${scheme}://${host.trim()}`), publicUrl?.origin ?? ''];
  return new Set(urls.map(normalised).filter((url) => url !== nowhere));
}

/** Represents pages without an origin of their own, which browsers write as `null`, and invalid origins. */
const nowhere = '';

/** Normalizes as browsers do: lower case, without the scheme's default port. */
function normalised(origin: string): string {
  const isOrigin = /^https?:\/\/[^/?#@\s]+$/i.test(origin) && URL.canParse(origin);
  return isOrigin ? new URL(origin).origin : nowhere;
}

/** What other sites' pages can send without preflight (Fetch standard: CORS-safelisted request-header). */
const simpleType = /^\s*(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\b/i;
const jsonType = /^\s*application\/json\b/i;

/**
 * Checks whether a call comes from one of our pages: browsers add the session cookie to every call, whichever page makes it,
 * so a call that changes something must state its origin (PORT-2). There are no tokens in forms; the algorithm is that of
 * `CrossOriginProtection` in Go 1.25.
 */
export function faultOfPageCall(
  { request }: RequestContext,
  services: SiteServices,
  body: 'json' | 'lines',
): ServiceError | undefined {
  const { origin, 'sec-fetch-site': site, 'content-type': type = '' } = request.headers;
  if (request.method === 'GET') return undefined;
  const isOwn =
    site === undefined ? origin !== undefined && isOwnOrigin(origin, request, services) : isSameOrigin(site);
  if (!isOwn) return refused({ sentence: 'site_unproven' });
  if (!takesBody(request.method)) return undefined;
  const isReadable = body === 'json' ? jsonType.test(type) : type !== '' && !simpleType.test(type);
  return isReadable ? undefined : refused({ sentence: 'site_form' });
}

function refused(why: Sentence): ServiceError {
  return new ServiceError('cross_site', { sentence: 'cross_site', why: storedReason(why) });
}
