/** What a connection says of whoever brings a mail by it. */
import type { SMTPServerSession } from 'smtp-server';
import type { Caller } from '../../accounts/caller.ts';
import { type AddressTest, plainAddress } from '../../http/origin.ts';
import type { MailFindings } from '../gateway/receive-mail.ts';
import type { MailSource } from '../gateway/recent-mail.ts';

/** The library writes down `false` where a login is over, as at the beginning of TLS. */
export function userOf({ user }: SMTPServerSession): Caller | undefined {
  return (user as Caller | false | undefined) || undefined;
}

export function envelopeSenderOf({ envelope }: SMTPServerSession): string {
  return envelope.mailFrom === false ? '' : envelope.mailFrom.address;
}

/** Before anything is read. */
export function findingsOf(session: SMTPServerSession): MailFindings {
  return { sender: envelopeSenderOf(session), isProven: false, companyId: undefined };
}

export function bringerOf(session: SMTPServerSession, isTrustedRelay: AddressTest): MailSource {
  const user = userOf(session);
  const address = plainAddress(session.remoteAddress);
  const isStranger = user === undefined && !isTrustedRelay(address);
  return { address, userCompanyId: user?.companyId, isStranger };
}
