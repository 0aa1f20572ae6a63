/** Tells mail that no person sent, so that bounces and absence notes become no SMS, and start no loops (RFC 3834). */
import { parseContentType } from './content-type.ts';
import { fieldValue, fieldValues, type MailHeader } from './header-fields.ts';
import { parseMailboxList } from './mailbox-list.ts';
import type { Part } from './parts.ts';
import { maxFromLength, maxWordingLength } from './reading-bounds.ts';
import { answersAnother, isAbsenceSubject, subjectOf } from './subject.ts';

export interface AutomaticOptions {
  /**
   * Somebody brings it who answers for it. Then it is for mail that a program wrote and nobody's mail caused, such as an
   * alarm (RFC 3834 5, `auto-generated`), and for mail through a list, such as that of those on call, to be taken for mail
   * by a person. Programs mark alarms as bulk mail as well, and send them with an empty return path, so that nobody gets
   * their bounces: neither says anything by itself then.
   */
  readonly isTrusted?: boolean;
}

/**
 * Why a mail counts as automatic, as the end of a sentence that begins with “It”; undefined when nothing says so.
 *
 * `X-Auto-Response-Suppress` alone is none of the signs: it asks others not to answer by themselves, and Exchange sets it in
 * mail that people write as well.
 */
export function automaticReason(
  header: MailHeader,
  hasNullReturnPath: boolean,
  { isTrusted = false }: AutomaticOptions = {},
): string | undefined {
  const isBounce = hasNullReturnPath || saysNullReturnPath(header);
  if (isBounce && !isTrusted) return 'has an empty return path, as bounces have';
  for (const sign of signs) {
    const says = (isTrusted ? sign.saysOfTrusted : undefined) ?? sign.says;
    if (valuesOf(header, sign).some(says)) return sign.reason;
  }
  if (isFrom(header, isBounce ? /^(mailer-daemon|postmaster)$/i : /^mailer-daemon$/i))
    return 'is from a mail server';
  const isAbsence = isAbsenceSubject(subjectOf(header));
  if (isAbsence && fieldValue(header, 'x-auto-response-suppress') !== undefined)
    return 'is an automatic reply by its subject, and asks for no automatic answer (X-Auto-Response-Suppress)';
  // Exchange marks absence notes as RFC 3834 5 has it for what answers nothing, and vacation(1) as bulk mail only.
  if ((isBounce || isMarked(header)) && (isAbsence || answersAnother(header)))
    return 'was written by a program and answers another mail';
  return undefined;
}

/** RFC 5321 4.5.5: bounces and other notifications have it. A relay may have written it down already. */
function saysNullReturnPath(header: MailHeader): boolean {
  return fieldValue(header, 'return-path')?.slice(0, maxWordingLength).replace(/\s/g, '') === '<>';
}

function valuesOf(header: MailHeader, { field }: Pick<Sign, 'field'>): readonly string[] {
  return fieldValues(header, field).map((value) => value.slice(0, maxWordingLength));
}

/**
 * As what a program wrote, by a field that says nothing by itself of those who are known. People write through lists, which
 * mark that by either word (RFC 2919, RFC 2076 3.9).
 */
function isMarked(header: MailHeader): boolean {
  if (valuesOf(header, { field: 'auto-submitted' }).some((value) => !isPersonal(value))) return true;
  const isOfList = fieldValue(header, 'list-id') !== undefined;
  return (
    !isOfList &&
    valuesOf(header, { field: 'precedence' }).some((value) => /^(bulk|junk)$/i.test(keyword(value)))
  );
}

const isPersonal = (value: string) => /^no$/i.test(keyword(value));

interface Sign {
  readonly field: string;
  readonly says: Says;
  /** The same where somebody answers for the mail. */
  readonly saysOfTrusted?: Says;
  readonly reason: string;
}

type Says = (value: string) => boolean;

const present = () => true;
const never = () => false;
const notNegated = (value: string) => !/^(no|false|0)?$/i.test(value.trim());

const reportReason = 'is a report of delivery, reading or abuse';

const signs: readonly Sign[] = [
  // RFC 3834 5, with comments and parameters. A value that is new must count as automatic too.
  {
    field: 'auto-submitted',
    says: (value) => !isPersonal(value),
    saysOfTrusted: (value) => !/^(no|auto-generated)$/i.test(keyword(value)),
    reason: 'is marked Auto-Submitted',
  },
  // RFC 3834 2 and RFC 2076 3.9; auto_reply is the word of some older responders, and lists say either `list` or `bulk`.
  {
    field: 'precedence',
    says: (value) => /^(bulk|junk|list|auto[_-]?reply)$/i.test(keyword(value)),
    saysOfTrusted: (value) => /^auto[_-]?reply$/i.test(keyword(value)),
    reason: 'is marked as bulk mail or a reply by its Precedence',
  },
  // RFC 2919 3: mail that a list passes on to all of its members.
  {
    field: 'list-id',
    says: present,
    saysOfTrusted: never,
    reason: 'comes from a mailing list (List-Id), which only a trusted relay or a login may bring',
  },
  { field: 'content-type', says: isReport, reason: reportReason },
  // Exim and Gmail name in bounces whom they did not reach.
  { field: 'x-failed-recipients', says: present, reason: 'is a bounce (X-Failed-Recipients)' },
  // What responders set that are older than RFC 3834, or do not know it.
  { field: 'x-autoreply', says: notNegated, reason: 'is an automatic reply (X-Autoreply)' },
  { field: 'x-auto-reply', says: notNegated, reason: 'is an automatic reply (X-Auto-Reply)' },
  { field: 'x-autoreply-from', says: present, reason: 'is an automatic reply (X-Autoreply-From)' },
  { field: 'x-mail-autoreply', says: notNegated, reason: 'is an automatic reply (X-Mail-Autoreply)' },
  { field: 'x-autorespond', says: present, reason: 'is an automatic reply (X-Autorespond)' },
  { field: 'x-autoresponder', says: notNegated, reason: 'is an automatic reply (X-Autoresponder)' },
  { field: 'x-vacation', says: notNegated, reason: 'is an automatic reply (X-Vacation)' },
  {
    field: 'x-post-messageclass',
    says: (value) => /autoresponder/i.test(value),
    reason: 'is an automatic reply (X-POST-MessageClass)',
  },
  {
    field: 'delivered-to',
    says: (value) => /^autoresponder$/i.test(value.trim()),
    reason: 'is an automatic reply (Delivered-To: Autoresponder)',
  },
];

/** The first word, without comments. */
function keyword(value: string): string {
  return /[^\s;()]+/.exec(value.replace(/\([^()]*\)/g, ' '))?.[0] ?? '';
}

/**
 * Whether a part, however deep, is a report: lists and gateways put theirs around it. What a mail that is passed on holds is
 * not looked into.
 */
export function reportIn(part: Part): string | undefined {
  if (reportTypes.has(part.contentType.type)) return reportReason;
  return part.children.some((child) => reportIn(child) !== undefined) ? reportReason : undefined;
}

function isReport(value: string): boolean {
  return reportTypes.has(parseContentType(value).type);
}

/** RFC 6522, RFC 3464 (delivery), RFC 8098 (reading), RFC 5965 (abuse), RFC 6533 (both in UTF-8), RFC 3886 (tracking). */
const reportTypes: ReadonlySet<string> = new Set([
  'multipart/report',
  'message/delivery-status',
  'message/global-delivery-status',
  'message/disposition-notification',
  'message/global-disposition-notification',
  'message/feedback-report',
  'message/tracking-status',
]);

const maxFromFields = 4;

/** RFC 3834 2, on whom never to answer. People write as postmaster; nobody does as MAILER-DAEMON. */
function isFrom(header: MailHeader, local: RegExp): boolean {
  return fieldValues(header, 'from')
    .slice(0, maxFromFields)
    .flatMap((value) => parseMailboxList(value.slice(0, maxFromLength)).mailboxes)
    .some((mailbox) => local.test(mailbox.local));
}
