/** Where the relay for our mail is, and how to talk to it: `smtp://user:password@mail.example.com:587`. */
import { isIP } from 'node:net';

export interface RelayAddress {
  readonly host: string;
  readonly port: number;
  /** `immediate`: TLS from the first octet; `starttls`: nothing is sent before TLS is established; `none`: no TLS. */
  readonly tls: 'immediate' | 'starttls' | 'none';
  readonly login: { readonly user: string; readonly password: string } | undefined;
}

export const relayAddressForm =
  'an smtp:// or smtps:// URL with host and port, with a user and password if the relay requires them, and ?tls=off if it has no TLS, such as smtp://user:password@mail.example.com:587';

/**
 * RFC 8314, sections 3.3 and 7.3, and RFC 5321, section 4.5.4.2: a client that logs in submits mail; a client that does
 * not log in relays it.
 */
const ports = { immediate: 465, submission: 587, relay: 25 } as const;

/** Undefined if the text is not a relay address. */
export function parseRelayAddress(text: string): RelayAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const isImmediate = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const isForm =
    (isImmediate || protocol === 'smtp:') && host !== '' && hash === '' && /^\/?$/.test(pathname);
  const isTlsKnown = search === '' || (search === '?tls=off' && !isImmediate);
  const login = loginOf(username, password);
  if (!isForm || !isTlsKnown || login === 'malformed') return undefined;
  const standardPort = login === undefined ? ports.relay : ports.submission;
  return {
    host,
    port: port === '' ? (isImmediate ? ports.immediate : standardPort) : Number(port),
    tls: isImmediate ? 'immediate' : search !== '' || isLoopback(host) ? 'none' : 'starttls',
    login,
  };
}

function loginOf(username: string, password: string): RelayAddress['login'] | 'malformed' {
  if (username === '' && password === '') return undefined;
  if (username === '' || password === '') return 'malformed';
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    // A percent sign that does not begin an encoded octet.
    return 'malformed';
  }
}

/** Traffic between two programs on one machine cannot be overheard. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
