/** Determines the origin of a request, and whether its credentials travelled safely (API: authentication, transport). */
import { type BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { networkList } from '../wire/network-list.ts';

export interface RequestOrigin {
  readonly address: string;
  /** Whether TLS was used all the way. */
  readonly isHttps: boolean;
  /** Whether the request used TLS or never left this machine. */
  readonly isSafe: boolean;
}

export interface Hop {
  /** The address of the connection's peer. */
  readonly peer: string;
  readonly isEncrypted: boolean;
  readonly forwardedFor: string | undefined;
  readonly forwardedProto: string | undefined;
}

/** A longer chain of proxies than this is a caller's invention. */
const maxHops = 32;
/** The longest address has 45 characters; a zone, brackets, quotes and a port may come in addition. */
const maxEntryLength = 100;

/** `X-Forwarded-*` headers are trusted only if the direct peer is a trusted proxy. */
export function originOf(hop: Hop, isTrusted: AddressTest): RequestOrigin {
  const { isEncrypted, forwardedFor, forwardedProto } = hop;
  const peer = plainAddress(hop.peer);
  const isForwarded = forwardedFor !== undefined || forwardedProto !== undefined;
  if (!isForwarded || !isTrusted(peer)) {
    return { address: peer, isHttps: isEncrypted, isSafe: isEncrypted || isLoopback(peer) };
  }
  // Only the proxy knows how the request reached it; if it does not say, nothing is known.
  const isHttps = forwardedProto !== undefined && areHttps(forwardedProto);
  const address = forwardedFor === undefined ? peer : clientBehind(forwardedFor, peer, isTrusted);
  return { address, isHttps, isSafe: isHttps };
}

/** Each proxy appends the address it saw, so the right-most one that is not a trusted proxy is the client's. */
function clientBehind(forwardedFor: string, peer: string, isTrusted: AddressTest): string {
  let client = peer;
  let end = forwardedFor.length;
  for (let hop = 0; hop < maxHops && end >= 0; hop++) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1);
    const address = addressIn(forwardedFor.slice(comma + 1, end));
    // Whatever precedes an unreadable entry was not written by one of our proxies.
    if (address === undefined) return client;
    client = address;
    if (!isTrusted(address)) return client;
    end = comma;
  }
  return client;
}

/** Every hop must have been encrypted. */
function areHttps(forwardedProto: string): boolean {
  const hops = forwardedProto.split(',', maxHops + 1);
  return hops.length <= maxHops && hops.every((proto) => proto.trim().toLowerCase() === 'https');
}

/** An entry may be quoted and carry a port, and an IPv6 address may be in brackets. */
function addressIn(entry: string): string | undefined {
  if (entry.length > maxEntryLength) return undefined;
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1];
  const address = plainAddress(bracketed ?? withPort ?? text);
  return isIP(address) === 0 ? undefined : address;
}

/** Returns the address without the IPv6 form of an IPv4 address and without a zone. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address.split('%', 1).join('');
}

export function isLoopback(address: string): boolean {
  return address === '::1' || (address.startsWith('127.') && isIP(address) === 4);
}

export type AddressTest = (address: string) => boolean;

/** Whether an address is on a list of addresses and networks. */
export function addressTest(list: BlockList): AddressTest {
  if (list.rules.length === 0) return () => false;
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

/** The same of a list that people wrote; no address is on a list that can't be read. */
export function addressTestOf(texts: readonly string[]): AddressTest {
  const list = networkList(texts);
  return list === undefined ? () => false : addressTest(list);
}

/**
 * The network by which a client's usage is counted, since the holder of an address usually has the neighbouring addresses
 * too. An IPv4 address counts alone; an IPv6 address counts by its first 64 bits (RFC 4291, section 2.5.4).
 */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  return isIPv6(plain) ? `${prefixOf(plain, 4)}::/64` : plain;
}

/** The wider network around it, which one party may have rented as a whole: 24 bits of IPv4, 48 of IPv6 (RFC 6177). */
export function wideNetworkOf(address: string): string {
  const plain = plainAddress(address);
  if (isIPv4(plain)) return `${plain.slice(0, plain.lastIndexOf('.'))}.0/24`;
  return isIPv6(plain) ? `${prefixOf(plain, 3)}::/48` : plain;
}

function prefixOf(address: string, groupCount: number): string {
  const [left = '', right] = address.split('::', 2);
  const leading = groupsOf(left);
  const trailing = groupsOf(right ?? '');
  const zeros = new Array<string>(8 - leading.length - trailing.length).fill('0');
  const groups = right === undefined ? leading : [...leading, ...zeros, ...trailing];
  const prefix = groups.slice(0, groupCount).map((group) => Number.parseInt(group, 16).toString(16));
  return prefix.join(':');
}

/** A dotted quad at the end stands for two groups, neither of which is among the first four. */
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : group));
}
