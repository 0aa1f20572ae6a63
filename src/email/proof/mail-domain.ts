/**
 * Domains of mail in the one form in which they are compared, which of them belong together (RFC 7489 3), and how strictly
 * a domain wants its name to match that of signatures and envelopes.
 */
import { getDomain } from 'tldts';
import { parseDomain } from '../../wire/email-address.ts';
import { isTemporary, type ResolveDns, textOf } from './bounded-dns.ts';

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
function organisationalDomain(domain: string): string {
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain;
}

/** RFC 7489 6.3: adkim and aspf. */
export interface DmarcModes {
  readonly dkimIsStrict: boolean;
  readonly spfIsStrict: boolean;
}

/** RFC 7489 6.3: both relaxed unless the policy says otherwise; so they are where there is no policy at all. */
const relaxed: DmarcModes = { dkimIsStrict: false, spfIsStrict: false };

/** The policy of the domain, else of its organisation (RFC 7489 6.6.3). `unknown` when DNS does not answer just now. */
export async function dmarcModes(domain: string, resolve: ResolveDns): Promise<DmarcModes | 'unknown'> {
  for (const holder of new Set([domain, organisationalDomain(domain)])) {
    const record = await policyOf(holder, resolve);
    if (record === 'unknown') return 'unknown';
    if (record !== undefined) return modesIn(record);
  }
  return relaxed;
}

async function policyOf(domain: string, resolve: ResolveDns): Promise<string | 'unknown' | undefined> {
  try {
    const texts = (await resolve(`_dmarc.${domain}`, 'TXT')).map(textOf);
    const policies = texts.filter((text) => /^\s*v\s*=\s*DMARC1\s*(;|$)/.test(text));
    // RFC 7489 6.6.3: several are none.
    return policies.length === 1 ? policies[0] : undefined;
  } catch (error) {
    return isTemporary(error) ? 'unknown' : undefined;
  }
}

function modesIn(record: string): DmarcModes {
  const tags = new Map<string, string>();
  for (const tag of record.split(';')) {
    const [name = '', value = ''] = tag.split('=', 2).map((one) => one.trim().toLowerCase());
    if (!tags.has(name)) tags.set(name, value);
  }
  return { dkimIsStrict: tags.get('adkim') === 's', spfIsStrict: tags.get('aspf') === 's' };
}
