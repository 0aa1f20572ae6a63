/** All SQL of sessions and of the links that begin one. Where a session may be held in memory, news tell that it has ended. */
import { type Account, findAccount, isActive } from '../accounts/account.ts';
import { writePasswordHash } from '../accounts/administer-users.ts';
import { callerOf } from '../accounts/caller.ts';
import { passwordIsManaged } from '../accounts/set-keys.ts';
import { type Act, type Actor, recordAct } from '../audit/audit-log.ts';
import { raiseNews } from '../storage/news.ts';
import { amongUnlocked, oneOf, raw, sql } from '../storage/sql.ts';
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
import { noteSignIn, purgeNetworks, type SignInPlace } from './sign-in-records.ts';

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

const columns = raw(storedSession.names());

export interface FoundSession {
  readonly session: Session;
  readonly account: Account;
}

/** Whether it is alive, and its account active and of its standing, is for the reader to judge. */
export const findSession = readVerb(
  'portal.findSession',
  async (reading, digest: string): Promise<FoundSession | undefined> => {
    const row = await reading.first<object>(sql`SELECT ${columns} FROM sessions WHERE digest = ${digest}`);
    if (row === undefined) return undefined;
    const session = storedSession.read(row);
    const account = await findAccount(reading, { id: session.userId });
    return account && { session, account };
  },
);

export interface Beginning extends SignInPlace {
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

export interface ByLink extends SignInPlace {
  readonly linkDigest: string;
  readonly session: Omit<Session, 'userId' | 'standing'>;
}

/** The link is used up. Undefined: it was before, or it is too old. */
export const beginByLink = refusable(
  singleWriteVerb(
    'portal.beginByLink',
    async (transaction, { linkDigest, session, ...place }: ByLink): Promise<BegunSession | undefined> => {
      const link = await linkOf(transaction, linkDigest, session.createdAt);
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

async function linkOf(reading: Reading, digest: string, now: number) {
  const row = await reading.first<{ user_id: number; standing: string }>(
    sql`SELECT user_id, standing FROM login_links WHERE digest = ${digest} AND expires_at > ${now}`,
  );
  const account = row && (await findAccount(reading, { id: row.user_id }));
  return row && account && { account, standing: row.standing };
}

export interface NewLink {
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
  async (reading, { userId, now }: { readonly userId: number; readonly now: number }) => {
    const rows = await reading.all<object>(
      sql`SELECT ${columns} FROM sessions
          WHERE user_id = ${userId} AND used_at > ${now - maxIdleMs} AND created_at > ${now - maxAgeMs}
          ORDER BY used_at DESC LIMIT ${raw(String(maxSessions))}`,
    );
    return rows.map((row) => storedSession.read(row));
  },
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

export interface NewPassword {
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
      await remove(
        transaction,
        await transaction.all(sql`SELECT digest FROM sessions WHERE user_id = ${userId}`),
      );
      await transaction.run(sql`DELETE FROM login_links WHERE user_id = ${userId}`);
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

const purgedAtOnce = 1_000;

/** What has ended by its age, links that were never opened, and networks that nobody came from for long. */
export const purgeSessions = singleWriteVerb(
  'portal.purgeSessions',
  async (transaction, { now }: { readonly now: number }) => {
    await transaction.run(sql`DELETE FROM login_links WHERE expires_at < ${now}`);
    const old = sql`sessions WHERE created_at < ${now - maxAgeMs} ORDER BY created_at LIMIT ${purgedAtOnce}`;
    const sessions = await transaction.run(sql`DELETE FROM sessions WHERE ${amongUnlocked('digest', old)}`);
    return sessions + (await purgeNetworks(transaction, now, purgedAtOnce));
  },
  () => 2 * purgedAtOnce,
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
