/**
 * Keeps pages of other sites from using a password that a browser remembers, or a session of the portal: browsers add both
 * by themselves, whoever makes them ask (API: authentication, PORT-2). Programs send neither of the two headers looked at here.
 */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../foundation/errors.ts';
import { carriesSession } from '../credentials/session-cookie.ts';
import { type AddressTest, plainAddress } from '../origin.ts';
import { oneLine, type RequestContext, takesBody } from '../request-context.ts';

export interface SiteServices {
  readonly isTrustedProxy: AddressTest;
  /** Under which users reach the server, if it is configured. */
  readonly publicUrl: URL | undefined;
}

/** `isPage`: of the paths that show something and look at no credentials, where a link of another site may lead. */
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
    return crossSite('The browser sent it on behalf of a page of another site.');
  }
  // Of a page that sends no referrer, browsers write `Origin: null` also to its own server.
  if (isSameOrigin(site)) return undefined;
  if (origin === undefined || isOwnOrigin(origin, request, services)) return undefined;
  return crossSite(
    'Its `Origin` is not this server. Behind a proxy, the operator names the address that users see in CARILLON_PUBLIC_URL.',
  );
}

function crossSite(why: string): ServiceError {
  return new ServiceError('cross_site', `The request carries a login and was refused. ${why}`);
}

/** A browser that follows a link, or is given an address, to show what is there. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && headers['sec-fetch-mode'] === 'navigate';
}

/** Browsers alone write the header, and no page has a say in it. */
function isSameOrigin(site: string | string[] | undefined): boolean {
  return oneLine(site)?.trim().toLowerCase() === 'same-origin';
}

function isOwnOrigin(origin: string, request: IncomingMessage, services: SiteServices): boolean {
  return originsOf(request, services).has(normalised(origin));
}

/** More hops than these are a caller's invention. */
const maxForwarded = 32;

/** Those that the request may have been sent to. What `X-Forwarded-*` say is believed of trusted proxies only. */
function originsOf(
  { headers, socket }: IncomingMessage,
  { isTrustedProxy, publicUrl }: SiteServices,
): ReadonlySet<string> {
  const isProxied = isTrustedProxy(plainAddress(socket.remoteAddress ?? ''));
  const forwarded = (name: string): string[] =>
    isProxied ? (oneLine(headers[name]) ?? '').split(',', maxForwarded) : [];
  // The first proxy says how the browser came.
  const [forwardedScheme = ''] = forwarded('x-forwarded-proto');
  const scheme = forwardedScheme.trim() || ('encrypted' in socket ? 'https' : 'http');
  const hosts = [headers.host ?? '', ...forwarded('x-forwarded-host')];
  const urls = [...hosts.map((host) => `${scheme}://${host.trim()}`), publicUrl?.origin ?? ''];
  return new Set(urls.map(normalised).filter((url) => url !== nowhere));
}

/** Stands for pages without an origin of their own, which browsers write as `null`, and for what is no origin at all. */
const nowhere = '';

/** As browsers write it: in small letters, and without the scheme's own port. */
function normalised(origin: string): string {
  const isOrigin = /^https?:\/\/[^/?#@\s]+$/i.test(origin) && URL.canParse(origin);
  return isOrigin ? new URL(origin).origin : nowhere;
}

/** What pages of other sites can send without being asked (Fetch standard: CORS-safelisted request-header). */
const simpleType = /^\s*(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\b/i;
const jsonType = /^\s*application\/json\b/i;

/**
 * Whether a call comes from a page of ours: browsers add the cookie of a session to every call, whatever page makes it, so that a call
 * which changes something has to say where it comes from (PORT-2). No tokens in forms: the algorithm is that of
 * `CrossOriginProtection` of Go 1.25.
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
  if (!isOwn)
    return refused('Its `Sec-Fetch-Site` or `Origin` does not say that a page of this server sent it.');
  if (!takesBody(request.method)) return undefined;
  const isReadable = body === 'json' ? jsonType.test(type) : type !== '' && !simpleType.test(type);
  return isReadable
    ? undefined
    : refused('Its `Content-Type` is one that forms have: send application/json.');
}

function refused(why: string): ServiceError {
  return new ServiceError('cross_site', `The call of a page was refused. ${why}`);
}
