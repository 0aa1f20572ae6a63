/**
 * A mail that goes out by the relay, and its way into the outbox.
 *
 *   waiting ──the relay takes it──▶ gone
 *     │  └──the relay refuses it (5xx), or its time is over──▶ failed ──replayed──▶ waiting
 *     └──not now (4xx), or no connection: later, ever later
 *
 * It keeps its Message-ID at each try, by which the recipient's server knows one that comes twice.
 */
import { byDialect, oneOf, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { escapeHtml } from '../../wire/escape-html.ts';
import { cleanLine } from '../../wire/mail/clean-text.ts';

/** Their places are the codes that the store has. */
export const mailKinds = ['receipts', 'answer', 'question', 'signIn'] as const;
export type MailKind = (typeof mailKinds)[number];

/** What is older, and was not taken, has failed. */
export const giveUpAfterMs = 48 * 3_600_000;

interface MailAddress {
  /** Shown in place of the address; empty: none. */
  readonly name: string;
  readonly address: string;
}

export interface MailContent {
  readonly from: MailAddress;
  readonly to: MailAddress;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Ids of the conversation that it belongs to, the oldest first; the last is the one that it answers (RFC 5322 3.6.4). */
  readonly references: readonly string[];
  /** RFC 3834 5: it answers another mail, or nobody's. */
  readonly autoSubmitted: 'auto-replied' | 'auto-generated';
}

export interface OutgoingMail {
  /** In angle brackets. Whatever is queued under it again is the same mail. */
  readonly messageId: string;
  readonly companyId: number;
  readonly kind: MailKind;
  /** From then on it is of no use to anybody; absent: as long as mails are tried. */
  readonly giveUpAt?: number;
  readonly content: MailContent;
}

/** RFC 5322 2.1.1: a subject is one line, which may be folded; nobody reads more of it. */
const maxSubjectLength = 250;
const maxNameLength = 100;

/** What others have named or written stands in one line of the header, whatever is in it. */
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

/** The sender of a mail that nobody answers. */
export const noReplyAt = (domain: string) => `no-reply@${domain}`;

/** In UTC, to the minute. */
export function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Paragraphs of lines, as the two texts that a mail has. */
export function texts(paragraphs: readonly (readonly string[])[]): Pick<MailContent, 'text' | 'html'> {
  const html = paragraphs.map((lines) => `<p>${lines.map(escapeHtml).join('<br>\n')}</p>\n`).join('');
  return {
    text: `${paragraphs.map((lines) => lines.join('\n')).join('\n\n')}\n`,
    html: `<!DOCTYPE html>\n<html><body>\n${html}</body></html>\n`,
  };
}

/** To be announced once mails are committed: the node that sends looks each second, and at once when told. */
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
 * Puts mails into the outbox, in the transaction of what they tell. One that is there already, by its Message-ID, is not
 * queued again.
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

/** Those of them that still wait are of use until then. */
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
