/**
 * Receives an e-mail: finds out who sent it, whether that sender may send SMS, and what the e-mail says, then sends it as
 * `/send` does for the paying account. The result is an SMTP answer; 250 only once every SMS is durable.
 *
 *   automatic? ──▶ sender proven? ──▶ entry? ──▶ payer? ──▶ addressed? ──▶ delivered before? ──▶ text? ──▶ accepted
 *       └ 250, nothing sent  └──────────── refused (5xx) ──────┘              └ 250, nothing more  └─ or refused
 */

import { type Caller, findCaller } from '../../accounts/caller.ts';
import { plainAddress, wideNetworkOf } from '../../http/origin.ts';
import type { EmailAddress } from '../../wire/email-address.ts';
import { automaticReason } from '../../wire/mail/automatic.ts';
import { type MailHeader, readHeader } from '../../wire/mail/header-fields.ts';
import { headerFrom, readMail } from '../../wire/mail/read-mail.ts';
import { countryCodeOf } from '../../wire/phone-number.ts';
import { type Proof, type ProofOptions, proveSender, type ReceivedMail } from '../proof/sender-proof.ts';
import { unfitness } from '../senders/paying-user.ts';
import type { SenderEntry } from '../senders/sender-entry.ts';
import { type FoundEntry, findEntry } from '../senders/store.ts';
import { deferred, type MailAnswer, type RefusedMail, refused, taken } from './mail-answer.ts';
import { type MailSending, type SendMailInput, sendMail } from './send-mail.ts';
import { freshSignatures, unaddressedNumber } from './signature-scope.ts';
import { findMailCut } from './store.ts';

export interface MailGatewayServices {
  readonly sending: MailSending;
  readonly proof: ProofOptions;
  /** The email-to-SMS domains, in ASCII form. */
  readonly domains: readonly string[];
  readonly log: { warn(details: object, message: string): void };
}

export interface IncomingMail extends Omit<ReceivedMail, 'user'> {
  /** As written; each has the form of a phone number. */
  readonly numbers: readonly string[];
  /** The user who authenticated earlier on this connection. */
  readonly user: Pick<Caller, 'userId' | 'username'> | undefined;
}

/** What is known about an e-mail before its response, whatever the outcome. */
export interface MailFindings {
  /** The sender, proven or only claimed. */
  sender: string;
  isProven: boolean;
  /** The company that lists the sender; undefined if none does. */
  companyId: number | undefined;
  proof?: Proof;
  /** The entry for the sender's address or domain. */
  entry?: SenderEntry;
}

/** Processes an e-mail and records what it learns in `findings`, so that the outcome can be looked up later. */
export async function receiveMail(
  receiving: MailGatewayServices,
  mail: IncomingMail,
  findings: MailFindings,
): Promise<MailAnswer> {
  const { octets, envelopeSender, user } = mail;
  const { sending, proof: options } = receiving;
  const { turns } = options;
  await turns.next(wideNetworkOf(mail.address));
  const header = readHeader(octets);
  const [claimed] = headerFrom(header).mailboxes;
  if (claimed !== undefined) findings.sender = `${claimed.local}@${claimed.domain}`;
  // Alerts from programs and on-call mailing lists are a main use; a trusted relay or an authenticated user vouches for both.
  const isTrusted = user !== undefined || options.isTrustedRelay(plainAddress(mail.address));
  // This comes before the proof: nothing is sent, and a refusal would only cause another bounce.
  const automatic = automaticReason(header, envelopeSender === '', { isTrusted });
  if (automatic !== undefined) return taken('automatic', `Nothing is sent: the e-mail ${automatic}.`);
  if (header.fault !== undefined)
    return refused(554, 'malformed', `The header of the e-mail ${header.fault}.`);
  const { user: _, ...received } = mail;
  const proven = await proveSender(
    user === undefined ? received : { ...received, user: user.username },
    header,
    options,
  );
  if (proven.outcome === 'undecided') return deferred('dns', proven.reason);
  if (proven.outcome === 'refused') return refused(550, 'unproven', proven.reason);
  const { sender, remark } = proven;
  findings.sender = `${sender.local}@${sender.domain}`;
  findings.isProven = true;
  findings.proof = proven.proof;
  const proof = proofOfNow(header, proven.proof, options.clock.now());
  if ('kind' in proof) return proof;
  const found = await findEntry(sending.store, `${sender.local}@${sender.domain}`);
  if (found.kind !== 'unknown') {
    findings.companyId = found.companyId;
    findings.entry = found.entry;
  }
  const permitted = await permission(receiving, found, sender, user);
  if ('kind' in permitted) return permitted;
  if (remark !== undefined) receiving.log.warn({ remark }, 'accepted a weak proof of a sender');
  const misdirected = misdirection(receiving, { header, proof, numbers: mail.numbers }, permitted.entry);
  if (misdirected !== undefined) return misdirected;
  const mailCut = await sending.store.read(findMailCut, permitted.caller.companyId);
  const read = await turns.run(permitted.caller, readMail(octets, header, false, mailCut));
  // This check comes late so that strangers cannot have every part of an e-mail read.
  if (read.report !== undefined) return taken('automatic', `Nothing is sent: the e-mail ${read.report}.`);
  return sendMail(sending, { ...permitted, mail: read, octets, sender, proof, numbers: mail.numbers });
}

/**
 * Trusted relays, users and SPF prove who is sending now, whenever the e-mail was written; a signature does so for a week
 * only.
 */
function proofOfNow(header: MailHeader, proof: Proof, now: number): Proof | RefusedMail {
  if (proof.method !== 'DKIM' || proof.spf === 'pass') return proof;
  const proving = freshSignatures(header, proof.proving, now);
  if (proving.length > 0) return { ...proof, proving };
  // It cannot be decided yet whether SPF also proves the sender.
  if (proof.spf === 'undecided') return deferred('dns', spfUnknown);
  return refused(
    550,
    'signed_long_ago',
    'The e-mail was signed more than a week ago, or its signature has no timestamp. Send a new e-mail.',
  );
}

const spfUnknown = 'DNS does not answer, so the server that delivers this e-mail cannot be checked now.';

/** An e-mail proven only by its signature may go only to the numbers that its sender addressed. */
function misdirection(
  { domains }: MailGatewayServices,
  mail: { readonly header: MailHeader; readonly proof: Proof; readonly numbers: readonly string[] },
  { settings }: SenderEntry,
): RefusedMail | undefined {
  const { header, proof, numbers } = mail;
  if (proof.method !== 'DKIM' || proof.spf === 'pass') return undefined;
  const { defaultCountryCode } = settings;
  const number = unaddressedNumber(header, proof.proving, numbers, { domains, defaultCountryCode });
  if (number === undefined) return undefined;
  if (proof.spf === 'undecided') return deferred('dns', spfUnknown);
  return refused(
    554,
    'not_addressed',
    `${number} is neither in To nor in Cc as the sender signed them (DKIM), so this may be a copy passed on by ` +
      `someone else. Only servers of ${proof.domain} (SPF), trusted relays and users who log in may deliver the e-mail to numbers not listed there.`,
  );
}

/** The entry and the paying account, or why there is none. */
async function permission(
  { sending }: MailGatewayServices,
  found: FoundEntry,
  { local, domain }: EmailAddress,
  user: IncomingMail['user'],
): Promise<Pick<SendMailInput, 'entry' | 'payer' | 'caller'> | MailAnswer> {
  const address = `${local}@${domain}`;
  if (found.kind === 'unknown')
    return refused(
      550,
      'not_listed',
      `${address} is not on the list of addresses that may send SMS by mail.`,
    );
  if (found.kind === 'blocked') return refused(550, 'blocked', `${address} may not send SMS by mail.`);
  const { entry, payer } = found;
  if (user !== undefined) {
    // The account is read again because a connection lasts for minutes.
    const account = await findCaller(sending.store, user.userId);
    if (account === undefined)
      return refused(550, 'not_of_user', `The account ${user.username} is no longer active.`);
    const unfit = unfitness({ active: true, roles: [...account.roles] });
    if (unfit !== undefined) return refused(550, 'not_of_user', `The account ${user.username} ${unfit}.`);
    if (account.companyId !== payer.companyId)
      return refused(
        550,
        'not_of_user',
        `${user.username} may not send for ${address}, which is on the list of another company.`,
      );
  }
  const unfit = unfitness(payer);
  const caller = unfit === undefined ? await findCaller(sending.store, payer.id) : undefined;
  if (caller === undefined)
    return refused(
      554,
      'payer',
      `The account that pays for mail from ${address} ${unfit ?? 'is not active'}.`,
    );
  const defaultCountryCode = countryCodeOf(caller, entry.settings.defaultCountryCode) ?? '';
  return { entry: { ...entry, settings: { ...entry.settings, defaultCountryCode } }, payer, caller };
}
