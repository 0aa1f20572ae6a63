/** Asks whether a server may send for the domain of an envelope, by mailauth's SPF (RFC 7208). */
import type { BoundedDns } from './bounded-dns.ts';

export interface SpfVerdict {
  readonly outcome: 'pass' | 'fail' | 'undecided';
  /** A sentence: what was found, or what to know about a pass. */
  readonly remark: string | undefined;
}

export interface SpfQuestion {
  /** Of the connection. */
  readonly address: string;
  readonly helo: string;
  /** Empty for a bounce: then the name of EHLO counts (RFC 7208 2.4). */
  readonly envelopeSender: string;
  /** The domain that is to be proven: of the envelope, or of EHLO. */
  readonly domain: string;
}

export async function verifySpf(question: SpfQuestion, dns: BoundedDns): Promise<SpfVerdict> {
  const { address, helo, domain } = question;
  const { spf } = await import('mailauth');
  const local = question.envelopeSender.slice(0, Math.max(0, question.envelopeSender.lastIndexOf('@')));
  const { status } = await spf({
    ip: address,
    helo,
    sender: `${local === '' ? 'postmaster' : local}@${domain}`,
    // RFC 7208 7.3: what the macro for our own name becomes when it is nobody's business.
    mta: 'unknown',
    resolver: dns.resolve as (name: string, type: string) => Promise<string[]>,
    // What it can't read is no permission.
  }).catch(() => ({ status: { result: 'permerror' } }));
  if (status.result === 'pass') return { outcome: 'pass', remark: openToAll(domain, dns.texts) };
  if (status.result === 'temperror')
    return {
      outcome: 'undecided',
      remark: `SPF of ${domain} could not be asked for, since DNS does not answer.`,
    };
  return { outcome: 'fail', remark: `SPF of ${domain} does not permit ${address} (${status.result}).` };
}

/** RFC 7208 5.1: `+all` lets the whole world send, which is the domain's own choice. */
function openToAll(domain: string, texts: readonly string[]): string | undefined {
  const isOpen = texts.some((text) => /^v=spf1(\s|$)/i.test(text) && /\s\+?all(\s|$)/i.test(text));
  return isOpen
    ? `SPF of ${domain} permits every server (+all), so that anybody can send for it.`
    : undefined;
}
