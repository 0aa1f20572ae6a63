/** The verbs of the store for second factors: how users add and remove their own, and how others remove those of a user. */
import { type Account, findAccount, isActive, mustHaveFactor } from '../accounts/account.ts';
import { callerOf } from '../accounts/caller.ts';
import type { Actor } from '../audit/audit-log.ts';
import type { FactorEvent } from '../email/outgoing/words.ts';
import { raiseNews } from '../storage/news.ts';
import { literal, sql } from '../storage/sql.ts';
import { type Reading, readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { maxPasskeys, neededFor, recoveryCodeCount, type UsedChallenge } from './factor.ts';
import {
  changed,
  type FactorsChanged,
  hasFactors,
  type Passkey,
  resetFactors,
  storedPasskey,
  storedTotp,
  useChallenge,
  writeCodes,
} from './factor-records.ts';
import { stillStands } from './session.ts';
import { storedSession } from './session-store.ts';

const totpOf = (reading: Reading, userId: number) =>
  storedTotp.first(reading)`FROM totp_secrets WHERE user_id = ${userId}`;

const passkeysOf = (reading: Reading, userId: number) =>
  storedPasskey.all(reading)`
    FROM passkeys WHERE user_id = ${userId} ORDER BY created_at, id LIMIT ${literal(maxPasskeys)}`;

export const readFactors = readVerb('portal.readFactors', async (reading, userId: number) => ({
  totp: await totpOf(reading, userId),
  passkeys: await passkeysOf(reading, userId),
  recoveryDigests: await codesOf(reading, userId),
}));

async function codesOf(reading: Reading, userId: number): Promise<readonly string[]> {
  const rows = await reading.all<{ digest: string }>(
    sql`SELECT digest FROM recovery_codes WHERE user_id = ${userId} LIMIT ${literal(recoveryCodeCount)}`,
  );
  return rows.map(({ digest }) => digest);
}

/** A change that a user makes to their own factors. */
interface OwnChange {
  readonly userId: number;
  /** The digest of the session that makes the call. */
  readonly asking: string;
  readonly by: Actor;
  readonly now: number;
  /** The domain that mail is sent from; undefined when no mail is sent. */
  readonly mailDomain: string | undefined;
}

export type ChangeRefusal =
  | { readonly refused: 'ended' | 'taken' | 'full' | 'missing' | 'required' }
  | { readonly refused: 'needed'; readonly needed: 'password' | 'factor' };

interface Adding extends OwnChange {
  readonly challenge: UsedChallenge;
  /** Of new recovery codes, which are kept only if the user had no factor before. */
  readonly recoveryDigests: readonly string[];
}

interface NewTotp extends Adding {
  readonly secret: string;
  /** Of the code that was given, which can't be used again. */
  readonly step: number;
}

/** Says whether the recovery codes were kept. */
export const addTotp = refusable(
  singleWriteVerb('portal.addTotp', (transaction, { secret, step, ...adding }: NewTotp) =>
    add(transaction, adding, 'codes', async () => {
      const { userId, now } = adding;
      if ((await totpOf(transaction, userId)) !== undefined) return 'taken';
      const row = { userId, secret, usedStep: step, createdAt: now, usedAt: now };
      await transaction.insert('totp_secrets', storedTotp.columns, [storedTotp.row(row)]);
      return undefined;
    }),
  ),
);

interface NewPasskey extends Adding {
  readonly passkey: Omit<Passkey, 'userId' | 'createdAt' | 'usedAt'>;
}

export const addPasskey = refusable(
  singleWriteVerb('portal.addPasskey', (transaction, { passkey, ...adding }: NewPasskey) =>
    add(transaction, adding, 'passkey', async () => {
      const { userId, now } = adding;
      if ((await passkeysOf(transaction, userId)).length === maxPasskeys) return 'full';
      const known = await transaction.first(sql`SELECT id FROM passkeys WHERE id = ${passkey.id}`);
      if (known !== undefined) return 'taken';
      const row = { ...passkey, userId, createdAt: now, usedAt: undefined };
      await transaction.insert('passkeys', storedPasskey.columns, [storedPasskey.row(row)]);
      return undefined;
    }),
  ),
);

async function add(
  transaction: Transaction,
  adding: Adding,
  event: FactorEvent,
  insert: () => Promise<'taken' | 'full' | undefined>,
): Promise<(FactorsChanged & { readonly isFirst: boolean }) | ChangeRefusal> {
  const { userId, asking, now, recoveryDigests, challenge } = adding;
  const own = await changeable(transaction, adding);
  if ('refused' in own) return own;
  if (!(await useChallenge(transaction, challenge))) return { refused: 'ended' };
  const refused = await insert();
  if (refused !== undefined) return { refused };
  const isFirst = !own.hasFactors;
  if (isFirst) {
    await writeCodes(transaction, userId, recoveryDigests);
    // The other sessions were begun with a password or a link alone.
    await transaction.run(sql`DELETE FROM sessions WHERE user_id = ${userId} AND digest <> ${asking}`);
  }
  await transaction.run(sql`UPDATE sessions SET factor_at = ${now} WHERE digest = ${asking}`);
  await raiseNews(transaction, 'sessions');
  return { ...(await changed(transaction, own.account, adding, 'factor.add', event)), isFirst };
}

/** The account, with its user locked, if the session that asks may change the factors of its user. */
async function changeable(
  transaction: Transaction,
  { userId, asking, now }: OwnChange,
): Promise<{ readonly account: Account; readonly hasFactors: boolean } | ChangeRefusal> {
  const account = await findAccount(transaction, { id: userId }, { isLocked: true });
  const session = await storedSession.first(transaction)`
    FROM sessions WHERE digest = ${asking} AND user_id = ${userId}`;
  if (account === undefined || !isActive(account) || session === undefined) return { refused: 'ended' };
  if (!stillStands(session.standing, callerOf(account))) return { refused: 'ended' };
  const has = await hasFactors(transaction, userId);
  const needed = neededFor(session, has, now);
  return needed === undefined ? { account, hasFactors: has } : { refused: 'needed', needed };
}

interface Replacing extends OwnChange {
  readonly recoveryDigests: readonly string[];
}

/** The codes that the user had no longer work. */
export const replaceCodes = refusable(
  singleWriteVerb('portal.replaceRecoveryCodes', async (transaction, replacing: Replacing) => {
    const own = await changeable(transaction, replacing);
    if ('refused' in own) return own;
    if (!own.hasFactors) return { refused: 'missing' } as const;
    await writeCodes(transaction, replacing.userId, replacing.recoveryDigests);
    return changed(transaction, own.account, replacing, 'factor.codes', 'recoveryCodes');
  }),
);

interface Removing extends OwnChange {
  /** A passkey's id; undefined for codes of an app. */
  readonly passkey: string | undefined;
}

export const removeFactor = refusable(
  singleWriteVerb('portal.removeFactor', async (transaction, removing: Removing) => {
    const { userId, passkey } = removing;
    const own = await changeable(transaction, removing);
    if ('refused' in own) return own;
    const totp = await totpOf(transaction, userId);
    const passkeys = await passkeysOf(transaction, userId);
    const isKnown = passkey === undefined ? totp !== undefined : passkeys.some(({ id }) => id === passkey);
    if (!isKnown) return { refused: 'missing' } as const;
    const isLast = passkeys.length + (totp === undefined ? 0 : 1) === 1;
    if (isLast && mustHaveFactor(own.account)) return { refused: 'required' } as const;
    await transaction.run(
      passkey === undefined
        ? sql`DELETE FROM totp_secrets WHERE user_id = ${userId}`
        : sql`DELETE FROM passkeys WHERE id = ${passkey} AND user_id = ${userId}`,
    );
    if (isLast) await writeCodes(transaction, userId, []);
    const event = passkey === undefined ? 'codesRemoved' : 'passkeyRemoved';
    return changed(transaction, own.account, removing, 'factor.remove', event);
  }),
);

/** An operator's command. Null when there is no such user, and false when the user has no second factor. */
export const resetFactorsOfUser = singleWriteVerb(
  'portal.resetFactors',
  async (
    transaction,
    { username, ...change }: Pick<OwnChange, 'by' | 'now' | 'mailDomain'> & { readonly username: string },
  ) => {
    const account = await findAccount(transaction, { username }, { isLocked: true });
    return account === undefined ? null : (await resetFactors(transaction, account, change)) !== undefined;
  },
);
