/**
 * Prevents posts to networks that only the server can reach: its own machine, private networks, cloud services. Literal
 * addresses and every address of a name are checked, in whatever form they are written.
 */
import { Resolver } from 'node:dns/promises';
import { type BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Budget } from '../../foundation/budget.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { ReadOwner } from '../../storage/verb.ts';

/** The signatures match `resolve4` and `resolve6` of node:dns/promises. */
export interface ResolveAddresses {
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
}

/** The receiver must not be reached. The message is meant for the webhook's owners. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  readonly code = 'FORBIDDEN_ADDRESS';
}

const dnsTimeoutMs = 2_000;

/** Uses the system's DNS servers through c-ares, because `dns.lookup` shares its threads with password hashing. */
function systemResolver(): ResolveAddresses {
  return new Resolver({ timeout: dnsTimeoutMs, tries: 2 });
}

/** No real receiver has more addresses. */
const maxAddresses = 16;

export class AddressGuard {
  readonly #allowed: Pick<BlockList, 'check'>;
  readonly #resolver: ResolveAddresses;

  /** `allowed`: networks that may be reached even though they are not public. */
  constructor(allowed: Pick<BlockList, 'check'>, resolver: ResolveAddresses = systemResolver()) {
    this.#allowed = allowed;
    this.#resolver = resolver;
  }

  /**
   * Returns the host's addresses, all checked, to be connected to directly. A single forbidden address forbids the host,
   * which could otherwise choose between two look-ups.
   */
  async addressesOf(host: string): Promise<readonly string[]> {
    const bare = host.replace(/^\[|\]$/g, '');
    const addresses = isIP(bare) === 0 ? await this.#resolve(bare) : [bare];
    if (!addresses.every((address) => this.#mayReach(address)))
      throw new ForbiddenAddress('the address is not on the public internet');
    return addresses;
  }

  #mayReach(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const plain = ipaddr.process(address);
    return isPublic(plain) || this.#allowed.check(plain.toString(), plain.kind());
  }

  async #resolve(name: string): Promise<readonly string[]> {
    // RFC 6761, section 6.3: this name means the local machine, whatever DNS says.
    if (/(^|\.)localhost\.?$/i.test(name)) return ['127.0.0.1', '::1'];
    const found = await Promise.allSettled([this.#resolver.resolve4(name), this.#resolver.resolve6(name)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length > maxAddresses) throw new ForbiddenAddress('the name has too many addresses');
    if (addresses.length > 0) return addresses;
    const [first] = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    throw first ?? Object.assign(new Error('the name has no address'), { code: 'ENODATA' });
  }
}

/** In IPv6, nothing outside 2000::/3 has been allocated. `::7f00:1`, an old form of 127.0.0.1, also counts as unicast. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || ((address as ipaddr.IPv6).parts[0] ?? 0) >> 13 === 1;
}

export const lookUpsOfUser = 2;
export const lookUpsOfCompany = 8;

/**
 * Looks up the addresses that callers want events posted to, a few at a time per caller. Names whose servers never answer
 * hold up only their own users.
 */
export class LookUps {
  readonly #guard: Pick<AddressGuard, 'addressesOf'>;
  readonly #underWay = new Budget({ ofOwner: lookUpsOfCompany, ofMember: lookUpsOfUser });

  constructor(guard: Pick<AddressGuard, 'addressesOf'>) {
    this.#guard = guard;
  }

  /** Does the same as the guard, but refuses if the caller already has the maximum number under way. */
  async addressesOf({ companyId, userId }: ReadOwner, host: string): Promise<readonly string[]> {
    const addresses = await this.#underWay.run(() => this.#guard.addressesOf(host), companyId, userId);
    if (addresses !== undefined) return addresses;
    const sentence = 'The addresses of your other webhooks are still being looked up. Try again in a moment.';
    throw new ServiceError('overloaded', sentence, { headers: { 'retry-after': '2' } });
  }
}
