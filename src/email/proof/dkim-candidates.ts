/**
 * Selects the DKIM signatures of an e-mail that could prove its sender, and says what is wrong with the others (RFC 6376).
 * mailauth verifies what is signed but not what must be signed: it accepts signatures that do not cover From, that
 * cover only part of the body, or that use SHA-1, and it parses comments and quotations, which RFC 6376, section 3.2,
 * does not allow. Only signatures that passed here reach it. This also bounds its work: an e-mail may carry a thousand
 * signatures, each of which causes DNS queries.
 */
import type { HeaderField, MailHeader } from '../../wire/mail/header-fields.ts';
import { type Alignment, alignment, isDnsName, mailDomain } from './mail-domain.ts';

export interface DkimCandidate {
  readonly field: HeaderField;
  readonly domain: string;
  readonly selector: string;
  readonly alignment: Exclude<Alignment, 'none'>;
  /** Without whitespace. */
  readonly signature: string;
  /** The body's canonicalization (RFC 6376, section 3.4). */
  readonly bodyForm: 'simple' | 'relaxed';
  /** The domain of `i=`, or else the same as `domain`. */
  readonly identityDomain: string;
  /** The names of the fields it covers, in lower case. A name listed twice covers two fields. */
  readonly signedFields: readonly string[];
  /** The signing time that the signature claims (`t=`), in milliseconds. */
  readonly signedAt: number | undefined;
}

interface DkimCandidates {
  readonly candidates: readonly DkimCandidate[];
  /** Sentences about signatures of the sender's domain, or of related domains, that cannot count. */
  readonly faults: readonly string[];
}

/** An e-mail passes two or three signers at most. */
const maxCandidates = 4;
const maxSignatures = 50;

export function dkimCandidates(header: MailHeader, fromDomain: string, nowMs: number): DkimCandidates {
  const candidates: DkimCandidate[] = [];
  const faults: string[] = [];
  const fields = header.fields.filter(({ name }) => name === 'dkim-signature').slice(0, maxSignatures);
  for (const field of fields) {
    const read = candidateIn(field, header, fromDomain, nowMs);
    if (typeof read === 'string') faults.push(read);
    // A second signature with the same value is a copy, and the result for one must not be taken for that of the other.
    else if (read !== undefined && !candidates.some(({ signature }) => signature === read.signature))
      candidates.push(read);
  }
  // Signatures that count in every mode come first.
  candidates.sort((one, other) => Number(other.alignment === 'same') - Number(one.alignment === 'same'));
  return { candidates: candidates.slice(0, maxCandidates), faults };
}

/** Undefined if the signature belongs to an unrelated domain. */
function candidateIn(
  field: HeaderField,
  header: MailHeader,
  fromDomain: string,
  nowMs: number,
): DkimCandidate | string | undefined {
  const tags = tagsIn(field.value);
  const domain = mailDomain(tags?.get('d') ?? '');
  if (tags === undefined || domain === undefined) return undefined;
  const aligned = alignment(domain, fromDomain);
  if (aligned === 'none') return undefined;
  const fault = faultIn(tags, domain, header, nowMs);
  if (fault !== undefined) return `The DKIM signature of ${domain} ${fault}.`;
  return {
    field,
    domain,
    selector: tags.get('s') ?? '',
    alignment: aligned,
    signature: withoutSpace(tags.get('b') ?? ''),
    bodyForm: /\/relaxed$/i.test(tags.get('c') ?? '') ? 'relaxed' : 'simple',
    identityDomain: identityDomain(tags) ?? domain,
    signedFields: signedFields(tags),
    signedAt: tags.has('t') ? Number(tags.get('t')) * 1_000 : undefined,
  };
}

/** Checks RFC 6376, section 3.5, tag by tag; returns the end of a sentence. */
function faultIn(
  tags: ReadonlyMap<string, string>,
  domain: string,
  header: MailHeader,
  nowMs: number,
): string | undefined {
  if (tags.get('v') !== '1') return 'has a version other than 1';
  // RFC 8301, section 3.1: SHA-1 no longer proves anything.
  if (!/^(rsa|ed25519)-sha256$/i.test(tags.get('a') ?? '')) return 'does not use a safe algorithm';
  if (!/^((simple|relaxed)(\/(simple|relaxed))?)?$/i.test(tags.get('c') ?? ''))
    return 'has an unknown canonicalization (c=)';
  if (!isDnsName(tags.get('s') ?? '')) return 'names no key (s=)';
  if (!isBase64(tags.get('b')) || !isBase64(tags.get('bh'))) return 'is incomplete';
  if (!/^$|(^|[\s:])dns\/txt([\s:]|$)/i.test(tags.get('q') ?? ''))
    return 'has its key somewhere other than in DNS';
  // RFC 6376, section 8.2: anything appended to the body would seem to be signed.
  if (tags.has('l')) return 'covers only part of the body (l=)';
  return timeFault(tags, nowMs) ?? identityFault(tags, domain) ?? coverFault(signedFields(tags), header);
}

function timeFault(tags: ReadonlyMap<string, string>, nowMs: number): string | undefined {
  const [signed, expires] = [tags.get('t'), tags.get('x')];
  const digits = /^\d{1,12}$/;
  if (signed !== undefined && !digits.test(signed)) return 'has an invalid time (t=)';
  if (expires === undefined) return undefined;
  if (!digits.test(expires) || Number(expires) < Number(signed ?? 0)) return 'has an invalid expiry (x=)';
  return Number(expires) * 1_000 < nowMs ? 'has expired' : undefined;
}

/** RFC 6376, section 3.5, i=: it must be within the signing domain. */
function identityFault(tags: ReadonlyMap<string, string>, domain: string): string | undefined {
  if (!tags.has('i')) return undefined;
  const identity = identityDomain(tags);
  const isWithin = identity !== undefined && (identity === domain || identity.endsWith(`.${domain}`));
  return isWithin ? undefined : 'is for an identity of another domain (i=)';
}

function identityDomain(tags: ReadonlyMap<string, string>): string | undefined {
  const identity = tags.get('i');
  return identity === undefined ? undefined : mailDomain(identity.slice(identity.lastIndexOf('@') + 1));
}

/** Fields that determine the text must come from the sender: an unsigned or duplicate field could come from anyone. */
const wordingFields = ['subject', 'content-type', 'content-transfer-encoding', 'mime-version'];

function coverFault(signed: readonly string[], header: MailHeader): string | undefined {
  if (signed.length > maxSignedFields) return 'covers more fields than an e-mail needs';
  // RFC 6376, section 5.4, requires From to be signed; mailauth does not.
  if (!signed.includes('from')) return 'does not cover From';
  const count = (name: string) => header.fields.filter((field) => field.name === name).length;
  const twice = wordingFields.find((name) => count(name) > 1);
  if (twice !== undefined) return `is in an e-mail that has ${twice} twice`;
  // The text of an SMS may begin with the subject. Content-Type is not in the list of RFC 6376, section 5.4.1, and
  // large signers omit it.
  return count('subject') > 0 && !signed.includes('subject') ? 'does not cover Subject' : undefined;
}

/** mailauth searches all fields of the e-mail for each of these. Signers name some twenty, a few of them twice. */
const maxSignedFields = 200;

function signedFields(tags: ReadonlyMap<string, string>): string[] {
  return (tags.get('h') ?? '').split(':').map((name) => name.trim().toLowerCase());
}

/** Characters that mailauth takes for comments, quotations and escapes, which would make it read a different value. */
const misread = /[()"'\\]/;

/**
 * Parses a tag list (RFC 6376, section 3.2). Undefined if the value is not a tag list, has a duplicate tag, or contains
 * a forbidden character.
 */
export function tagsIn(value: string, forbidden: RegExp = misread): ReadonlyMap<string, string> | undefined {
  if (value.length > maxTagListLength || forbidden.test(value)) return undefined;
  const tags = new Map<string, string>();
  for (const tag of value.replace(/;\s*$/, '').split(';')) {
    const equals = tag.indexOf('=');
    const name = tag.slice(0, equals).trim().toLowerCase();
    if (equals < 0 || !/^[a-z][a-z0-9_]*$/.test(name) || tags.has(name)) return undefined;
    tags.set(name, tag.slice(equals + 1).trim());
  }
  return tags;
}

const maxTagListLength = 16_384;

function isBase64(value: string | undefined): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(withoutSpace(value ?? ''));
}

function withoutSpace(value: string): string {
  return value.replace(/\s+/g, '');
}
