/**
 * Chooses the DKIM signatures of a mail that could prove its sender, and says what is wrong with the others (RFC 6376).
 *
 * mailauth verifies what is signed, but leaves open what must be: it takes signatures without From, of a part of the
 * body, with SHA-1, and reads comments and quotations into them that RFC 6376 3.2 does not have. What it gets to see has
 * passed here. That also bounds its work: a mail may carry a thousand signatures, each with questions to DNS.
 */
import type { HeaderField, MailHeader } from '../../wire/mail/header-fields.ts';
import { type Alignment, alignment, isDnsName, mailDomain } from './mail-domain.ts';

export interface DkimCandidate {
  readonly field: HeaderField;
  readonly domain: string;
  readonly selector: string;
  readonly alignment: Exclude<Alignment, 'none'>;
  /** Without white space. */
  readonly signature: string;
  /** Of the body (RFC 6376 3.4). */
  readonly bodyForm: 'simple' | 'relaxed';
  /** The domain of `i=`, else the same as `domain`. */
  readonly identityDomain: string;
  /** Names of the fields that it covers, in lower case. One that stands there twice covers two. */
  readonly signedFields: readonly string[];
  /** When it was made, as it says itself (`t=`), in milliseconds. */
  readonly signedAt: number | undefined;
}

interface DkimCandidates {
  readonly candidates: readonly DkimCandidate[];
  /** Sentences about signatures of the sender's domain, or its relatives, that can't count. */
  readonly faults: readonly string[];
}

/** Mail passes two or three signers at most. */
const maxCandidates = 4;
const maxSignatures = 50;

export function dkimCandidates(header: MailHeader, fromDomain: string, nowMs: number): DkimCandidates {
  const candidates: DkimCandidate[] = [];
  const faults: string[] = [];
  const fields = header.fields.filter(({ name }) => name === 'dkim-signature').slice(0, maxSignatures);
  for (const field of fields) {
    const read = candidateIn(field, header, fromDomain, nowMs);
    if (typeof read === 'string') faults.push(read);
    // A second one with the same value is a copy, and the answer about one must not be taken for that about the other.
    else if (read !== undefined && !candidates.some(({ signature }) => signature === read.signature))
      candidates.push(read);
  }
  // Those that count in every mode first.
  candidates.sort((one, other) => Number(other.alignment === 'same') - Number(one.alignment === 'same'));
  return { candidates: candidates.slice(0, maxCandidates), faults };
}

/** Undefined when it is of somebody else. */
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

/** RFC 6376 3.5, tag by tag; the end of a sentence. */
function faultIn(
  tags: ReadonlyMap<string, string>,
  domain: string,
  header: MailHeader,
  nowMs: number,
): string | undefined {
  if (tags.get('v') !== '1') return 'has another version than 1';
  // RFC 8301 3.1: SHA-1 proves nothing any more.
  if (!/^(rsa|ed25519)-sha256$/i.test(tags.get('a') ?? '')) return 'is by no algorithm that is safe';
  if (!/^((simple|relaxed)(\/(simple|relaxed))?)?$/i.test(tags.get('c') ?? ''))
    return 'has an unknown form (c=)';
  if (!isDnsName(tags.get('s') ?? '')) return 'names no key (s=)';
  if (!isBase64(tags.get('b')) || !isBase64(tags.get('bh'))) return 'is incomplete';
  if (!/^$|(^|[\s:])dns\/txt([\s:]|$)/i.test(tags.get('q') ?? '')) return 'has its key elsewhere than in DNS';
  // RFC 6376 8.2: whatever is appended to the body would seem to be signed.
  if (tags.has('l')) return 'covers only a part of the body (l=)';
  return timeFault(tags, nowMs) ?? identityFault(tags, domain) ?? coverFault(signedFields(tags), header);
}

function timeFault(tags: ReadonlyMap<string, string>, nowMs: number): string | undefined {
  const [signed, expires] = [tags.get('t'), tags.get('x')];
  const digits = /^\d{1,12}$/;
  if (signed !== undefined && !digits.test(signed)) return 'has a time that is none (t=)';
  if (expires === undefined) return undefined;
  if (!digits.test(expires) || Number(expires) < Number(signed ?? 0)) return 'has an end that is none (x=)';
  return Number(expires) * 1_000 < nowMs ? 'has expired' : undefined;
}

/** RFC 6376 3.5, i=: within the domain that signs. */
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

/** What decides the text must be the sender's: one that is not signed, or a second one, may be anybody's. */
const wordingFields = ['subject', 'content-type', 'content-transfer-encoding', 'mime-version'];

function coverFault(signed: readonly string[], header: MailHeader): string | undefined {
  if (signed.length > maxSignedFields) return 'covers more fields than a mail needs';
  // RFC 6376 5.4: it must be signed. mailauth does not insist.
  if (!signed.includes('from')) return 'does not cover From';
  const count = (name: string) => header.fields.filter((field) => field.name === name).length;
  const twice = wordingFields.find((name) => count(name) > 1);
  if (twice !== undefined) return `stands in a mail that has ${twice} twice`;
  // The text of an SMS may begin with it. Content-Type is not in the list of RFC 6376 5.4.1, and large signers omit it.
  return count('subject') > 0 && !signed.includes('subject') ? 'does not cover Subject' : undefined;
}

/** mailauth looks for each of them in all fields of the mail. Signers name some twenty, a few of them twice. */
const maxSignedFields = 200;

function signedFields(tags: ReadonlyMap<string, string>): string[] {
  return (tags.get('h') ?? '').split(':').map((name) => name.trim().toLowerCase());
}

/** Signs that mailauth takes for comments, quotations and escapes, so that it would read something else than stands there. */
const misread = /[()"'\\]/;

/** A tag list as of RFC 6376 3.2. Undefined when it is none, has a tag twice, or holds a sign that it must not. */
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
