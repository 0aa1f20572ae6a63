/**
 * All SQL of sessions, of the links that begin one, and of the networks that they are begun from; a user is notified of a new
 * network by mail. Because sessions may be held in memory, news reports when one has ended.
 */
import { type Account, findAccount, isActive } from '../accounts/account.ts';
import { callerOf } from '../accounts/caller.ts';
import { holdProvider } from '../accounts/identity-providers.ts';
import { writePasswordHash } from '../accounts/logins.ts';
import { passwordIsManaged } from '../accounts/set-keys.ts';
import type { AuditDetails } from '../audit/audit-details.ts';
import { type Act, type Actor, recordAct } from '../audit/audit-log.ts';
import { queueMails } from '../email/outgoing/outgoing-mail.ts';
import { signInMail } from '../email/outgoing/sign-in-mail.ts';
import { wideNetworkOf } from '../http/origin.ts';
import { raiseNews } from '../storage/news.ts';
import type { AgedRows } from '../storage/retention.ts';
import { literal, oneOf, raw, sql } from '../storage/sql.ts';
import { bigint, flag, optional, StoredRecord, text } from '../storage/stored-record.ts';
import {
  inOrderOf,
  type Reading,
  readVerb,
  refusable,
  singleWriteVerb,
  type Transaction,
  writeVerb,
} from '../storage/verb.ts';
import { type FactorRefusal, type Proved, proofWords, tablesOfUsers } from './factor-records.ts';
import {
  dayMs,
  type EndedSessions,
  hourMs,
  isAlive,
  maxAgeMs,
  maxIdleMs,
  maxSessions,
  type Session,
  standingOf,
  stillStands,
  writeLink,
} from './session.ts';

export const storedSession = new StoredRecord({
  digest: text,
  id: text,
  userId: bigint,
  createdAt: bigint,
  usedAt: bigint,
  network: text,
  browser: text,
  standing: text,
  byLink: flag,
  provider: optional(text),
  confirmedAt: optional(bigint),
  factorAt: optional(bigint),
});

export interface FoundSession {
  readonly session: Session;
  readonly account: Account;
}

/**
 * The caller has to check whether the session is alive, and whether its account is active and has the same standing.
 */
export const findSession = readVerb(
  'portal.findSession',
  async (reading, digest: string): Promise<FoundSession | undefined> => {
    const session = await storedSession.first(reading)`FROM sessions WHERE digest = ${digest}`;
    if (session === undefined) return undefined;
    const account = await findAccount(reading, { id: session.userId });
    return account && { session, account };
  },
);

/** Where a sign-in comes from. */
export interface SignInPlace {
  readonly address: string;
  /** The domain that mail is sent from; undefined when no mail is sent. */
  readonly mailDomain: string | undefined;
}

interface Beginning extends SignInPlace, Proved {
  readonly session: Omit<Session, 'standing'>;
  /** The mark of the password that was given, since the password may have been changed meanwhile. */
  readonly passwordMark: string | undefined;
  /** The digest of the session that the new one goes on from, which may have ended meanwhile. */
  readonly from?: string | undefined;
}

export interface BegunSession {
  readonly account: Account;
  /** Whether the user is notified by an e-mail, which has to be announced. */
  readonly isNotified: boolean;
}

/**
 * Undefined when the account may no longer sign in, or not with the given credentials. `factorNeeded` when the user has a
 * second factor and none was given, and `factorUsed` when the one given was used before.
 */
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
  { session, passwordMark, proof, challenge, from, ...place }: Beginning,
): Promise<BegunSession | FactorRefusal | undefined> {
  const { provider } = session;
  if (provider !== undefined && (await holdProvider(transaction, provider)) === undefined) return undefined;
  // Who adds a first factor or ends sessions locks the user too, and so either sees this session or is seen by it.
  const account = await findAccount(transaction, { id: session.userId }, { isSteady: true });
  if (account === undefined || !isActive(account)) return undefined;
  if (callerOf(account).passwordMark !== passwordMark) return undefined;
  if (from !== undefined && !(await goesOn(transaction, account, from))) return undefined;
  const refusal = await refusalOf(transaction, session, { proof, challenge });
  if (refusal !== undefined) return refusal;
  return keepBegun(transaction, account, session, place, proof && proofWords[proof.kind]);
}

/** Whether a session of the account is still there, and stands. */
async function goesOn(transaction: Transaction, account: Account, digest: string): Promise<boolean> {
  const own = await transaction.first<{ standing: string }>(
    sql`SELECT standing FROM sessions WHERE digest = ${digest} AND user_id = ${account.user.id}`,
  );
  return own !== undefined && stillStands(own.standing, callerOf(account));
}

/** Keeps the session of an account that has proved who it is. `details`: for the audit log. */
export async function keepBegun(
  transaction: Transaction,
  account: Account,
  session: Omit<Session, 'userId' | 'standing'>,
  place: SignInPlace,
  details: AuditDetails | undefined,
): Promise<BegunSession> {
  const caller = callerOf(account);
  await keep(transaction, { ...session, userId: caller.userId, standing: standingOf(caller) });
  const by: Actor = { channel: 'portal', username: account.user.username };
  const { usedAt: at, id: object } = session;
  await record(transaction, account, { by, act: 'session.begin', at, object, details });
  return { account, isNotified: await noteSignIn(transaction, account, session, place) };
}

/**
 * Uses up what was given. A session that goes on from another one has the factor that was given in that one, or at its
 * identity provider.
 */
function refusalOf(
  transaction: Transaction,
  { userId, factorAt, provider, usedAt }: Pick<Session, 'userId' | 'factorAt' | 'provider' | 'usedAt'>,
  proved: Proved,
): Promise<FactorRefusal | undefined> {
  const isGiven = factorAt !== undefined || provider !== undefined;
  return tablesOfUsers.refusalOf(transaction, userId, { ...proved, isGiven, now: usedAt });
}

export const findLink = readVerb(
  'portal.findLink',
  async (reading, { digest, now }: { readonly digest: string; readonly now: number }) => {
    const link = await linkOf(reading, digest, now);
    return link && stillStands(link.standing, callerOf(link.account)) ? link.account : undefined;
  },
);

interface ByLink extends SignInPlace, Omit<Proved, 'challenge'> {
  readonly linkDigest: string;
  readonly session: Omit<Session, 'userId' | 'standing'>;
}

/** Uses up the link, if no second factor is lacking. Undefined when it was used before or is too old. */
export const beginByLink = refusable(
  singleWriteVerb(
    'portal.beginByLink',
    async (
      transaction,
      { linkDigest, session, proof, ...place }: ByLink,
    ): Promise<BegunSession | FactorRefusal | undefined> => {
      // The user is locked first, as when users are removed. Links are locked before sessions: `changePassword` waits at the
      // link and then sees this session.
      const link = await linkOf(transaction, linkDigest, session.createdAt, { isSteady: true });
      if (link !== undefined) {
        const { id: userId } = link.account.user;
        const refusal = await refusalOf(transaction, { ...session, userId }, { proof });
        if (refusal !== undefined) return refusal;
      }
      const used = await transaction.run(sql`DELETE FROM login_links WHERE digest = ${linkDigest}`);
      if (link === undefined || used === 0) return undefined;
      const { account } = link;
      const caller = callerOf(account);
      if (!isActive(account) || !stillStands(link.standing, caller)) return undefined;
      const byLink = { sentence: 'by_link' } as const;
      const details = proof === undefined ? byLink : [byLink, proofWords[proof.kind]];
      return keepBegun(transaction, account, session, place, details);
    },
  ),
);

async function linkOf(reading: Reading, digest: string, now: number, { isSteady = false } = {}) {
  const row = await reading.first<{ user_id: number; standing: string }>(
    sql`SELECT user_id, standing FROM login_links WHERE digest = ${digest} AND expires_at > ${now}`,
  );
  const account = row && (await findAccount(reading, { id: row.user_id }, { isSteady }));
  return row && account && { account, standing: row.standing };
}

interface NewLink {
  readonly username: string;
  /** The company that the user must belong to; null for any. */
  readonly companyId: number | null;
  readonly digest: string;
  readonly now: number;
  readonly expiresAt: number;
  readonly by: Actor;
}

/** Replaces the previous link. Undefined when there is no such user. */
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

/** Other nodes update it too, so an earlier time changes nothing. */
export const touchSession = singleWriteVerb(
  'portal.touchSession',
  async (transaction, { digest, now }: { readonly digest: string; readonly now: number }) =>
    transaction.run(sql`UPDATE sessions SET used_at = ${now} WHERE digest = ${digest} AND used_at < ${now}`),
);

/** Sessions that are alive, most recently used first. */
export const listSessions = readVerb(
  'portal.listSessions',
  (reading, { userId, now }: { readonly userId: number; readonly now: number }) =>
    storedSession.all(reading)`
      FROM sessions
      WHERE user_id = ${userId} AND used_at > ${now - maxIdleMs} AND created_at > ${now - maxAgeMs}
      ORDER BY used_at DESC LIMIT ${raw(String(maxSessions))}`,
);

interface Ending {
  readonly userId: number;
  readonly which: EndedSessions;
  readonly now: number;
  readonly by: Actor;
}

/** Returns how many were ended; those that had ended of themselves, and are in no list, do not count. */
export const endSessions = singleWriteVerb(
  'portal.endSessions',
  async (transaction, { userId, which, now: at, by }: Ending) => {
    // Sessions that go on from one of these have begun, or will not begin.
    const account = await findAccount(transaction, { id: userId }, { isLocked: true });
    const sessions = await storedSession.all(transaction)`
      FROM sessions WHERE user_id = ${userId} AND ${chosen(which)}`;
    if (sessions.length === 0) return 0;
    await remove(transaction, sessions);
    if (account === undefined) return 0;
    const caller = callerOf(account);
    const open = sessions.filter((one) => isAlive(one, at) && stillStands(one.standing, caller));
    const object = open.map(({ id }) => id).join(', ');
    if (open.length > 0) await record(transaction, account, { by, act: 'session.end', at, object });
    return open.length;
  },
);

function chosen(which: EndedSessions) {
  if ('id' in which) return sql`id = ${which.id}`;
  return 'digest' in which ? sql`digest = ${which.digest}` : sql`digest <> ${which.allBut}`;
}

interface NewPassword {
  readonly passwordHash: string;
  /** Replaces all existing sessions. */
  readonly session: Omit<Session, 'standing'>;
  /** The digest of the session that makes the request. */
  readonly asking: string;
  readonly by: Actor;
}

/**
 * Ends all sessions and links of the user except the new session. Undefined when the requesting session has ended, perhaps
 * because someone else has set a password meanwhile, or when the account is gone or closed. A password set by a file would
 * come back with the file, so nobody may be led to believe that it has changed.
 */
export const changePassword = refusable(
  singleWriteVerb(
    'portal.changePassword',
    async (transaction, input: NewPassword): Promise<Account | 'managed' | undefined> => {
      const { passwordHash, session, asking, by } = input;
      const { userId } = session;
      const before = await findAccount(transaction, { id: userId }, { isLocked: true });
      if (before === undefined || !isActive(before)) return undefined;
      if (!(await goesOn(transaction, before, asking))) return undefined;
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
  const { provider, confirmedAt, factorAt } = session;
  const row = storedSession.row({ ...session, provider, confirmedAt, factorAt });
  await transaction.insert('sessions', storedSession.columns, [row]);
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
    readonly details?: AuditDetails | undefined;
  },
): Promise<void> {
  return recordAct(transaction, { companyId: company.id, ...entry });
}

/** A network that has not been used for longer than this counts as new. */
export const networkKeptMs = 90 * dayMs;

/** Sessions that ended by age, links that were never opened, and networks not used for a long time. */
export const agedSessions: readonly AgedRows[] = [
  { table: 'login_links', key: 'user_id', time: 'expires_at', keptMs: 0 },
  { table: 'sessions', key: 'digest', time: 'created_at', keptMs: maxAgeMs },
  { table: 'sign_in_networks', key: 'user_id, network', time: 'seen_at', keptMs: networkKeptMs },
  // Clocks of nodes may differ.
  { table: 'used_challenges', key: 'digest', time: 'expires_at', keptMs: hourMs },
];

/** Maximum number of networks per user; with one more, the least recently used is forgotten. */
export const maxNetworks = 50;
/**
 * Maximum number of sign-in e-mails per user and UTC day, however many networks someone with the password signs in
 * from.
 */
export const maxSignInMails = 10;

/**
 * True when an e-mail was queued, which has to be announced after the commit. A user's first sign-in queues no e-mail.
 */
async function noteSignIn(
  transaction: Transaction,
  { user, company }: Account,
  session: Pick<Session, 'id' | 'usedAt' | 'browser' | 'byLink'>,
  { address, mailDomain }: SignInPlace,
): Promise<boolean> {
  const now = session.usedAt;
  const before = await lockMails(transaction, user.id);
  const isNew = await keepNetwork(transaction, user.id, wideNetworkOf(address), now);
  const today = Math.floor(now / dayMs);
  // Another node's clock may already have reached tomorrow; that node's count for tomorrow then goes on.
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
      timeZone: company.timeZone,
      username: user.username,
      email: user.email,
      isLast: mails + 1 === maxSignInMails,
    },
    mailDomain,
  );
  await queueMails(transaction, [mail], now);
  return true;
}

/** Whether the network has not been used for as long as networks are kept. */
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

/** The day of a user who has not signed in before; this value is never committed. */
const noDay = -1;

/** Of two concurrent sign-ins of a user, the second waits here for the first, but for nothing else that the user does. */
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
