/**
 * Keeps what is posted out of the networks that only the server can reach: its own machine, private networks, services
 * of a cloud. Literal addresses are judged as well as every address of a name, in whatever form they are written.
 */
import { Resolver } from 'node:dns/promises';
import { type BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Budget } from '../../foundation/budget.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { ReadOwner } from '../../storage/verb.ts';

/** As `resolve4` and `resolve6` of node:dns/promises. */
export interface ResolveAddresses {
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
}

/** A receiver that may not be reached; its message is for those who own the webhook. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  readonly code = 'FORBIDDEN_ADDRESS';
}

const dnsTimeoutMs = 2_000;

/** That of the system, by c-ares, since `dns.lookup` shares its threads with passwords. */
function systemResolver(): ResolveAddresses {
  return new Resolver({ timeout: dnsTimeoutMs, tries: 2 });
}

/** Nobody's receiver has more. */
const maxAddresses = 16;

export class AddressGuard {
  readonly #allowed: Pick<BlockList, 'check'>;
  readonly #resolver: ResolveAddresses;

  /** `allowed`: networks that may be reached although they are not public. */
  constructor(allowed: Pick<BlockList, 'check'>, resolver: ResolveAddresses = systemResolver()) {
    this.#allowed = allowed;
    this.#resolver = resolver;
  }

  /**
   * The addresses of the host, each of them judged: to be connected to as they are. One that is forbidden forbids the
   * host, which may else choose between two looks at it.
   */
  async addressesOf(host: string): Promise<readonly string[]> {
    const bare = host.replace(/^\[|\]$/g, '');
    const addresses = isIP(bare) === 0 ? await this.#resolve(bare) : [bare];
    if (!addresses.every((address) => this.#mayReach(address)))
      throw new ForbiddenAddress('the address is not one of the public internet');
    return addresses;
  }

  #mayReach(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const plain = ipaddr.process(address);
    return isPublic(plain) || this.#allowed.check(plain.toString(), plain.kind());
  }

  async #resolve(name: string): Promise<readonly string[]> {
    // RFC 6761, section 6.3: it is this machine, whatever DNS says.
    if (/(^|\.)localhost\.?$/i.test(name)) return ['127.0.0.1', '::1'];
    const found = await Promise.allSettled([this.#resolver.resolve4(name), this.#resolver.resolve6(name)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length > maxAddresses) throw new ForbiddenAddress('the name has too many addresses');
    if (addresses.length > 0) return addresses;
    const [first] = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    throw first ?? Object.assign(new Error('the name has no address'), { code: 'ENODATA' });
  }
}

/** Of IPv6 nothing is given out beside 2000::/3: `::7f00:1`, an old form of 127.0.0.1, counts as unicast as well. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || ((address as ipaddr.IPv6).parts[0] ?? 0) >> 13 === 1;
}

export const lookUpsOfUser = 2;
export const lookUpsOfCompany = 8;

/**
 * Looks up where callers want to have events posted, for few of them at a time: names whose servers never answer hold up
 * their own users, and nobody else.
 */
export class LookUps {
  readonly #guard: Pick<AddressGuard, 'addressesOf'>;
  readonly #underWay = new Budget({ ofOwner: lookUpsOfCompany, ofMember: lookUpsOfUser });

  constructor(guard: Pick<AddressGuard, 'addressesOf'>) {
    this.#guard = guard;
  }

  /** As the guard does; refused where the caller has as many under way as may be. */
  async addressesOf({ companyId, userId }: ReadOwner, host: string): Promise<readonly string[]> {
    const addresses = await this.#underWay.run(() => this.#guard.addressesOf(host), companyId, userId);
    if (addresses !== undefined) return addresses;
    const sentence = 'The addresses of other webhooks of yours are being looked up. Try again in a moment.';
    throw new ServiceError('overloaded', sentence, { headers: { 'retry-after': '2' } });
  }
}
