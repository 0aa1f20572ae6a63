/** Recognises mail that no person sent, so that bounces and absence notes don't become SMS or start loops (RFC 3834). */
import { parseContentType } from './content-type.ts';
import { fieldValue, fieldValues, type MailHeader } from './header-fields.ts';
import { parseMailboxList } from './mailbox-list.ts';
import type { Part } from './parts.ts';
import { maxFromLength, maxWordingLength } from './reading-bounds.ts';
import { answersAnother, isAbsenceSubject, subjectOf } from './subject.ts';

export interface AutomaticOptions {
  /**
   * Whether the e-mail was submitted by somebody who answers for it. In that case, mail that a program wrote without
   * another e-mail causing it, such as an alarm (RFC 3834 5, `auto-generated`), and mail through a list, such as an
   * on-call list, count as written by a person. Programs also mark alarms as bulk mail and send them with an empty
   * return path to avoid bounces, so neither of these signs alone is enough.
   */
  readonly isTrusted?: boolean;
}

/**
 * Returns why an e-mail counts as automatic, as the end of a sentence that begins with “It”, or undefined if there is
 * no sign of that. `X-Auto-Response-Suppress` alone is not a sign: it asks others not to reply automatically, and
 * Exchange also sets it in mail written by people.
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
    return 'has the subject of an automatic reply, and asks for no automatic answer (X-Auto-Response-Suppress)';
  // Exchange gives absence notes the mark that RFC 3834, section 5, prescribes for mail that answers nothing;
  // vacation(1) marks them only as bulk mail.
  if ((isBounce || isMarked(header)) && (isAbsence || answersAnother(header)))
    return 'was written by a program and answers another e-mail';
  return undefined;
}

/**
 * RFC 5321 4.5.5: bounces and other notifications have a null return path. A relay may already have recorded that path in
 * a field.
 */
function saysNullReturnPath(header: MailHeader): boolean {
  return fieldValue(header, 'return-path')?.slice(0, maxWordingLength).replace(/\s/g, '') === '<>';
}

function valuesOf(header: MailHeader, { field }: Pick<Sign, 'field'>): readonly string[] {
  return fieldValues(header, field).map((value) => value.slice(0, maxWordingLength));
}

/**
 * Whether a field marks the e-mail as written by a program. From trusted senders, such a field alone proves nothing.
 * Precedence does not count in list mail, since people write through lists, which may call their mail `bulk` (RFC 2919,
 * RFC 2076 3.9).
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
  /** The test for mail that somebody answers for. */
  readonly saysOfTrusted?: Says;
  readonly reason: string;
}

type Says = (value: string) => boolean;

const present = () => true;
const never = () => false;
const notNegated = (value: string) => !/^(no|false|0)?$/i.test(value.trim());

const reportReason = 'is a report of delivery, reading or abuse';

const signs: readonly Sign[] = [
  // RFC 3834 5, with comments and parameters. Unknown values must count as automatic too.
  {
    field: 'auto-submitted',
    says: (value) => !isPersonal(value),
    saysOfTrusted: (value) => !/^(no|auto-generated)$/i.test(keyword(value)),
    reason: 'is marked Auto-Submitted',
  },
  // RFC 3834 2 and RFC 2076 3.9. Some older responders use auto_reply, and lists use either `list` or `bulk`.
  {
    field: 'precedence',
    says: (value) => /^(bulk|junk|list|auto[_-]?reply)$/i.test(keyword(value)),
    saysOfTrusted: (value) => /^auto[_-]?reply$/i.test(keyword(value)),
    reason: 'is marked as bulk mail or a reply by its Precedence',
  },
  // RFC 2919 3: mail that a list distributes to all of its members.
  {
    field: 'list-id',
    says: present,
    saysOfTrusted: never,
    reason:
      'comes from a mailing list (List-Id), which is accepted only from a trusted relay or with a login',
  },
  { field: 'content-type', says: isReport, reason: reportReason },
  // In bounces, Exim and Gmail list the recipients that they did not reach.
  { field: 'x-failed-recipients', says: present, reason: 'is a bounce (X-Failed-Recipients)' },
  // Fields set by responders that are older than RFC 3834 or ignore it.
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

/** Returns the first word, without comments. */
function keyword(value: string): string {
  return /[^\s;()]+/.exec(value.replace(/\([^()]*\)/g, ' '))?.[0] ?? '';
}

/**
 * Checks whether a part at any depth is a report, because lists and gateways wrap reports in other parts. Forwarded
 * e-mails are not examined.
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

/**
 * RFC 3834 2, on addresses that must never get automatic replies. People write as postmaster, but nobody does as
 * MAILER-DAEMON.
 */
function isFrom(header: MailHeader, local: RegExp): boolean {
  return fieldValues(header, 'from')
    .slice(0, maxFromFields)
    .flatMap((value) => parseMailboxList(value.slice(0, maxFromLength)).mailboxes)
    .some((mailbox) => local.test(mailbox.local));
}
