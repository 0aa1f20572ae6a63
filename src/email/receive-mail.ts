/**
 * Takes a mail in: who sent it, whether that sender may, what it says, and then as `/send` does it for the account that
 * pays. The answer is that of SMTP; 250 is said only once every SMS is durable.
 *
 *   automatic? ──▶ sender proven? ──▶ entry? ──▶ payer? ──▶ delivered before? ──▶ text? ──▶ accepted
 *       └ 250, nothing sent  └──────────── refused (5xx) ───────┘ └ 250, nothing more  └─ or refused
 */
import type { Caller } from '../accounts/caller.ts';
import { findCaller } from '../accounts/find-caller.ts';
import type { Sending } from '../messages/send.ts';
import type { EmailAddress } from '../wire/email-address.ts';
import { automaticReason } from '../wire/mail/automatic.ts';
import { fieldValues, type MailHeader, readHeader } from '../wire/mail/header-fields.ts';
import { readMail } from '../wire/mail/read-mail.ts';
import { type FoundEntry, findEntry } from './find-entry.ts';
import { deferred, type MailAnswer, refused, taken } from './mail-answer.ts';
import { unfitness } from './paying-user.ts';
import { type Order, sendMail } from './send-mail.ts';
import { type Proof, type ProofOptions, proveSender, type ReceivedMail } from './sender-proof.ts';

export interface Receiving {
  readonly sending: Sending;
  readonly proof: ProofOptions;
  readonly log: { warn(details: object, message: string): void };
}

export interface IncomingMail extends Omit<ReceivedMail, 'user'> {
  /** As written, each of the form of a phone number. */
  readonly numbers: readonly string[];
  /** Who authenticated in this connection. */
  readonly user: Pick<Caller, 'username' | 'companyId'> | undefined;
}

export async function receiveMail(receiving: Receiving, mail: IncomingMail): Promise<MailAnswer> {
  const { octets, envelopeSender, user } = mail;
  const header = readHeader(octets);
  // Before the proof: nothing is sent, and a refusal would only make another bounce.
  const automatic = automaticReason(header, envelopeSender === '');
  if (automatic !== undefined) return taken('automatic', `Nothing is sent: it ${automatic}.`);
  const { user: _, ...received } = mail;
  const proven = await proveSender(
    user === undefined ? received : { ...received, user: user.username },
    receiving.proof,
  );
  if (proven.outcome === 'undecided') return deferred('dns', proven.reason);
  if (proven.outcome === 'refused') return refused(550, 'unproven', proven.reason);
  const { sender, proof, remark } = proven;
  if (remark !== undefined) receiving.log.warn({ remark }, 'took a weak proof of a sender');
  if (isStale(header, proof, receiving.proof.clock.now()))
    return refused(550, 'signed_long_ago', 'The mail was signed more than a week ago; send a new one.');
  const found = await findEntry(receiving.sending.store, `${sender.local}@${sender.domain}`);
  const permitted = await permission(receiving, found, sender, user);
  if ('kind' in permitted) return permitted;
  const read = await readMail(octets, false);
  return sendMail(receiving.sending, {
    ...permitted,
    mail: read,
    octets,
    sender,
    proof,
    numbers: mail.numbers,
  });
}

const weekMs = 7 * 24 * 60 * 60 * 1_000;

/**
 * Who gets hold of a signed mail can send it again for as long as its key is published. No server keeps a mail back for
 * so long (RFC 5321 4.5.4.1).
 */
function isStale(header: MailHeader, proof: Proof, now: number): boolean {
  if (proof.method !== 'DKIM' || !proof.signedFields.includes('date')) return false;
  // Of several, one that is newer may have been put above the one that is signed.
  return fieldValues(header, 'date').some(
    (date) => now - Date.parse(date.replace(/\([^()]*\)/g, ' ')) > weekMs,
  );
}

/** The entry and the account that pays, or why nobody does. */
async function permission(
  { sending }: Receiving,
  found: FoundEntry,
  { local, domain }: EmailAddress,
  user: IncomingMail['user'],
): Promise<Pick<Order, 'entry' | 'payer' | 'caller'> | MailAnswer> {
  const address = `${local}@${domain}`;
  if (found.kind === 'unknown')
    return refused(550, 'not_listed', `${address} is not on the list of those who may send SMS by mail.`);
  if (found.kind === 'blocked') return refused(550, 'blocked', `${address} may not send SMS by mail.`);
  const { entry, payer } = found;
  if (user !== undefined && user.companyId !== payer.companyId)
    return refused(
      550,
      'not_of_user',
      `${user.username} may not send for ${address}, which another company lists.`,
    );
  const unfit = unfitness(payer);
  const caller = unfit === undefined ? await findCaller(sending.store, payer.id) : undefined;
  if (caller === undefined)
    return refused(554, 'payer', `The account that pays for mail of ${address} ${unfit ?? 'is not active'}.`);
  return { entry, payer, caller };
}
