/**
 * Decides whether an e-mail is from the sender it names, before anything is sent on that sender's bill (RFC 7489, DMARC).
 *
 *   one From? ──▶ user authenticated? ──▶ trusted relay? ──▶ DKIM or SPF of an aligned domain? ──▶ proven
 *       └──────────────────────────────── refused, or undecided when DNS does not answer
 *
 * Alignment is required whatever the domain's policy, even if it has none: `p=none` is a wish not to lose mail, not a
 * permission to send as the domain.
 */
import type { Clock } from '../../foundation/clock.ts';
import type { Turns } from '../../foundation/turns.ts';
import { type AddressTest, plainAddress, wideNetworkOf } from '../../http/origin.ts';
import { type EmailAddress, parseEmailAddress } from '../../wire/email-address.ts';
import type { MailHeader } from '../../wire/mail/header-fields.ts';
import { headerFrom } from '../../wire/mail/read-mail.ts';
import { type BoundedDns, boundedDns, type ResolveDns } from './bounded-dns.ts';
import { type DkimCandidate, dkimCandidates } from './dkim-candidates.ts';
import { type DkimVerdict, verifyDkim } from './dkim-proof.ts';
import { type Alignment, alignment, type DmarcModes, dmarcModes, mailDomain } from './mail-domain.ts';

export interface ReceivedMail {
  /** The whole e-mail, from the first octet of the header. */
  readonly octets: Uint8Array;
  /** The IP address of the connecting server or program. */
  readonly address: string;
  /** The name that it gave in EHLO. */
  readonly helo: string;
  /** `MAIL FROM`, without angle brackets; empty for a bounce. */
  readonly envelopeSender: string;
  /**
   * The user who authenticated on this connection (RFC 4954). The caller must check that this user may send for the sender.
   */
  readonly user?: string;
}

export interface ProofOptions {
  readonly resolve: ResolveDns;
  readonly clock: Clock;
  /** Servers whose From is believed because they let nobody else use it. */
  readonly isTrustedRelay: AddressTest;
  /**
   * The turns in which e-mails are verified and read, one step at a time, so that others do not wait however many e-mails there
   * are.
   */
  readonly turns: Turns;
  /** The total time, however many DNS queries there are. */
  readonly timeoutMs?: number;
}

export type Proof =
  | { readonly method: 'user'; readonly user: string }
  | { readonly method: 'trusted relay'; readonly address: string }
  | {
      readonly method: 'DKIM';
      readonly domain: string;
      readonly selector: string;
      /** The signatures, each of which proves the sender, and what each covers. */
      readonly proving: readonly MailSignature[];
      /** Also includes those that do not prove the sender now, for example because DNS did not answer. */
      readonly valid: readonly MailSignature[];
      /**
       * Whether SPF also proves the sender. A signature alone shows who wrote the e-mail, not who delivers it: that may be
       * anyone who ever received it.
       */
      readonly spf: 'pass' | 'undecided' | 'fail';
    }
  | { readonly method: 'SPF'; readonly domain: string };

/** A field that no signature covers may be anyone's, for example a Message-ID. */
export type MailSignature = Pick<DkimCandidate, 'signature' | 'signedFields' | 'signedAt'>;

export type SenderProof =
  | {
      readonly outcome: 'proven';
      readonly sender: EmailAddress;
      readonly proof: Proof;
      /** A note for the operator; undefined if all is well. */
      readonly remark: string | undefined;
    }
  /** `reason` holds sentences in ASCII for the SMTP response (5xx). */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Also sentences for the SMTP response, but for 4xx. */
  | { readonly outcome: 'undecided'; readonly reason: string };

const defaultTimeoutMs = 10_000;

/** `header` belongs to the same e-mail. */
export async function proveSender(
  mail: ReceivedMail,
  header: MailHeader,
  options: ProofOptions,
): Promise<SenderProof> {
  const sender = soleSender(header);
  if (typeof sender === 'string') return { outcome: 'refused', reason: sender };
  const proven = (proof: Proof, remark?: string): SenderProof => ({
    outcome: 'proven',
    sender,
    proof,
    remark,
  });
  if (mail.user !== undefined) return proven({ method: 'user', user: mail.user });
  const address = plainAddress(mail.address);
  if (options.isTrustedRelay(address)) return proven({ method: 'trusted relay', address });
  return proveByDomain({ ...mail, address }, header, sender, options);
}

/**
 * Returns the one address in From, or a sentence if there is none, more than one, or something that two readers may interpret
 * differently.
 */
function soleSender(header: MailHeader): EmailAddress | string {
  const { mailboxes, fields, hasGroup, fault } = headerFrom(header);
  if (header.fault !== undefined) return `The header of the e-mail ${header.fault}.`;
  if (fields !== 1)
    return `The e-mail has ${fields === 0 ? 'no' : 'more than one'} From field; it needs exactly one.`;
  if (fault !== undefined) return `The From field ${fault}; it needs exactly one address.`;
  if (hasGroup) return 'The From field has a group; it needs exactly one address.';
  const [mailbox] = mailboxes;
  if (mailbox === undefined || mailboxes.length > 1)
    return `The From field has ${mailboxes.length === 0 ? 'no address' : 'several addresses'}; it needs exactly one.`;
  const domain = mailDomain(mailbox.domain);
  if (domain === undefined) return 'The address in the From field has no domain that can be in DNS.';
  // Such an address can have no entry of its own, but its domain's entry applies to everyone there.
  if (isBeyondAscii(mailbox.local)) return { local: mailbox.local, domain };
  const address = parseEmailAddress(`${writtenLocal(mailbox.local)}@${domain}`);
  return address.ok ? address.value : 'The address in the From field is not one that mail servers accept.';
}

/** RFC 6531, section 3.3, limited to what needs no quotes. */
function isBeyondAscii(local: string): boolean {
  return /[^ -~]/.test(local) && /^[^\s"(),:;<>@[\\\]\p{C}]{1,64}$/u.test(local);
}

/** RFC 5322, section 3.4.1: quoted unless it is a dot-atom. */
function writtenLocal(local: string): string {
  if (/^[^\s"(),.:;<>@[\\\]]+(\.[^\s"(),.:;<>@[\\\]]+)*$/.test(local)) return local;
  return `"${local.replace(/["\\]/g, '\\$&')}"`;
}

async function proveByDomain(
  mail: ReceivedMail,
  header: MailHeader,
  sender: EmailAddress,
  options: ProofOptions,
): Promise<SenderProof> {
  const nowMs = options.clock.now();
  const dkim = dkimCandidates(header, sender.domain, nowMs);
  const spf = spfSubject(mail, sender.domain);
  if (dkim.candidates.length === 0 && spf.alignment === 'none')
    return { outcome: 'refused', reason: refusal(sender, [...dkim.faults, spf.fault]) };
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  const dns = boundedDns(options.resolve, timeoutMs);
  const over = new AbortController();
  const work = Promise.all([
    verifyDkim(mail.octets, header, dkim.candidates, {
      resolve: dns.resolve,
      turns: options.turns,
      owner: wideNetworkOf(mail.address),
      nowMs,
      signal: over.signal,
    }),
    spf.alignment === 'none' ? undefined : verifySpf(mail, spf.domain, dns),
    modesFor(sender.domain, [...dkim.candidates, spf], dns),
  ]);
  const verdicts = await withinTime(work, timeoutMs);
  over.abort();
  if (verdicts === undefined) return { outcome: 'undecided', reason: undecidedReason(sender) };
  const [dkimVerdict, spfVerdict, modes] = verdicts;
  return decide(sender, { dkimVerdict, spfVerdict, spf, modes, earlierFaults: dkim.faults });
}

interface SpfSubject {
  readonly domain: string;
  readonly alignment: Alignment;
  /** A sentence for an unaligned domain. */
  readonly fault: string;
}

/** RFC 7489, section 3.1.2: the envelope's domain, or that of EHLO for a bounce. */
function spfSubject(mail: ReceivedMail, fromDomain: string): SpfSubject {
  const isBounce = mail.envelopeSender === '';
  const text = isBounce ? mail.helo : mail.envelopeSender.slice(mail.envelopeSender.lastIndexOf('@') + 1);
  const domain = mailDomain(text);
  if (domain === undefined)
    return { domain: '', alignment: 'none', fault: 'The envelope has no domain for SPF.' };
  const aligned = alignment(domain, fromDomain);
  return {
    domain,
    alignment: aligned,
    fault: `The envelope is from ${domain}, whose SPF says nothing about ${fromDomain}.`,
  };
}

interface SpfVerdict {
  readonly outcome: 'pass' | 'fail' | 'undecided';
  /** A sentence: the result, or a note about a pass. */
  readonly remark: string | undefined;
}

/**
 * Asks mailauth's SPF (RFC 7208) whether a server may send for the domain of an envelope or of EHLO. For a bounce the EHLO
 * name counts (RFC 7208, section 2.4).
 */
async function verifySpf(
  { address, helo, envelopeSender }: ReceivedMail,
  domain: string,
  dns: BoundedDns,
): Promise<SpfVerdict> {
  const { spf } = await import('mailauth');
  const local = envelopeSender.slice(0, Math.max(0, envelopeSender.lastIndexOf('@')));
  const { status } = await spf({
    ip: address,
    helo,
    sender: `${local === '' ? 'postmaster' : local}@${domain}`,
    // RFC 7208, section 7.3: the value of the macro for our own host name if that is to stay private.
    mta: 'unknown',
    resolver: dns.resolve as (name: string, type: string) => Promise<string[]>,
    // A record that mailauth cannot read gives no permission.
  }).catch(() => ({ status: { result: 'permerror' } }));
  if (status.result === 'pass') return { outcome: 'pass', remark: openToAll(domain, dns.texts) };
  if (status.result === 'temperror')
    return {
      outcome: 'undecided',
      remark: `SPF of ${domain} could not be looked up because DNS does not answer.`,
    };
  return { outcome: 'fail', remark: `SPF of ${domain} does not permit ${address} (${status.result}).` };
}

/** RFC 7208, section 5.1: `+all` lets the whole world send, which is the domain's own choice. */
function openToAll(domain: string, texts: readonly string[]): string | undefined {
  const isOpen = texts.some((text) => /^v=spf1(\s|$)/i.test(text) && /\s\+?all(\s|$)/i.test(text));
  return isOpen ? `SPF of ${domain} permits every server (+all), so anyone can send for it.` : undefined;
}

/** The policy matters only if the domain is not the same. */
async function modesFor(
  domain: string,
  subjects: readonly { readonly alignment: Alignment }[],
  dns: BoundedDns,
): Promise<DmarcModes | 'unknown' | undefined> {
  return subjects.some((one) => one.alignment === 'related') ? dmarcModes(domain, dns.resolve) : undefined;
}

interface Verdicts {
  readonly dkimVerdict: DkimVerdict;
  readonly spfVerdict: SpfVerdict | undefined;
  readonly spf: SpfSubject;
  readonly modes: DmarcModes | 'unknown' | undefined;
  readonly earlierFaults: readonly string[];
}

function decide(sender: EmailAddress, verdicts: Verdicts): SenderProof {
  const { dkimVerdict, spfVerdict, spf, modes, earlierFaults } = verdicts;
  const faults: string[] = [...earlierFaults, ...dkimVerdict.faults];
  let isUndecided = dkimVerdict.isUndecided || spfVerdict?.outcome === 'undecided';
  const counts = (
    subject: { domain: string; alignment: Alignment },
    isStrict: (known: DmarcModes) => boolean,
  ) => {
    if (subject.alignment === 'same') return true;
    if (modes === 'unknown') isUndecided = true;
    else if (modes !== undefined && !isStrict(modes)) return true;
    else faults.push(`The policy of ${sender.domain} (DMARC) does not let ${subject.domain} vouch for it.`);
    return false;
  };
  const { valid } = dkimVerdict;
  const proving = valid.filter((one) => counts(one, ({ dkimIsStrict }) => dkimIsStrict));
  const spfCounts = spfVerdict?.outcome === 'pass' && counts(spf, ({ spfIsStrict }) => spfIsStrict);
  const [first] = proving;
  if (first !== undefined) {
    const { domain, selector } = first;
    const isOpen =
      spfVerdict?.outcome === 'undecided' || (spfVerdict?.outcome === 'pass' && modes === 'unknown');
    const spfOutcome = spfCounts ? 'pass' : isOpen ? 'undecided' : 'fail';
    const proof: Proof = { method: 'DKIM', domain, selector, proving, valid, spf: spfOutcome };
    return { outcome: 'proven', sender, proof, remark: undefined };
  }
  if (spfCounts)
    return {
      outcome: 'proven',
      sender,
      proof: { method: 'SPF', domain: spf.domain },
      remark: spfVerdict.remark,
    };
  if (spfVerdict === undefined) faults.push(spf.fault);
  else if (spfVerdict.outcome === 'fail' && spfVerdict.remark !== undefined) faults.push(spfVerdict.remark);
  if (isUndecided) return { outcome: 'undecided', reason: undecidedReason(sender) };
  return { outcome: 'refused', reason: refusal(sender, faults) };
}

/** RFC 5321, section 4.5.3.1.5: a reply line has at most 512 octets, including its code and line end. */
const maxReasonLength = 480;

/** Includes as many of the faults as fit. */
function refusal({ domain }: EmailAddress, faults: readonly string[]): string {
  let reason = `Nothing proves that the e-mail is from ${domain}. It needs DKIM or SPF of that domain.`;
  for (const fault of new Set(faults))
    if (reason.length + 1 + fault.length <= maxReasonLength) reason += ` ${fault}`;
  return reason;
}

function undecidedReason({ domain }: EmailAddress): string {
  return `DNS does not answer, so whether the e-mail is from ${domain} cannot be checked now.`;
}

/** Undefined if it takes longer. */
async function withinTime<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
