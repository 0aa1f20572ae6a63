/** Reads what is kept of a mail whose receipts and answers go back. */
import type { CompanyLanguage } from '../../accounts/company-records.ts';
import type { AnsweredMail } from './mail-back.ts';

/** Of `email_messages`, its message and its company; the message is gone where the retention was faster. */
export const answeredColumns = `email_messages.company_id, email_messages.mail_id, return_address, subject, mail_message_id,
  mail_references, messages.conversation, companies.language`;

export interface AnsweredRow {
  readonly company_id: number;
  readonly mail_id: number;
  readonly return_address: string;
  readonly subject: string;
  readonly mail_message_id: string | null;
  readonly mail_references: string | null;
  readonly conversation: string | null;
  readonly language: CompanyLanguage | null;
}

/** Of a message whose own is not known any more: it is answered all the same. */
const noConversation = `mail-${'0'.repeat(32)}`;

export function toAnswered(row: AnsweredRow): AnsweredMail {
  // Of a mail that came before these were kept.
  const references = row.mail_references ?? row.mail_message_id ?? '';
  return {
    companyId: row.company_id,
    mailId: row.mail_id,
    returnAddress: row.return_address,
    subject: row.subject,
    references: references.split(' ').filter((id) => id !== ''),
    conversation: row.conversation || noConversation,
    language: row.language ?? 'en',
  };
}
