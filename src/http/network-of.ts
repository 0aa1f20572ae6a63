/** Who has one address mostly has those beside it too: what clients use up is counted by their networks. */
import { isIPv4, isIPv6 } from 'node:net';
import { plainAddress } from './origin.ts';

/** An IPv4 address is its own network; of an IPv6 address it is the first 64 bits (RFC 4291, 2.5.4). */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  return isIPv6(plain) ? `${prefixOf(plain, 4)}::/64` : plain;
}

/** The network around it, which somebody may have rented as a whole: 24 bits of IPv4, 48 of IPv6 (RFC 6177). */
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
