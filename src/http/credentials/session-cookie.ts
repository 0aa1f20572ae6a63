/** The cookie that carries a session: over HTTPS such that no other name of the domain can set it. */
import type { IncomingHttpHeaders } from 'node:http';

/** RFC 6265bis, section 4.1.3.2: `__Host-` has browsers insist on `Secure`, `Path=/` and no `Domain`. */
const nameOverHttps = '__Host-carillon';
/** From the machine itself, without TLS. */
const nameOverHttp = 'carillon';

const attributes = 'Path=/; HttpOnly; SameSite=Lax';
/** As long as a session may last (PORT-2). */
const maxAgeS = 30 * 24 * 60 * 60;

/** Undefined: there is none, or one that a page over plain HTTP has left. */
export function sessionTokenOf({ cookie }: IncomingHttpHeaders, isHttps: boolean): string | undefined {
  return cookie === undefined ? undefined : valueIn(cookie, isHttps ? nameOverHttps : nameOverHttp);
}

export function carriesSession({ cookie }: IncomingHttpHeaders): boolean {
  return cookie !== undefined && [nameOverHttps, nameOverHttp].some((name) => valueIn(cookie, name));
}

/** Of the header `Set-Cookie`. Undefined ends the session in the browser. */
export function sessionCookie(token: string | undefined, isHttps: boolean): string {
  const name = isHttps ? nameOverHttps : nameOverHttp;
  const lifetime = `Max-Age=${token === undefined ? 0 : maxAgeS}`;
  return `${name}=${token ?? ''}; ${lifetime}; ${attributes}${isHttps ? '; Secure' : ''}`;
}

function valueIn(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name)
      return pair.slice(equals + 1).trim() || undefined;
  }
  return undefined;
}
