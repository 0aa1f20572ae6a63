/** The grammars of values from the environment, each with the words that tell an operator what is allowed. */
import { type BlockList, isIP } from 'node:net';
import { networkList } from '../wire/network-list.ts';

export interface Grammar<Result> {
  /** Completes "must be …". */
  readonly expects: string;
  /** Undefined when the text does not follow this grammar. */
  readonly parse: (text: string) => Result | undefined;
  /** The value contains a password or a key, so messages must not repeat it. */
  readonly secret?: true;
}

export interface Address {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
}

const hostName = /^(?!-)[a-z\d-]{1,63}(?<!-)(\.(?!-)[a-z\d-]{1,63}(?<!-))*$/i;

function parseAddress(text: string): Address | undefined {
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) return undefined;
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? { host: bracketed, port } : undefined;
  if (plain === undefined || !(hostName.test(plain) || isIP(plain) === 4)) return undefined;
  // Digits and full stops that are not an IPv4 address are a typing error, not a name.
  return /^[\d.]+$/.test(plain) && isIP(plain) === 0 ? undefined : { host: plain, port };
}

export const address: Grammar<Address> = {
  expects: 'host:port, such as 127.0.0.1:8080 or [::1]:8080',
  parse: parseAddress,
};

export const addressOrOff: Grammar<Address | 'off'> = {
  expects: `${address.expects}, or off`,
  parse: (text) => (text === 'off' ? 'off' : parseAddress(text)),
};

function items(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Query it with `check(address, 'ipv4' | 'ipv6')`; it also recognises IPv4 addresses in IPv6 notation. */
export const networks: Grammar<BlockList> = {
  expects: 'a comma-separated list of IP addresses or networks, such as 10.0.0.0/8,192.0.2.7,fd00::/8',
  parse: (text) => networkList(items(text)),
};

const unitBytes: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/** A number of bytes within the bounds. */
export function size(smallest: string, largest: string): Grammar<number> {
  const parse = (text: string): number | undefined => {
    const [, digits, unit = ''] = /^(\d{1,15}) ?([a-z]*)$/i.exec(text) ?? [];
    const factor = unitBytes[unit.toLowerCase()];
    return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
  };
  const [least = 0, most = 0] = [parse(smallest), parse(largest)];
  return {
    expects: `a size from ${smallest} to ${largest}, such as 256MiB, 64MB or 1048576`,
    parse(text) {
      const bytes = parse(text);
      return bytes !== undefined && bytes >= least && bytes <= most ? bytes : undefined;
    },
  };
}

export function wholeNumber(least: number, most: number): Grammar<number> {
  return {
    expects: `a whole number from ${least} to ${most}`,
    parse(text) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

export function word<Word extends string>(words: readonly Word[]): Grammar<Word> {
  return {
    expects: `one of ${words.join(', ')}`,
    parse: (text) => words.find((known) => known === text.toLowerCase()),
  };
}

interface UrlRules {
  readonly protocols: readonly string[];
  readonly example: string;
  /** Whether the URL's target can use a user and a password in the URL. */
  readonly credentials: boolean;
  readonly query: boolean;
}

export function url({ protocols, example, credentials, query }: UrlRules): Grammar<URL> {
  const wanted = protocols.map((protocol) => `${protocol}://`).join(' or ');
  return {
    expects: `a ${wanted} URL, such as ${example}`,
    ...(credentials ? { secret: true as const } : {}),
    parse(text) {
      if (!URL.canParse(text)) return undefined;
      const parsed = new URL(text);
      if (!protocols.includes(parsed.protocol.slice(0, -1)) || parsed.hash !== '') return undefined;
      if (!credentials && (parsed.username !== '' || parsed.password !== '')) return undefined;
      return query || parsed.search === '' ? parsed : undefined;
    },
  };
}

export const webUrl = url({
  protocols: ['http', 'https'],
  example: 'https://sms.example.com/carillon',
  credentials: false,
  query: false,
});

export const domains: Grammar<readonly string[]> = {
  expects: 'a comma-separated list of domain names, such as sms.example.com',
  parse(text) {
    const names = items(text).map((item) => item.toLowerCase());
    return names.length > 0 && names.every((name) => hostName.test(name)) ? names : undefined;
  },
};

export const filePath: Grammar<string> = { expects: 'the path of a file', parse: (text) => text };

/** Keys as short as this were once allowed. Code that uses a key warns if the key is too easy to guess. */
const minKeyLength = 16;

export const key: Grammar<string> = {
  expects:
    'at least 32 characters of several kinds, hard to guess, such as the output of: openssl rand -hex 32',
  secret: true,
  parse: (text) => (text.length >= minKeyLength ? text : undefined),
};
