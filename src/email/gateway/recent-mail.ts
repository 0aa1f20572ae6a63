/**
 * The results of the mails of the last days, for the operator who is asked what became of one: sender, recipients and
 * reason, but nothing of the content. Its size is bounded, whatever anybody sends.
 */
import { printable } from '../../foundation/terminal.ts';
import type { MailAnswer, MailRefusal } from './mail-answer.ts';
import type { MailFindings } from './receive-mail.ts';

export interface RecentMail {
  readonly receivedAt: number;
  readonly ring: number;
  /** Of the other end of the connection. */
  readonly address: string;
  /** Who sent it, or says so. */
  readonly sender: string;
  readonly isProven: boolean;
  /** The first few, as written. */
  readonly recipients: readonly string[];
  readonly recipientCount: number;
  readonly outcome: 'sent' | 'repeated' | 'ignored' | 'refused';
  /** Undefined unless it was refused. */
  readonly reason: MailRefusal | 'no_phone' | undefined;
  /** The answer that the sender's server got. */
  readonly answer: string;
  /** The first few of what it sent. */
  readonly messageIds: readonly string[];
}

/**
 * Each company has a ring of slots, in which the newest takes the place of the oldest, and so have those who belong to
 * none. So nobody's mail can take the place of another company's.
 */
export const ringOf = { strangers: -1, relays: 0 } as const;

/** Of each ring. */
export const slotsOfRing = 500;

const maxListed = 10;
/** Of an address: RFC 5321 4.5.3.1.3 allows 254. */
const maxAddressLength = 254;

export interface MailToRecord extends Omit<RecentMail, 'receivedAt'> {
  /** Brought by nobody who is trusted, so that it counts with its network. */
  readonly isOfStranger: boolean;
}

export interface MailSource {
  readonly address: string;
  /** Of the user who has logged in. */
  readonly userCompanyId: number | undefined;
  readonly isStranger: boolean;
}

export type RecordedAnswer =
  | Extract<MailAnswer, { readonly kind: 'taken' }>
  | { readonly kind: 'refused'; readonly reason: MailRefusal | 'no_phone'; readonly text: string };

export function recordOf(
  answer: RecordedAnswer,
  { address, userCompanyId, isStranger }: MailSource,
  { sender, isProven, companyId }: MailFindings,
  recipients: readonly string[],
): MailToRecord {
  const ofNobody = isStranger ? ringOf.strangers : ringOf.relays;
  return {
    ring: companyId ?? userCompanyId ?? ofNobody,
    address,
    isProven,
    isOfStranger: isStranger,
    sender: shortened(sender),
    recipients: recipients.slice(0, maxListed).map(shortened),
    recipientCount: recipients.length,
    outcome: outcomeOf(answer),
    reason: answer.kind === 'refused' ? answer.reason : undefined,
    answer: answer.text,
    messageIds: answer.kind === 'taken' ? answer.messageIds.slice(0, maxListed) : [],
  };
}

function outcomeOf(answer: RecordedAnswer): RecentMail['outcome'] {
  if (answer.kind === 'refused') return 'refused';
  return answer.what === 'automatic' ? 'ignored' : answer.what;
}

/** PostgreSQL stores no NUL, which an address that somebody sends may hold. */
function shortened(address: string): string {
  return printable(address.slice(0, maxAddressLength));
}
