/** Lists of IP addresses and networks, such as 10.0.0.0/8, 192.0.2.7 or fd00::/8. */
import { BlockList, isIP } from 'node:net';

/** Returns false, and adds nothing, if the text is neither an address nor a network. */
export function addNetwork(list: BlockList, text: string): boolean {
  const [network = '', bits, ...rest] = text.split('/');
  const version = isIP(network);
  if (version === 0 || rest.length > 0) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const longest = version === 4 ? 32 : 128;
  if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= longest)) return false;
  list.addSubnet(network, bits === undefined ? longest : Number(bits), family);
  return true;
}

export function isNetwork(text: string): boolean {
  return addNetwork(new BlockList(), text);
}

/** The texts are networks already. Query it with `check(address, 'ipv4' | 'ipv6')`. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) addNetwork(list, network);
  return list;
}
