/**
 * Mail domains in the one form used for comparison, which of them belong together (RFC 7489, section 3), and how
 * strictly a domain requires its name to match that of signatures and envelopes.
 */
import { getDomain } from 'tldts';
import { parseDomain } from '../../wire/email-address.ts';
import { isTemporary, type ResolveDns, textOf } from './bounded-dns.ts';

/**
 * The domain in the form used in addresses, with at least the two labels of a domain in DNS. Undefined if the text is not a
 * domain.
 */
export function mailDomain(text: string): string | undefined {
  const domain = parseDomain(text);
  return domain.ok && domain.value.includes('.') ? domain.value : undefined;
}

/** RFC 1035, section 2.3.4, as text without the root's dot. */
const maxNameLength = 253;

/** Also accepts other names looked up in DNS: `selector._domainkey.care.example`. */
export function isDnsName(text: string): boolean {
  return text.length <= maxNameLength && text.split('.').every((one) => /^[a-z0-9_-]{1,63}$/i.test(one));
}

export type Alignment = 'same' | 'related' | 'none';

/**
 * RFC 7489, section 3.1: `same` is aligned in every mode, `related` (of the same organization) only in the relaxed one.
 * The private part of the public suffix list counts too, since `a.host.example` and `b.host.example` have different
 * tenants.
 */
export function alignment(one: string, other: string): Alignment {
  if (one === other) return 'same';
  return organisationalDomain(one) === organisationalDomain(other) ? 'related' : 'none';
}

/** RFC 7489, section 3.2. A public suffix itself has no parent organization. */
function organisationalDomain(domain: string): string {
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain;
}

/** RFC 7489, section 6.3: adkim and aspf. */
export interface DmarcModes {
  readonly dkimIsStrict: boolean;
  readonly spfIsStrict: boolean;
}

/** RFC 7489, section 6.3: both are relaxed unless the policy says otherwise, even if there is no policy at all. */
const relaxed: DmarcModes = { dkimIsStrict: false, spfIsStrict: false };

/**
 * The policy of the domain, or else of its organization (RFC 7489, section 6.6.3). `unknown` if DNS does not answer
 * just now.
 */
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
    // RFC 7489, section 6.6.3: several policies count as none.
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
