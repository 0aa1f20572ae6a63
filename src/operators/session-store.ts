/**
 * All SQL of operators' sessions. No node holds them in memory: operators are few, so each of their calls reads the session
 * with the operator, and what has ended is refused at once everywhere.
 */
import { passwordMarkOf } from '../accounts/caller.ts';
import { readOperator, writePasswordHash } from '../accounts/logins.ts';
import { passwordIsManaged } from '../accounts/set-keys.ts';
import type { AuditDetails } from '../audit/audit-details.ts';
import { type Act, noCompany, recordAct } from '../audit/audit-log.ts';
import { type FactorRefusal, type Proved, proofWords } from '../portal/factor-records.ts';
import { type EndedSessions, maxAgeMs, maxIdleMs, maxSessions } from '../portal/session.ts';
import type { AgedRows } from '../storage/retention.ts';
import { literal, oneOf, sql } from '../storage/sql.ts';
import { bigint, type Kept, optional, StoredRecord, text } from '../storage/stored-record.ts';
import { type Reading, readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { byOperator, type Operator, operatorOf, tablesOfOperators } from './operator.ts';

const storedSession = new StoredRecord({
  /** SHA-256 of the session's token, which only the browser has. */
  digest: text,
  /** Lets the operator distinguish the session from others. */
  id: text,
  username: text,
  createdAt: bigint,
  /** Updated at most once a minute. */
  usedAt: bigint,
  network: text,
  browser: text,
  /** The mark of the password that the session was begun with. */
  passwordMark: text,
  /** When a second factor was last given in the session. */
  factorAt: optional(bigint),
});

export type OperatorSession = Kept<typeof storedSession>;

interface Asked {
  readonly digest: string;
  readonly now: number;
}

export interface AdmittedOperator {
  readonly operator: Operator;
  readonly usedAt: number;
}

/** Undefined when there is no such session, or it has ended. */
export const admitOperator = readVerb(
  'operators.admit',
  async (reading, { digest, now }: Asked): Promise<AdmittedOperator | undefined> => {
    const session = await aliveSession(reading, digest, now);
    const record = session && (await readOperator(reading, session.username));
    if (session === undefined || record === undefined) return undefined;
    const operator = { ...operatorOf(record, digest), factorAt: session.factorAt };
    if (operator.passwordMark !== session.passwordMark) return undefined;
    return { operator, usedAt: session.usedAt };
  },
);

/** Whether a provisioning file sets the operator's password. */
export const operatorPasswordIsManaged = readVerb(
  'operators.passwordIsManaged',
  (reading, username: string) => passwordIsManaged(reading, username, 'operators'),
);

export function aliveSession(
  reading: Reading,
  digest: string,
  now: number,
): Promise<OperatorSession | undefined> {
  return storedSession.first(reading)`
    FROM operator_sessions
    WHERE digest = ${digest} AND used_at > ${now - maxIdleMs} AND created_at > ${now - maxAgeMs}`;
}

interface Beginning extends Proved {
  readonly session: OperatorSession;
  /** The digest of the session that the new one goes on from, which may have ended meanwhile. */
  readonly from?: string | undefined;
}

/**
 * `ended` when the operator is gone, or has got another password meanwhile; undefined when the session has begun. A session
 * that goes on from another has the factor that was given in that one.
 */
export const beginOperatorSession = refusable(
  singleWriteVerb(
    'operators.beginSession',
    async (
      transaction,
      { session, from, ...proved }: Beginning,
    ): Promise<FactorRefusal | 'ended' | undefined> => {
      const { username, createdAt: now, id, factorAt } = session;
      const record = await readOperator(transaction, username, { isKept: true });
      if (record === undefined || passwordMarkOf(record.passwordHash) !== session.passwordMark)
        return 'ended';
      if (from !== undefined && (await aliveSession(transaction, from, now))?.username !== username)
        return 'ended';
      const isGiven = factorAt !== undefined;
      const refusal = await tablesOfOperators.refusalOf(transaction, username, { ...proved, isGiven, now });
      if (refusal !== undefined) return refusal;
      await keep(transaction, session);
      const details = proved.proof && proofWords[proved.proof.kind];
      await noteOwnAct(transaction, { username, act: 'session.begin', at: now, object: id, details });
      return undefined;
    },
  ),
);

/** Other nodes update it too, so an earlier time changes nothing. */
export const touchOperatorSession = singleWriteVerb(
  'operators.touchSession',
  async (transaction, { digest, now }: Asked) =>
    transaction.run(
      sql`UPDATE operator_sessions SET used_at = ${now} WHERE digest = ${digest} AND used_at < ${now}`,
    ),
);

interface Own {
  readonly username: string;
  readonly passwordMark: string;
  readonly now: number;
}

/** Sessions with which the operator can go on, most recently used first. */
export const listOperatorSessions = readVerb('operators.listSessions', (reading, own: Own) =>
  openSessions(reading, own),
);

function openSessions(reading: Reading, { username, passwordMark, now }: Own) {
  return storedSession.all(reading)`
    FROM operator_sessions
    WHERE username = ${username} AND password_mark = ${passwordMark}
      AND used_at > ${now - maxIdleMs} AND created_at > ${now - maxAgeMs}
    ORDER BY used_at DESC LIMIT ${literal(maxSessions)}`;
}

interface Ending extends Own {
  readonly which: EndedSessions;
}

/** Returns how many were ended. */
export const endOperatorSessions = singleWriteVerb(
  'operators.endSessions',
  async (transaction, { which, ...own }: Ending) => {
    const { username, now: at } = own;
    // Sessions that go on from one of these have begun, or will not begin.
    await readOperator(transaction, username, { isKept: true });
    const ending = (await openSessions(transaction, own)).filter(({ id, digest }) => {
      if ('id' in which) return id === which.id;
      return 'digest' in which ? digest === which.digest : digest !== which.allBut;
    });
    if (ending.length === 0) return 0;
    await remove(transaction, ending);
    const object = ending.map(({ id }) => id).join(', ');
    await noteOwnAct(transaction, { username, act: 'session.end', at, object });
    return ending.length;
  },
);

interface NewPassword {
  readonly passwordHash: string;
  /** Replaces all existing sessions. */
  readonly session: Omit<OperatorSession, 'passwordMark' | 'factorAt'>;
  /** The digest of the session that makes the request. */
  readonly asking: string;
  /** The mark of the password that was given as the current one. */
  readonly currentMark: string;
}

/** False when the requesting session has ended, or somebody has set another password meanwhile. */
export const changeOperatorPassword = refusable(
  singleWriteVerb(
    'operators.changePassword',
    async (
      transaction,
      { passwordHash, session, asking, currentMark }: NewPassword,
    ): Promise<boolean | 'managed'> => {
      const { username, createdAt: at } = session;
      const record = await readOperator(transaction, username, { isKept: true });
      if (record === undefined || passwordMarkOf(record.passwordHash) !== currentMark) return false;
      const own = await aliveSession(transaction, asking, at);
      if (own?.username !== username) return false;
      if (await passwordIsManaged(transaction, username, 'operators')) return 'managed';
      await writePasswordHash(transaction, { kind: 'operator', username }, passwordHash);
      await transaction.run(sql`DELETE FROM operator_sessions WHERE username = ${username}`);
      const { factorAt } = own;
      await keep(transaction, { ...session, factorAt, passwordMark: passwordMarkOf(passwordHash) });
      await noteOwnAct(transaction, { username, act: 'password.set', at, object: `operator ${username}` });
      return true;
    },
  ),
);

async function keep(transaction: Transaction, session: OperatorSession): Promise<void> {
  await transaction.insert('operator_sessions', storedSession.columns, [storedSession.row(session)]);
  const surplus = await transaction.all<{ digest: string }>(
    sql`SELECT digest FROM operator_sessions WHERE username = ${session.username}
        ORDER BY used_at DESC LIMIT 10 OFFSET ${literal(maxSessions)}`,
  );
  if (surplus.length > 0) await remove(transaction, surplus);
}

async function remove(
  transaction: Transaction,
  sessions: readonly { readonly digest: string }[],
): Promise<void> {
  const digests = sessions.map(({ digest }) => digest);
  await transaction.run(sql`DELETE FROM operator_sessions WHERE digest ${oneOf('text', digests)}`);
}

interface OwnAct {
  readonly username: string;
  readonly act: Act;
  readonly at: number;
  readonly object: string;
  readonly details?: AuditDetails | undefined;
}

export function noteOwnAct(transaction: Transaction, { username, ...entry }: OwnAct): Promise<void> {
  return recordAct(transaction, { companyId: noCompany, by: byOperator({ username }), ...entry });
}

/** Sessions that ended by age. */
export const agedOperatorSessions: AgedRows = {
  table: 'operator_sessions',
  key: 'digest',
  time: 'created_at',
  keptMs: maxAgeMs,
};
