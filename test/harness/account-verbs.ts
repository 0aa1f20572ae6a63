/** Verbs that put accounts into a store, for tests of rooms that do not use provisioning. */

import { type IdentityProvider, providerRecords } from '../../src/accounts/identity-providers.ts';
import { writeSmppLogins } from '../../src/accounts/smpp-logins.ts';
import type { SendHours } from '../../src/batches/hours/send-hours.ts';
import type { NumberHolder } from '../../src/messages/incoming/store.ts';
import { raiseNews } from '../../src/storage/news.ts';
import { sql } from '../../src/storage/sql.ts';
import { singleWriteVerb } from '../../src/storage/verb.ts';

export interface TestCompany {
  readonly id: number;
  readonly name: string;
  readonly active?: boolean;
  readonly quotaParts?: number;
  readonly defaultSender?: string;
  readonly sendHours?: SendHours;
  readonly timeZone?: string;
}

export interface TestUser {
  readonly id: number;
  readonly companyId: number;
  readonly username: string;
  readonly passwordHash?: string;
  readonly roles?: readonly string[];
  readonly active?: boolean;
  readonly quotaParts?: number;
  readonly defaultSender?: string;
  readonly senders?: readonly string[];
  readonly replaceCharacters?: boolean;
  readonly maxBatch?: number;
}

export const putCompany = singleWriteVerb('test.putCompany', async (transaction, company: TestCompany) => {
  await transaction.run(sql`
    INSERT INTO companies (id, name, active, quota_parts, default_sender, send_hours, time_zone)
    VALUES (${company.id}, ${company.name}, ${flag(company.active ?? true)}, ${company.quotaParts ?? null},
      ${company.defaultSender ?? null}, ${company.sendHours === undefined ? null : JSON.stringify(company.sendHours)},
      ${company.timeZone ?? null})
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, active = excluded.active,
      quota_parts = excluded.quota_parts, default_sender = excluded.default_sender,
      send_hours = excluded.send_hours, time_zone = excluded.time_zone`);
  await raiseNews(transaction, 'accounts');
});

export const putUser = singleWriteVerb('test.putUser', async (transaction, user: TestUser) => {
  await transaction.run(sql`
    INSERT INTO users (id, company_id, username, password_hash, roles, active, quota_parts, default_sender, senders,
      replace_characters, max_batch)
    VALUES (${user.id}, ${user.companyId}, ${user.username}, ${user.passwordHash ?? null},
      ${JSON.stringify(user.roles ?? [])}, ${flag(user.active ?? true)}, ${user.quotaParts ?? null},
      ${user.defaultSender ?? null}, ${user.senders === undefined ? null : JSON.stringify(user.senders)},
      ${flag(user.replaceCharacters ?? false)}, ${user.maxBatch ?? null})
    ON CONFLICT (id) DO UPDATE SET company_id = excluded.company_id, username = excluded.username,
      password_hash = excluded.password_hash, roles = excluded.roles, active = excluded.active,
      quota_parts = excluded.quota_parts, default_sender = excluded.default_sender, senders = excluded.senders,
      replace_characters = excluded.replace_characters, max_batch = excluded.max_batch`);
  await raiseNews(transaction, 'accounts');
});

export const putProvider = singleWriteVerb('test.putProvider', (transaction, provider: IdentityProvider) =>
  providerRecords.put(transaction, [provider]),
);

export const removeCompany = singleWriteVerb('test.removeCompany', async (transaction, companyId: number) => {
  await transaction.run(sql`DELETE FROM users WHERE company_id = ${companyId}`);
  await transaction.run(sql`DELETE FROM companies WHERE id = ${companyId}`);
  await raiseNews(transaction, 'accounts');
});

export const removeUser = singleWriteVerb('test.removeUser', async (transaction, userId: number) => {
  await transaction.run(sql`DELETE FROM users WHERE id = ${userId}`);
  await raiseNews(transaction, 'accounts');
});

/** Assigns the number to the user. */
export const putNumber = singleWriteVerb(
  'test.putNumber',
  async (transaction, { number, userId }: { readonly number: string; readonly userId: number }) => {
    await transaction.run(sql`INSERT INTO numbers (number, rented_by) VALUES (${number}, ${userId})`);
  },
);

/** Reassigns the number to another user or to a company's pool. */
export const moveNumber = singleWriteVerb(
  'test.moveNumber',
  async (transaction, { number, renterId, companyId }: NumberHolder & { readonly number: string }) => {
    const pool = flag(renterId === null);
    await transaction.run(
      sql`UPDATE numbers SET rented_by = ${renterId}, company_id = ${companyId}, pool = ${pool} WHERE number = ${number}`,
    );
  },
);

function flag(value: boolean): number {
  return value ? 1 : 0;
}

/** A login with a password that nothing matches. */
export const putSmppLogin = singleWriteVerb(
  'test.putSmppLogin',
  async (
    transaction,
    {
      username,
      binds = 2,
      throughput = 0,
      passwordHash = '',
    }: {
      readonly username: string;
      readonly binds?: number;
      readonly throughput?: number;
      readonly passwordHash?: string;
    },
  ) => {
    const limits = { binds, window: 10, throughput, networks: undefined };
    const smpp = { systemId: username, passwordHash, ...limits };
    await writeSmppLogins(transaction, [{ username, smpp }]);
    return null;
  },
);
