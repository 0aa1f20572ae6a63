/** A subscriber of IPv6 has a whole network of addresses: attempts are counted by the network, not by the address. */
import { isIPv6 } from 'node:net';
import { plainAddress } from '../http/origin.ts';

/** An IPv4 address is its own network; of an IPv6 address it is the first 64 bits (RFC 4291, 2.5.4). */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const [left = '', right] = plain.split('::', 2);
  const leading = groupsOf(left);
  const trailing = groupsOf(right ?? '');
  const zeros = new Array<string>(8 - leading.length - trailing.length).fill('0');
  const groups = right === undefined ? leading : [...leading, ...zeros, ...trailing];
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(':')}::/64`;
}

/** A dotted quad at the end stands for two groups, neither of which is among the first four. */
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : group));
}
