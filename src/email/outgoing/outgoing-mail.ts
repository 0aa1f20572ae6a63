/**
 * An e-mail that goes out through the relay, and its way into the outbox.
 *
 *   waiting ──the relay takes it──▶ gone
 *     │  └──the relay refuses it (5xx), or its time runs out──▶ failed ──replayed──▶ waiting
 *     └──not now (4xx), or no connection: tried again, after ever longer pauses
 *
 * It keeps its Message-ID at each attempt, so that the recipient's server can recognise a second copy.
 */
import { byDialect, oneOf, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { escapeHtml } from '../../wire/escape-html.ts';
import { cleanLine } from '../../wire/mail/clean-text.ts';
import { knownZone } from '../../wire/time-zone.ts';

/** A kind's index is its code in the store. */
export const mailKinds = ['receipts', 'answer', 'question', 'signIn'] as const;
export type MailKind = (typeof mailKinds)[number];

/** An e-mail that was not accepted within this time has failed. */
export const giveUpAfterMs = 48 * 3_600_000;

interface MailAddress {
  /** The display name shown instead of the address; empty for none. */
  readonly name: string;
  readonly address: string;
}

export interface MailContent {
  readonly from: MailAddress;
  readonly to: MailAddress;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The ids of its conversation, oldest first; the last is the e-mail it replies to (RFC 5322, section 3.6.4). */
  readonly references: readonly string[];
  /** RFC 3834, section 5: `auto-replied` if it replies to another e-mail, otherwise `auto-generated`. */
  readonly autoSubmitted: 'auto-replied' | 'auto-generated';
}

export interface OutgoingMail {
  /** In angle brackets. An e-mail queued again under the same id is the same e-mail. */
  readonly messageId: string;
  readonly companyId: number;
  readonly kind: MailKind;
  /** The time from which the e-mail is of no use; absent for the usual retry period. */
  readonly giveUpAt?: number;
  readonly content: MailContent;
}

/** RFC 5322, section 2.1.1: a subject is one line, which may be folded; a longer one would not be read. */
const maxSubjectLength = 250;
const maxNameLength = 100;

/** Puts names and texts from outside on one header line, whatever they contain. */
function inOneLine(content: MailContent): MailContent {
  const named = ({ name, address }: MailAddress) => ({
    name: cleanLine(name).slice(0, maxNameLength),
    address,
  });
  const { from, to, subject } = content;
  return {
    ...content,
    from: named(from),
    to: named(to),
    subject: cleanLine(subject).slice(0, maxSubjectLength),
  };
}

/** The sender of e-mails that do not accept replies. */
export const noReplyAt = (domain: string) => `no-reply@${domain}`;

/** One for each zone, since making one takes fifty times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The time in the company's time zone, to the minute; in UTC if it has none, or one that this node does not know. */
export function timeOf(at: number, ofCompany = 'UTC'): string {
  const timeZone = knownZone(ofCompany);
  // Swedish writes times as ISO 8601 does.
  const options = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', options);
  formats.set(timeZone, format);
  return `${format.format(at)} ${timeZone}`;
}

/** Renders paragraphs of lines as the e-mail's plain text and HTML. */
export function texts(paragraphs: readonly (readonly string[])[]): Pick<MailContent, 'text' | 'html'> {
  const html = paragraphs.map((lines) => `<p>${lines.map(escapeHtml).join('<br>\n')}</p>\n`).join('');
  return {
    text: `${paragraphs.map((lines) => lines.join('\n')).join('\n\n')}\n`,
    html: `<!DOCTYPE html>\n<html><body>\n${html}</body></html>\n`,
  };
}

/** Announced once e-mails are committed: the sending node polls every second, and immediately when notified. */
export const outgoingMailTopic = 'outgoingMails';

const columns = {
  message_id: 'text',
  company_id: 'bigint',
  kind: 'smallint',
  content: 'text',
  queued_at: 'bigint',
  due_at: 'bigint',
  give_up_at: 'bigint',
  tries: 'integer',
} as const;

/**
 * Puts e-mails into the outbox, in the transaction of what they report. An e-mail with a known Message-ID is not queued again.
 */
export async function queueMails(
  transaction: Transaction,
  mails: readonly OutgoingMail[],
  now: number,
): Promise<void> {
  const rows = mails.map(({ messageId, companyId, kind, content, giveUpAt = Number.POSITIVE_INFINITY }) => [
    ...[messageId, companyId, mailKinds.indexOf(kind), JSON.stringify(inOneLine(content))],
    ...[now, now, Math.min(giveUpAt, now + giveUpAfterMs), 0],
  ]);
  await transaction.insert('outgoing_mails', columns, rows, 'ON CONFLICT (message_id) DO NOTHING');
}

const least = byDialect({ sqlite: 'MIN', postgres: 'LEAST' });

/** Sets a new deadline for those of the e-mails that still wait. */
export async function giveUpLater(
  transaction: Transaction,
  messageIds: readonly string[],
  giveUpAt: number,
): Promise<void> {
  await transaction.run(
    sql`UPDATE outgoing_mails SET give_up_at = ${least}(${giveUpAt}, queued_at + ${giveUpAfterMs})
        WHERE message_id ${oneOf('text', messageIds)} AND due_at IS NOT NULL`,
  );
}
