/** Lists of IP addresses and networks, such as `192.0.2.7`, `10.0.0.0/8` or `fd00::/8`. */
import { BlockList, isIP } from 'node:net';
import { fault, quoted, type Result, success } from '../foundation/result.ts';

export function network(given: string): Result<string> {
  const text = given.trim();
  return networkList([text]) === undefined
    ? fault('invalid_value', { sentence: 'not_a_network', given: quoted(given) })
    : success(text);
}

/** Undefined unless each text is an address or a network. Query it with `check(address, 'ipv4' | 'ipv6')`. */
export function networkList(texts: readonly string[]): BlockList | undefined {
  const list = new BlockList();
  return texts.every((text) => addNetwork(list, text)) ? list : undefined;
}

function addNetwork(list: BlockList, text: string): boolean {
  const [network = '', bits, ...rest] = text.split('/');
  const version = isIP(network);
  // An address with a zone (`fe80::1%eth0`) means something on one machine only.
  if (version === 0 || network.includes('%') || rest.length > 0) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const longest = version === 4 ? 32 : 128;
  if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= longest)) return false;
  list.addSubnet(network, bits === undefined ? longest : Number(bits), family);
  return true;
}
