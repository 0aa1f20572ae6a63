/** Asks how strictly a domain wants its name to match that of signatures and envelopes (RFC 7489 6.3: adkim, aspf). */
import { isTemporary, type ResolveDns, textOf } from './bounded-dns.ts';
import { organisationalDomain } from './mail-domain.ts';

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
