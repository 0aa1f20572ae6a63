/** The session cookie, which over HTTPS no other host of the domain can set. */
import type { IncomingHttpHeaders } from 'node:http';

/** Users and operators have cookies of their own, so that a browser can have a session of each. */
const cookieNames = ['carillon', 'carillon-operator'] as const;
export type CookieName = (typeof cookieNames)[number];

/**
 * RFC 6265bis, section 4.1.3.2: with `__Host-` browsers require `Secure`, `Path=/` and no `Domain`. On the machine itself,
 * without TLS, there is no prefix.
 */
const nameOver = (name: CookieName, isHttps: boolean) => (isHttps ? `__Host-${name}` : name);

const sessionNames = cookieNames.flatMap((name) => [nameOver(name, true), nameOver(name, false)]);

const attributes = 'Path=/; HttpOnly; SameSite=Lax';
/** The longest duration of a session (PORT-2). */
const maxAgeS = 30 * 24 * 60 * 60;

/** Undefined if there is none, or only one left by a page over plain HTTP. */
export function sessionTokenOf(
  { cookie }: IncomingHttpHeaders,
  name: CookieName,
  isHttps: boolean,
): string | undefined {
  return cookie === undefined ? undefined : valueIn(cookie, nameOver(name, isHttps));
}

export function carriesSession({ cookie }: IncomingHttpHeaders): boolean {
  return cookie !== undefined && sessionNames.some((name) => valueIn(cookie, name) !== undefined);
}

/** The value of the `Set-Cookie` header. An undefined token ends the session in the browser. */
export function sessionCookie(token: string | undefined, name: CookieName, isHttps: boolean): string {
  const lifetime = `Max-Age=${token === undefined ? 0 : maxAgeS}`;
  return `${nameOver(name, isHttps)}=${token ?? ''}; ${lifetime}; ${attributes}${isHttps ? '; Secure' : ''}`;
}

/** The value of another cookie. */
export function cookieOf({ cookie }: IncomingHttpHeaders, name: string): string | undefined {
  return cookie === undefined ? undefined : valueIn(cookie, name);
}

function valueIn(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name)
      return pair.slice(equals + 1).trim() || undefined;
  }
  return undefined;
}
