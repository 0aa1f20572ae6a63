/** Tells mail that no person sent, so that bounces and absence notes become no SMS, and start no loops (RFC 3834). */
import { parseContentType } from './content-type.ts';
import { fieldValue, fieldValues, type MailHeader } from './header-fields.ts';
import { parseMailboxList } from './mailbox-list.ts';
import { maxFromLength, maxWordingLength } from './reading-bounds.ts';

export interface AutomaticOptions {
  /**
   * Somebody brings it who answers for it. Then it is for mail that a program wrote and nobody's mail caused, such as an
   * alarm (RFC 3834 5, `auto-generated`), and for mail through a list, such as that of those on call, to be taken for mail
   * by a person.
   */
  readonly isTrusted?: boolean;
}

/**
 * Why a mail counts as automatic, as the end of a sentence that begins with “It”; undefined when nothing says so.
 *
 * `X-Auto-Response-Suppress` is none of the signs: it asks others not to answer by themselves, and Exchange sets it in
 * mail that people write as well.
 */
export function automaticReason(
  header: MailHeader,
  hasNullReturnPath: boolean,
  { isTrusted = false }: AutomaticOptions = {},
): string | undefined {
  // RFC 5321 4.5.5: bounces and other notifications have it. A relay may have written it down already.
  const returnPath = fieldValue(header, 'return-path')?.slice(0, maxWordingLength).replace(/\s/g, '');
  if (hasNullReturnPath || returnPath === '<>') return 'has an empty return path, as bounces have';
  const isOfList = fieldValue(header, 'list-id') !== undefined;
  for (const sign of signs) {
    const values = fieldValues(header, sign.field);
    const says = (isTrusted ? sign.saysOfTrusted : undefined) ?? sign.says;
    if (values.some((value) => says(value.slice(0, maxWordingLength), isOfList))) return sign.reason;
  }
  return isFromDaemon(header) ? 'is from a mail server' : undefined;
}

interface Sign {
  readonly field: string;
  readonly says: Says;
  /** The same where somebody answers for the mail. */
  readonly saysOfTrusted?: Says;
  readonly reason: string;
}

type Says = (value: string, isOfList: boolean) => boolean;

const present = () => true;
const never = () => false;
const notNegated = (value: string) => !/^(no|false|0)?$/i.test(value.trim());

const signs: readonly Sign[] = [
  // RFC 3834 5, with comments and parameters. A value that is new must count as automatic too.
  {
    field: 'auto-submitted',
    says: (value) => !/^no$/i.test(keyword(value)),
    saysOfTrusted: (value) => !/^(no|auto-generated)$/i.test(keyword(value)),
    reason: 'is marked Auto-Submitted',
  },
  // RFC 3834 2 and RFC 2076 3.9; auto_reply is the word of some older responders, and lists say either `list` or `bulk`.
  {
    field: 'precedence',
    says: (value) => /^(bulk|junk|list|auto[_-]?reply)$/i.test(keyword(value)),
    saysOfTrusted: (value, isOfList) =>
      /^(junk|auto[_-]?reply)$/i.test(keyword(value)) || (!isOfList && /^bulk$/i.test(keyword(value))),
    reason: 'is marked as bulk mail by its Precedence',
  },
  // RFC 2919 3: mail that a list passes on to all of its members.
  {
    field: 'list-id',
    says: present,
    saysOfTrusted: never,
    reason: 'comes from a mailing list (List-Id), which only a trusted relay or a login may bring',
  },
  { field: 'content-type', says: isReport, reason: 'is a report of delivery, reading or abuse' },
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

/** RFC 6522, RFC 3464 (delivery), RFC 8098 (reading), RFC 5965 (abuse). */
function isReport(value: string): boolean {
  const { type } = parseContentType(value);
  return (
    type === 'multipart/report' ||
    type === 'message/delivery-status' ||
    type === 'message/disposition-notification'
  );
}

const maxFromFields = 4;

/** RFC 3834 2, on whom never to answer. People write as postmaster; nobody does as MAILER-DAEMON. */
function isFromDaemon(header: MailHeader): boolean {
  return fieldValues(header, 'from')
    .slice(0, maxFromFields)
    .flatMap((value) => parseMailboxList(value.slice(0, maxFromLength)).mailboxes)
    .some(({ local }) => /^mailer-daemon$/i.test(local));
}
