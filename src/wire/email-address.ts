/** Checks whether a text is exactly one e-mail address, and converts it to the canonical form used for comparison. */
import { domainToASCII, domainToUnicode } from 'node:url';
import { type Fault, fault, quoted, type Result, success } from '../foundation/result.ts';
import { type Sentence, storedReason } from '../foundation/sentences.ts';

export interface EmailAddress {
  /** In lower case, and quoted only if necessary. */
  readonly local: string;
  /** In lower case, with labels in other alphabets in their ASCII form (RFC 5890, A-label). */
  readonly domain: string;
}

/** RFC 5321, section 4.5.3.1: the limits of a local part, and of a path without its angle brackets. */
const maxLocalLength = 64;
const maxAddressLength = 254;
/** The limit of RFC 1035 2.3.4, for a text without the trailing dot of the root. */
const maxDomainLength = 253;

/**
 * Accepts an addr-spec (RFC 5322 3.4.1) that mail servers pass on (RFC 5321 4.1.2): no comments, obsolete forms or bracketed
 * machine addresses. The local part is ASCII, so look-alike letters can't form a second address, and lower case is the same
 * everywhere. A server may distinguish letter case (RFC 5321 2.4), but no server that people write to does so.
 */
export function parseEmailAddress(text: string): Result<EmailAddress> {
  const at = text.lastIndexOf('@');
  if (at < 0) return noAddress(text, { sentence: 'email_without_at' });
  if (text.length > maxAddressLength) return tooLong(text);
  const local = localPart(text.slice(0, at));
  if (local === undefined) return noAddress(text, reasonAgainstLocal(text.slice(0, at)));
  const domain = parseDomain(text.slice(at + 1));
  if (!domain.ok) return domain;
  if (local.length + 1 + domain.value.length > maxAddressLength) return tooLong(text);
  return success({ local, domain: domain.value });
}

/** Returns the address as it is stored and compared, as one text. */
export function canonicalEmail(text: string): Result<string> {
  const address = parseEmailAddress(text);
  return address.ok ? success(`${address.value.local}@${address.value.domain}`) : address;
}

/** RFC 5322 3.2.3. */
const dotAtom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** RFC 5322 3.2.4, with the space as the only white space. */
const quotedString = /^"((?:[ !#-[\]-~]|\\[ -~])*)"$/;

/**
 * Undefined if the text is not a local part. A needlessly quoted local part is the same as without quotes (RFC 5321
 * 4.1.2).
 */
function localPart(text: string): string | undefined {
  if (text.length > maxLocalLength) return undefined;
  if (dotAtom.test(text)) return text.toLowerCase();
  const [, inside] = quotedString.exec(text) ?? [];
  if (inside === undefined) return undefined;
  const content = inside.replace(/\\(.)/g, '$1').toLowerCase();
  return dotAtom.test(content) ? content : `"${content.replace(/["\\]/g, '\\$&')}"`;
}

function reasonAgainstLocal(text: string): Sentence {
  if (text === '') return { sentence: 'email_without_name' };
  if (text.length > maxLocalLength) return { sentence: 'email_name_long', most: maxLocalLength };
  if (text.includes('@')) return { sentence: 'email_two_ats' };
  if (text.includes(' ')) return { sentence: 'email_space' };
  return { sentence: 'email_name', name: quoted(text) };
}

/** One label: letters and digits, with hyphens allowed inside (RFC 1123 2.1). */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns a domain name in lower case, with labels in other alphabets as A-labels. */
export function parseDomain(text: string): Result<string> {
  if (text === '') return noDomain(text, { sentence: 'is_empty' });
  if (text.length > maxDomainLength) return noDomain(text, { sentence: 'email_long', most: maxDomainLength });
  // The conversion is that of a URL parser, so the input must hold no characters with a meaning in URLs.
  const foreign = /[^A-Za-z0-9.\u0080-\u{10FFFF}-]/u.exec(text);
  if (foreign !== null) return noDomain(text, { sentence: 'contains', character: quoted(foreign[0]) });
  const domain = domainToASCII(text);
  if (domain === '') return noDomain(text, { sentence: 'domain_invalid' });
  if (domain.length > maxDomainLength)
    return noDomain(text, { sentence: 'email_long', most: maxDomainLength });
  const labels = domain.split('.');
  if (labels.includes('')) return noDomain(text, { sentence: 'domain_dots' });
  if (!labels.every((one) => label.test(one))) return noDomain(text, { sentence: 'domain_labels' });
  if (!labels.every(isPlainOrALabel)) return noDomain(text, { sentence: 'domain_invalid' });
  // No top-level domain is a number, so this is the address of a machine.
  if (/^\d+$/.test(labels.at(-1) ?? '')) return noDomain(text, { sentence: 'domain_number' });
  return success(domain);
}

/**
 * Checks that a label with the prefix of an A-label is one, because Node 24 no longer checks domains that are already ASCII.
 */
function isPlainOrALabel(text: string): boolean {
  if (!text.startsWith('xn--')) return true;
  const unicode = domainToUnicode(text);
  return /[^ -~]/.test(unicode) && domainToASCII(unicode) === text;
}

function noAddress(text: string, reason: Sentence): Fault {
  return fault('invalid_email', { sentence: 'email_wrong', email: quoted(text), why: storedReason(reason) });
}

function tooLong(text: string): Fault {
  return noAddress(text, { sentence: 'email_long', most: maxAddressLength });
}

function noDomain(text: string, reason: Sentence): Fault {
  return fault('invalid_email', {
    sentence: 'domain_wrong',
    domain: quoted(text),
    why: storedReason(reason),
  });
}
