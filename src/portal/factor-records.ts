/** The rows of second factors, as sign-ins and changes of factors read and use them up in their own transactions. */
import type { Account } from '../accounts/account.ts';
import { type Act, type Actor, recordAct } from '../audit/audit-log.ts';
import { factorMail } from '../email/outgoing/factor-mail.ts';
import { queueMails } from '../email/outgoing/outgoing-mail.ts';
import type { FactorEvent } from '../email/outgoing/words.ts';
import { raiseNews } from '../storage/news.ts';
import { type Fragment, literal, raw, type Sql, sql } from '../storage/sql.ts';
import type { ColumnType } from '../storage/storable.ts';
import { bigint, json, type Kept, optional, StoredRecord, text } from '../storage/stored-record.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { type FactorProof, maxPasskeys, recoveryCodeCount, type UsedChallenge } from './factor.ts';

const storedTotp = new StoredRecord({
  /** Sealed. */
  secret: text,
  /** The time step of the last code that was taken. */
  usedStep: bigint,
  createdAt: bigint,
  usedAt: bigint,
});

const storedPasskey = new StoredRecord({
  /** The credential's id, Base64url like the public key. */
  id: text,
  name: text,
  publicKey: text,
  counter: bigint,
  transports: json<readonly string[]>(),
  createdAt: bigint,
  usedAt: optional(bigint),
});

type Totp = Kept<typeof storedTotp>;
export type Passkey = Kept<typeof storedPasskey>;

/** Whose factors they are: users are known by their ids, operators by their names. */
export type Owner = number | string;

/** What has been given besides a password or a link. */
export interface Proved {
  readonly proof?: FactorProof | undefined;
  /** What was signed when the password was right, which begins one session at most. */
  readonly challenge?: UsedChallenge | undefined;
}

export type FactorRefusal = 'factorNeeded' | 'factorUsed';

/** The tables of users' factors, or those of operators. */
export class FactorTables<Who extends Owner> {
  readonly #prefix: string;
  readonly #owner: readonly [column: string, type: ColumnType];
  readonly #totp: Fragment;
  readonly #passkeys: Fragment;
  readonly #codes: Fragment;

  constructor(prefix: '' | 'operator_', owner: readonly [column: string, type: ColumnType]) {
    this.#prefix = prefix;
    this.#owner = owner;
    this.#totp = raw(`${prefix}totp_secrets`);
    this.#passkeys = raw(`${prefix}passkeys`);
    this.#codes = raw(`${prefix}recovery_codes`);
  }

  #of(owner: Who): Sql {
    return sql`${raw(this.#owner[0])} = ${owner}`;
  }

  totpOf(reading: Reading, owner: Who): Promise<Totp | undefined> {
    return storedTotp.first(reading)`FROM ${this.#totp} WHERE ${this.#of(owner)}`;
  }

  passkeysOf(reading: Reading, owner: Who): Promise<readonly Passkey[]> {
    return storedPasskey.all(reading)`
      FROM ${this.#passkeys} WHERE ${this.#of(owner)} ORDER BY created_at, id LIMIT ${literal(maxPasskeys)}`;
  }

  async recoveryDigestsOf(reading: Reading, owner: Who): Promise<readonly string[]> {
    const rows = await reading.all<{ digest: string }>(
      sql`SELECT digest FROM ${this.#codes} WHERE ${this.#of(owner)} LIMIT ${literal(recoveryCodeCount)}`,
    );
    return rows.map(({ digest }) => digest);
  }

  /** Whether there is a second factor; recovery codes alone are none. */
  async has(reading: Reading, owner: Who): Promise<boolean> {
    const found = await reading.first(
      sql`SELECT 1 AS found FROM ${this.#totp} WHERE ${this.#of(owner)}
          UNION ALL SELECT 1 AS found FROM ${this.#passkeys} WHERE ${this.#of(owner)} LIMIT 1`,
    );
    return found !== undefined;
  }

  async addTotp(transaction: Transaction, owner: Who, totp: Totp): Promise<void> {
    await transaction.insert(`${this.#prefix}totp_secrets`, { ...this.#ownerColumn, ...storedTotp.columns }, [
      [owner, ...storedTotp.row(totp)],
    ]);
  }

  /** False if the passkey is known already. */
  async addPasskey(transaction: Transaction, owner: Who, passkey: Passkey): Promise<boolean> {
    const known = await transaction.first(sql`SELECT id FROM ${this.#passkeys} WHERE id = ${passkey.id}`);
    if (known !== undefined) return false;
    await transaction.insert(`${this.#prefix}passkeys`, { ...this.#ownerColumn, ...storedPasskey.columns }, [
      [owner, ...storedPasskey.row(passkey)],
    ]);
    return true;
  }

  /** `passkey`: its id; undefined for codes of an app. */
  async remove(transaction: Transaction, owner: Who, passkey: string | undefined): Promise<void> {
    await transaction.run(
      passkey === undefined
        ? sql`DELETE FROM ${this.#totp} WHERE ${this.#of(owner)}`
        : sql`DELETE FROM ${this.#passkeys} WHERE id = ${passkey} AND ${this.#of(owner)}`,
    );
  }

  /** False if there was no factor. */
  async removeAll(transaction: Transaction, owner: Who): Promise<boolean> {
    if (!(await this.has(transaction, owner))) return false;
    await transaction.run(sql`DELETE FROM ${this.#totp} WHERE ${this.#of(owner)}`);
    await transaction.run(sql`DELETE FROM ${this.#passkeys} WHERE ${this.#of(owner)}`);
    await this.writeCodes(transaction, owner, []);
    return true;
  }

  /** Replaces all recovery codes. */
  async writeCodes(transaction: Transaction, owner: Who, digests: readonly string[]): Promise<void> {
    await transaction.run(sql`DELETE FROM ${this.#codes} WHERE ${this.#of(owner)}`);
    await transaction.insert(
      `${this.#prefix}recovery_codes`,
      { ...this.#ownerColumn, digest: 'text' },
      digests.map((digest) => [owner, digest]),
    );
  }

  get #ownerColumn() {
    const [column, type] = this.#owner;
    return { [column]: type };
  }

  /** Uses up what was given. `isGiven`: whether the new session goes on from one in which a factor was given. */
  async refusalOf(
    transaction: Transaction,
    owner: Who,
    { proof, challenge, isGiven, now }: Proved & { readonly isGiven: boolean; readonly now: number },
  ): Promise<FactorRefusal | undefined> {
    if (proof === undefined)
      return !isGiven && (await this.has(transaction, owner)) ? 'factorNeeded' : undefined;
    // First the challenge: a recovery code that begins no session is not used up.
    if (challenge !== undefined && !(await useChallenge(transaction, challenge))) return 'factorUsed';
    return (await this.#use(transaction, owner, proof, now)) ? undefined : 'factorUsed';
  }

  /** False when it has been used before, perhaps at the same time on another node, or when the factor has been removed. */
  async #use(transaction: Transaction, owner: Who, proof: FactorProof, now: number): Promise<boolean> {
    if (proof.kind === 'code') {
      const { step } = proof;
      const used = await transaction.run(
        sql`UPDATE ${this.#totp} SET used_step = ${step}, used_at = ${now} WHERE ${this.#of(owner)} AND used_step < ${step}`,
      );
      return used === 1;
    }
    if (proof.kind === 'recoveryCode') {
      const used = await transaction.run(
        sql`DELETE FROM ${this.#codes} WHERE ${this.#of(owner)} AND digest = ${proof.digest}`,
      );
      return used === 1;
    }
    const { id, counter, challenge } = proof;
    if (!(await useChallenge(transaction, challenge))) return false;
    // Some authenticators do not count and always say 0. A count that has not risen comes from a copy of a passkey.
    const used = await transaction.run(
      sql`UPDATE ${this.#passkeys} SET counter = ${counter}, used_at = ${now}
          WHERE id = ${id} AND ${this.#of(owner)} AND ${counter === 0 ? sql`counter = 0` : sql`counter < ${counter}`}`,
    );
    return used === 1;
  }
}

export const tablesOfUsers = new FactorTables<number>('', ['user_id', 'bigint']);

/** In the audit log. */
export const proofWords = {
  code: { sentence: 'with_code' },
  recoveryCode: { sentence: 'with_recovery_code' },
  passkey: { sentence: 'with_passkey' },
} as const;

export async function useChallenge(
  transaction: Transaction,
  { digest, expiresAt }: UsedChallenge,
): Promise<boolean> {
  const used = await transaction.run(
    sql`INSERT INTO used_challenges (digest, expires_at) VALUES (${digest}, ${expiresAt}) ON CONFLICT (digest) DO NOTHING`,
  );
  return used === 1;
}

interface FactorChange {
  readonly by: Actor;
  readonly now: number;
  /** The domain that mail is sent from; undefined when no mail is sent. */
  readonly mailDomain: string | undefined;
}

export interface FactorsChanged {
  /** Whether somebody is told by mail, which has to be announced. */
  readonly isNotified: boolean;
}

/** Records the change, and tells the user. */
export async function changed(
  transaction: Transaction,
  account: Account,
  { by, now, mailDomain }: FactorChange,
  act: Act,
  event: FactorEvent,
): Promise<FactorsChanged> {
  const { user, company } = account;
  await recordAct(transaction, {
    companyId: company.id,
    at: now,
    by,
    act,
    object: user.username,
    details: { sentence: 'factor_event', event },
  });
  if (mailDomain === undefined || user.email === undefined) return { isNotified: false };
  const { username, email } = user;
  const { id: companyId, name, language = 'en', timeZone } = company;
  const told = { event, at: now, userId: user.id, username, email, by: by.username };
  await queueMails(
    transaction,
    [factorMail({ ...told, companyId, company: name, language, timeZone }, mailDomain)],
    now,
  );
  return { isNotified: true };
}

/** Removes all factors of a user. The user's sessions end, since one may be on a phone that was lost. */
export async function resetFactors(
  transaction: Transaction,
  account: Account,
  change: FactorChange,
): Promise<FactorsChanged | undefined> {
  const { id } = account.user;
  if (!(await tablesOfUsers.removeAll(transaction, id))) return undefined;
  await transaction.run(sql`DELETE FROM sessions WHERE user_id = ${id}`);
  await raiseNews(transaction, 'sessions');
  return changed(transaction, account, change, 'factor.reset', 'reset');
}
