/** Domains of mail in the one form in which they are compared, and which of them belong together (RFC 7489 3). */
import { getDomain } from 'tldts';
import { parseDomain } from '../../wire/email-address.ts';

/** As addresses have it, with the two labels at least that a domain in DNS has. Undefined for what is none. */
export function mailDomain(text: string): string | undefined {
  const domain = parseDomain(text);
  return domain.ok && domain.value.includes('.') ? domain.value : undefined;
}

/** RFC 1035 2.3.4, as text without the dot of the root. */
const maxNameLength = 253;

/** What DNS is asked for besides: `selector._domainkey.care.example`. */
export function isDnsName(text: string): boolean {
  return text.length <= maxNameLength && text.split('.').every((one) => /^[a-z0-9_-]{1,63}$/i.test(one));
}

export type Alignment = 'same' | 'related' | 'none';

/**
 * RFC 7489 3.1: `same` is aligned in every mode, `related` (of the same organisation) in the relaxed one only. The
 * private part of the public suffix list counts too: whoever rents `a.host.example` is not who rents `b.host.example`.
 */
export function alignment(one: string, other: string): Alignment {
  if (one === other) return 'same';
  return organisationalDomain(one) === organisationalDomain(other) ? 'related' : 'none';
}

/** RFC 7489 3.2. A public suffix itself has nothing above it. */
export function organisationalDomain(domain: string): string {
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain;
}
