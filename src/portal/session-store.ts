/**
 * All SQL of sessions, of the links that begin one, and of the networks that they are begun from: a user is told of a new one
 * by mail. Where a session may be held in memory, news tell that it has ended.
 */
import { type Account, findAccount, isActive } from '../accounts/account.ts';
import { callerOf } from '../accounts/caller.ts';
import { writePasswordHash } from '../accounts/logins.ts';
import { passwordIsManaged } from '../accounts/set-keys.ts';
import { type Act, type Actor, recordAct } from '../audit/audit-log.ts';
import { queueMails } from '../email/outgoing/outgoing-mail.ts';
import { signInMail } from '../email/outgoing/sign-in-mail.ts';
import { wideNetworkOf } from '../http/origin.ts';
import { raiseNews } from '../storage/news.ts';
import type { AgedRows } from '../storage/retention.ts';
import { literal, oneOf, raw, sql } from '../storage/sql.ts';
import { bigint, flag, StoredRecord, text } from '../storage/stored-record.ts';
import {
  inOrderOf,
  type Reading,
  readVerb,
  refusable,
  singleWriteVerb,
  type Transaction,
  writeVerb,
} from '../storage/verb.ts';
import {
  maxAgeMs,
  maxIdleMs,
  maxSessions,
  type Session,
  standingOf,
  stillStands,
  writeLink,
} from './session.ts';

const storedSession = new StoredRecord({
  digest: text,
  id: text,
  userId: bigint,
  createdAt: bigint,
  usedAt: bigint,
  network: text,
  browser: text,
  standing: text,
  byLink: flag,
});

export interface FoundSession {
  readonly session: Session;
  readonly account: Account;
}

/** Whether it is alive, and its account active and of its standing, is for the reader to judge. */
export const findSession = readVerb(
  'portal.findSession',
  async (reading, digest: string): Promise<FoundSession | undefined> => {
    const session = await storedSession.first(reading)`FROM sessions WHERE digest = ${digest}`;
    if (session === undefined) return undefined;
    const account = await findAccount(reading, { id: session.userId });
    return account && { session, account };
  },
);

/** Where a session begins. */
interface SignInPlace {
  readonly address: string;
  /** The domain that mail goes out from; undefined: none goes out. */
  readonly mailDomain: string | undefined;
}

interface Beginning extends SignInPlace {
  readonly session: Omit<Session, 'standing'>;
  /** The mark of the password that was given: it may have been changed since. */
  readonly passwordMark: string | undefined;
  readonly by: Actor;
}

export interface BegunSession {
  readonly account: Account;
  /** Its user is told by a mail, which is to be announced. */
  readonly isTold: boolean;
}

/** Undefined: the account may not get in any more, or not by what it got in with. */
export const beginSession = refusable(
  writeVerb('portal.beginSession', (transaction, inputs: readonly Beginning[]) =>
    inOrderOf(
      inputs,
      ({ session }) => session.userId,
      (input) => begin(transaction, input),
    ),
  ),
);

async function begin(
  transaction: Transaction,
  { session, passwordMark, by, ...place }: Beginning,
): Promise<BegunSession | undefined> {
  const account = await findAccount(transaction, { id: session.userId }, { isKept: true });
  if (account === undefined || !isActive(account)) return undefined;
  const caller = callerOf(account);
  if (caller.passwordMark !== passwordMark) return undefined;
  await keep(transaction, { ...session, standing: standingOf(caller) });
  const { createdAt: at, id: object } = session;
  await record(transaction, account, { by, act: 'session.begin', at, object });
  return { account, isTold: await noteSignIn(transaction, account, session, place) };
}

export const findLink = readVerb(
  'portal.findLink',
  async (reading, { digest, now }: { readonly digest: string; readonly now: number }) => {
    const link = await linkOf(reading, digest, now);
    return link && stillStands(link.standing, callerOf(link.account)) ? link.account : undefined;
  },
);

interface ByLink extends SignInPlace {
  readonly linkDigest: string;
  readonly session: Omit<Session, 'userId' | 'standing'>;
}

/** The link is used up. Undefined: it was before, or it is too old. */
export const beginByLink = refusable(
  singleWriteVerb(
    'portal.beginByLink',
    async (transaction, { linkDigest, session, ...place }: ByLink): Promise<BegunSession | undefined> => {
      // The user is kept first, as when users are removed. Links go before sessions: `changePassword` waits at the link,
      // and then sees this session.
      const link = await linkOf(transaction, linkDigest, session.createdAt, { isKept: true });
      const used = await transaction.run(sql`DELETE FROM login_links WHERE digest = ${linkDigest}`);
      if (link === undefined || used === 0) return undefined;
      const { account } = link;
      const caller = callerOf(account);
      if (!isActive(account) || !stillStands(link.standing, caller)) return undefined;
      await keep(transaction, { ...session, userId: caller.userId, standing: standingOf(caller) });
      const by: Actor = { channel: 'portal', username: account.user.username };
      const details = 'by a link';
      await record(transaction, account, {
        by,
        act: 'session.begin',
        at: session.createdAt,
        object: session.id,
        details,
      });
      return { account, isTold: await noteSignIn(transaction, account, session, place) };
    },
  ),
);

async function linkOf(reading: Reading, digest: string, now: number, { isKept = false } = {}) {
  const row = await reading.first<{ user_id: number; standing: string }>(
    sql`SELECT user_id, standing FROM login_links WHERE digest = ${digest} AND expires_at > ${now}`,
  );
  const account = row && (await findAccount(reading, { id: row.user_id }, { isKept }));
  return row && account && { account, standing: row.standing };
}

interface NewLink {
  readonly username: string;
  /** The company that the user has to be of; null: any. */
  readonly companyId: number | null;
  readonly digest: string;
  readonly now: number;
  readonly expiresAt: number;
  readonly by: Actor;
}

/** In place of the one before. Undefined: there is no such user. */
export const keepLink = singleWriteVerb(
  'portal.keepLink',
  async (transaction, { username, companyId, digest, now, expiresAt, by }: NewLink) => {
    const account = await findAccount(transaction, { username }, { isKept: true });
    if (account === undefined || (companyId !== null && account.company.id !== companyId)) return undefined;
    await writeLink(transaction, account, { digest, expiresAt });
    await record(transaction, account, { by, act: 'user.link', at: now, object: username });
    return account;
  },
);

/** Other nodes use it too: a time that is behind changes nothing. */
export const touchSession = singleWriteVerb(
  'portal.touchSession',
  async (transaction, { digest, now }: { readonly digest: string; readonly now: number }) =>
    transaction.run(sql`UPDATE sessions SET used_at = ${now} WHERE digest = ${digest} AND used_at < ${now}`),
);

/** Those that are alive, the latest used first. */
export const listSessions = readVerb(
  'portal.listSessions',
  (reading, { userId, now }: { readonly userId: number; readonly now: number }) =>
    storedSession.all(reading)`
      FROM sessions
      WHERE user_id = ${userId} AND used_at > ${now - maxIdleMs} AND created_at > ${now - maxAgeMs}
      ORDER BY used_at DESC LIMIT ${raw(String(maxSessions))}`,
);

export interface Ending {
  readonly userId: number;
  /** The session of one id, that of a digest, or all but the latter. */
  readonly which: { readonly id: string } | { readonly digest: string } | { readonly allBut: string };
  readonly now: number;
  readonly by: Actor;
}

/** Returns how many there were. */
export const endSessions = singleWriteVerb(
  'portal.endSessions',
  async (transaction, { userId, which, now: at, by }: Ending) => {
    const sessions = await transaction.all<{ digest: string; id: string }>(
      sql`SELECT digest, id FROM sessions WHERE user_id = ${userId} AND ${chosen(which)}`,
    );
    if (sessions.length === 0) return 0;
    const account = await findAccount(transaction, { id: userId });
    await remove(transaction, sessions);
    const object = sessions.map(({ id }) => id).join(', ');
    if (account !== undefined) await record(transaction, account, { by, act: 'session.end', at, object });
    return sessions.length;
  },
);

function chosen(which: Ending['which']) {
  if ('id' in which) return sql`id = ${which.id}`;
  return 'digest' in which ? sql`digest = ${which.digest}` : sql`digest <> ${which.allBut}`;
}

interface NewPassword {
  readonly passwordHash: string;
  /** In place of all that there are. */
  readonly session: Omit<Session, 'standing'>;
  /** The digest of the session that asks for it. */
  readonly asking: string;
  readonly by: Actor;
}

/**
 * All sessions and links of the user end, but for the new one. Undefined: the session that asks has ended,
 * be it by a password that somebody else has set meanwhile, or the account is gone or closed. A password that a file has set
 * would come back with the file: nobody is to believe that it is another one now.
 */
export const changePassword = refusable(
  singleWriteVerb(
    'portal.changePassword',
    async (transaction, input: NewPassword): Promise<Account | 'managed' | undefined> => {
      const { passwordHash, session, asking, by } = input;
      const { userId } = session;
      const before = await findAccount(transaction, { id: userId }, { isLocked: true });
      if (before === undefined || !isActive(before)) return undefined;
      const own = await transaction.first<{ standing: string }>(
        sql`SELECT standing FROM sessions WHERE digest = ${asking} AND user_id = ${userId}`,
      );
      if (own === undefined || !stillStands(own.standing, callerOf(before))) return undefined;
      const { username } = before.user;
      if (await passwordIsManaged(transaction, username)) return 'managed';
      await writePasswordHash(transaction, { kind: 'user', username }, passwordHash);
      await transaction.run(sql`DELETE FROM login_links WHERE user_id = ${userId}`);
      await remove(
        transaction,
        await transaction.all(sql`SELECT digest FROM sessions WHERE user_id = ${userId}`),
      );
      const account = { ...before, user: { ...before.user, passwordHash } };
      await keep(transaction, { ...session, standing: standingOf(callerOf(account)) });
      await record(transaction, account, {
        by,
        act: 'password.set',
        at: session.createdAt,
        object: username,
      });
      return account;
    },
  ),
);

async function keep(transaction: Transaction, session: Session): Promise<void> {
  await transaction.insert('sessions', storedSession.columns, [storedSession.row(session)]);
  const surplus = await transaction.all<{ digest: string }>(
    sql`SELECT digest FROM sessions WHERE user_id = ${session.userId}
        ORDER BY used_at DESC LIMIT 10 OFFSET ${raw(String(maxSessions))}`,
  );
  if (surplus.length > 0) await remove(transaction, surplus);
}

async function remove(
  transaction: Transaction,
  sessions: readonly { readonly digest: string }[],
): Promise<void> {
  const digests = sessions.map(({ digest }) => digest);
  await transaction.run(sql`DELETE FROM sessions WHERE digest ${oneOf('text', digests)}`);
  await raiseNews(transaction, 'sessions');
}

function record(
  transaction: Transaction,
  { company }: Account,
  entry: {
    readonly by: Actor;
    readonly act: Act;
    readonly at: number;
    readonly object: string;
    readonly details?: string;
  },
): Promise<void> {
  return recordAct(transaction, { companyId: company.id, ...entry });
}

const dayMs = 86_400_000;
/** A network that was not used for longer is new again. */
export const networkKeptMs = 90 * dayMs;

/** What has ended by its age, links that were never opened, and networks that nobody came from for long. */
export const agedSessions: readonly AgedRows[] = [
  { table: 'login_links', key: 'user_id', time: 'expires_at', keptMs: 0 },
  { table: 'sessions', key: 'digest', time: 'created_at', keptMs: maxAgeMs },
  { table: 'sign_in_networks', key: 'user_id, network', time: 'seen_at', keptMs: networkKeptMs },
];

/** A user has so many at most; with one more, the one that was not used for longest is forgotten. */
export const maxNetworks = 50;
/** A user gets so many in a day of UTC, from however many networks somebody who has the password comes. */
export const maxSignInMails = 10;

/** True: a mail is queued, to be announced once it is committed. The first sign-in of a user queues none. */
async function noteSignIn(
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

/** The day of a user who has not signed in before; it is never committed. */
const noDay = -1;

/** The second of two sign-ins of a user at once waits here for the first, and for nothing else that the user does. */
async function lockMails(
  transaction: Transaction,
  userId: number,
): Promise<{ readonly day: number; readonly mails: number }> {
  const row = await transaction.first<{ day: number; mails: number }>(
    sql`INSERT INTO sign_in_mails (user_id, day, mails) VALUES (${userId}, ${noDay}, 0)
        ON CONFLICT (user_id) DO UPDATE SET mails = sign_in_mails.mails RETURNING day, mails`,
  );
  return row as { day: number; mails: number };
}

async function keepMails(transaction: Transaction, userId: number, day: number, mails: number) {
  await transaction.run(
    sql`UPDATE sign_in_mails SET day = ${day}, mails = ${mails} WHERE user_id = ${userId}`,
  );
}
