/** Which networks users sign in from, and the mail that tells a user of one that is new. */
import type { Account } from '../accounts/account.ts';
import { queueMails } from '../email/outgoing/queue-mails.ts';
import { signInMail } from '../email/outgoing/sign-in-mail.ts';
import { wideNetworkOf } from '../http/origin.ts';
import { amongUnlocked, literal, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import type { Session } from './session.ts';

const dayMs = 86_400_000;
/** A network that was not used for longer is new again. */
export const networkKeptMs = 90 * dayMs;
/** Of a user; with one more, the one that was not used for longest is forgotten. */
export const maxNetworks = 50;
/** Of a user in a day of UTC, however many networks somebody comes from who has the password. */
export const maxSignInMails = 10;

/** Where a session begins. */
export interface SignInPlace {
  readonly address: string;
  /** The domain that mail goes out from; undefined: none goes out. */
  readonly mailDomain: string | undefined;
}

/** True: a mail is queued, to be announced once it is committed. Of the first sign-in of a user there is none. */
export async function noteSignIn(
  transaction: Transaction,
  { user, company }: Account,
  session: Pick<Session, 'id' | 'createdAt' | 'browser' | 'byLink'>,
  { address, mailDomain }: SignInPlace,
): Promise<boolean> {
  const now = session.createdAt;
  const before = await lockMails(transaction, user.id);
  const isNew = await keepNetwork(transaction, user.id, wideNetworkOf(address), now);
  const today = Math.floor(now / dayMs);
  // Another node's clock may have reached tomorrow: what it counted there goes on.
  const day = before.day === today + 1 ? before.day : today;
  const mails = before.day === day ? before.mails : 0;
  const mayTell = company.signInMails && before.day !== noDay && mails < maxSignInMails;
  if (!isNew || !mayTell || mailDomain === undefined || user.email === undefined) {
    await keepMails(transaction, user.id, day, mails);
    return false;
  }
  await keepMails(transaction, user.id, day, mails + 1);
  const mail = signInMail(
    {
      sessionId: session.id,
      at: now,
      address,
      browser: session.browser,
      byLink: session.byLink,
      companyId: company.id,
      company: company.name,
      language: company.language ?? 'en',
      username: user.username,
      email: user.email,
      isLast: mails + 1 === maxSignInMails,
    },
    mailDomain,
  );
  await queueMails(transaction, [mail], now);
  return true;
}

/** Whether it was not used for as long as networks are kept. */
async function keepNetwork(
  transaction: Transaction,
  userId: number,
  network: string,
  now: number,
): Promise<boolean> {
  const seen = await transaction.first<{ seen_at: number }>(
    sql`SELECT seen_at FROM sign_in_networks WHERE user_id = ${userId} AND network = ${network}`,
  );
  await transaction.run(
    sql`INSERT INTO sign_in_networks (user_id, network, seen_at) VALUES (${userId}, ${network}, ${now})
        ON CONFLICT (user_id, network) DO UPDATE SET seen_at = excluded.seen_at`,
  );
  if (seen !== undefined) return seen.seen_at < now - networkKeptMs;
  await transaction.run(
    sql`DELETE FROM sign_in_networks WHERE user_id = ${userId} AND network IN (
          SELECT network FROM sign_in_networks WHERE user_id = ${userId}
          ORDER BY seen_at DESC LIMIT 10 OFFSET ${literal(maxNetworks)})`,
  );
  return true;
}

interface CountedMails {
  readonly day: number;
  readonly mails: number;
}

/** Of a user who has not signed in before; it is never committed. */
const noDay = -1;

/** Of two sign-ins of a user at once, the second waits here for the first, and for nothing else that the user does. */
async function lockMails(transaction: Transaction, userId: number): Promise<CountedMails> {
  const row = await transaction.first<CountedMails>(
    sql`INSERT INTO sign_in_mails (user_id, day, mails) VALUES (${userId}, ${noDay}, 0)
        ON CONFLICT (user_id) DO UPDATE SET mails = sign_in_mails.mails RETURNING day, mails`,
  );
  return row as CountedMails;
}

async function keepMails(transaction: Transaction, userId: number, day: number, mails: number) {
  await transaction.run(
    sql`UPDATE sign_in_mails SET day = ${day}, mails = ${mails} WHERE user_id = ${userId}`,
  );
}

/** So many at most of those that were not used for as long as they are kept; answers with how many. */
export function purgeNetworks(transaction: Transaction, now: number, limit: number) {
  const old = sql`sign_in_networks WHERE seen_at < ${now - networkKeptMs} ORDER BY seen_at LIMIT ${limit}`;
  return transaction.run(sql`DELETE FROM sign_in_networks WHERE ${amongUnlocked('user_id, network', old)}`);
}
