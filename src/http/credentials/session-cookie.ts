/** Cookies, above all that of a session, which over HTTPS no other host of the domain can set. */
import type { IncomingHttpHeaders } from 'node:http';

/** Users and operators have cookies of their own, so that a browser can have a session of each. */
const cookieNames = ['carillon', 'carillon-operator'] as const;
export type CookieName = (typeof cookieNames)[number];

/**
 * RFC 6265bis, section 4.1.3.2: with `__Host-` browsers require `Secure`, `Path=/` and no `Domain`. On the machine itself,
 * without TLS, there is no prefix.
 */
const nameOver = (name: string, isHttps: boolean) => (isHttps ? `__Host-${name}` : name);

const sessionNames = cookieNames.flatMap((name) => [nameOver(name, true), nameOver(name, false)]);

const attributes = 'Path=/; HttpOnly; SameSite=Lax';
/** The longest duration of a session (PORT-2). */
const maxAgeS = 30 * 24 * 60 * 60;

export function sessionTokenOf(
  headers: IncomingHttpHeaders,
  name: CookieName,
  isHttps: boolean,
): string | undefined {
  return cookieOf(headers, name, isHttps);
}

export function carriesSession({ cookie }: IncomingHttpHeaders): boolean {
  return cookie !== undefined && sessionNames.some((name) => valueIn(cookie, name) !== undefined);
}

/** The value of the `Set-Cookie` header. An undefined token ends the session in the browser. */
export function sessionCookie(token: string | undefined, name: CookieName, isHttps: boolean): string {
  return cookieWith(token, name, maxAgeS, isHttps);
}

/** The value of a cookie. Undefined if there is none, or only one left by a page over plain HTTP. */
export function cookieOf(
  { cookie }: IncomingHttpHeaders,
  name: string,
  isHttps: boolean,
): string | undefined {
  return cookie === undefined ? undefined : valueIn(cookie, nameOver(name, isHttps));
}

/** The value of the `Set-Cookie` header. An undefined value removes the cookie. */
export function cookieWith(value: string | undefined, name: string, keptS: number, isHttps: boolean): string {
  const lifetime = `Max-Age=${value === undefined ? 0 : keptS}`;
  return `${nameOver(name, isHttps)}=${value ?? ''}; ${lifetime}; ${attributes}${isHttps ? '; Secure' : ''}`;
}

function valueIn(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name)
      return pair.slice(equals + 1).trim() || undefined;
  }
  return undefined;
}
