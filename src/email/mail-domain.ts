/** Domains of mail in the one form in which they are compared, and which of them belong together (RFC 7489 3). */
import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

/** RFC 1035 2.3.4, as text without the dot of the root. */
const maxLength = 253;
/** RFC 1123 2.1; the underscore stands in names of keys and policies only. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** In lower case, other alphabets as A-labels (RFC 5890). Undefined for what is none, also for the address of a machine. */
export function mailDomain(text: string): string | undefined {
  // What a URL parser gets must hold none of the signs that mean something in a URL.
  if (text.length > maxLength || /[^A-Za-z0-9.\u0080-\u{10FFFF}-]/u.test(text)) return undefined;
  const domain = domainToASCII(text);
  const labels = domain.split('.');
  if (domain.length > maxLength || labels.length < 2 || !labels.every((one) => label.test(one)))
    return undefined;
  // No top-level domain is a number.
  return /^\d+$/.test(labels.at(-1) ?? '') ? undefined : domain;
}

/** What DNS is asked for besides: `selector._domainkey.care.example`. */
export function isDnsName(text: string): boolean {
  return text.length <= maxLength && text.split('.').every((one) => /^[a-z0-9_-]{1,63}$/i.test(one));
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
