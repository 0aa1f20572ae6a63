/** What the list of senders says about a mail from an address (API: states of a sender entry). */
import type { Store } from '../../storage/store.ts';
import { parseDomain, parseEmailAddress } from '../../wire/email-address.ts';
import type { Payer } from './paying-user.ts';
import type { SenderEntry, SenderKey } from './sender-entry.ts';
import { findDecidingEntry } from './store.ts';

export type FoundEntry =
  /** Nobody has listed the address or its domain, or it is no address at all. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'blocked'; readonly entry: SenderEntry }
  /** Whether the user may still pay is to be asked of `unfitness`: it was fit when the entry was set. */
  | { readonly kind: 'allowed'; readonly entry: SenderEntry; readonly payer: Payer };

/** The entry of the whole address alone decides when there is one, else that of its domain. */
export async function findEntry(store: Store, address: string): Promise<FoundEntry> {
  const key = keyOf(address);
  if (key === undefined) return { kind: 'unknown' };
  const found = await store.read(findDecidingEntry, key);
  if (found === undefined) return { kind: 'unknown' };
  const { entry, payer } = found;
  return entry.blocked ? { kind: 'blocked', entry } : { kind: 'allowed', entry, payer };
}

/** A name that no entry can have, such as `jürgen`, has none: then the domain's decides alone. Undefined: no address. */
function keyOf(address: string): SenderKey | undefined {
  const parsed = parseEmailAddress(address);
  if (parsed.ok) {
    const { local, domain } = parsed.value;
    return { email: `${local}@${domain}`, domain };
  }
  const at = address.lastIndexOf('@');
  const domain = parseDomain(address.slice(at + 1));
  return at > 0 && domain.ok ? { email: `@${domain.value}`, domain: domain.value } : undefined;
}
