/** All SQL of what an operator does with logins: users in a list, and passwords of users and operators. */
import { raiseNews } from '../storage/news.ts';
import { sql } from '../storage/sql.ts';
import { readVerb, singleWriteVerb } from '../storage/verb.ts';
import { isRole, type Role } from './role.ts';

export interface ListedUser {
  readonly id: number;
  readonly username: string;
  readonly company: string;
  readonly roles: readonly Role[];
  readonly active: boolean;
  readonly companyActive: boolean;
  readonly hasPassword: boolean;
}

interface UserPage {
  /** The user name that the page before ended with; the empty string is before all. */
  readonly after: string;
  readonly limit: number;
}

interface ListedRow {
  readonly id: number;
  readonly username: string;
  readonly company: string;
  readonly roles: string;
  readonly active: number;
  readonly company_active: number;
  readonly has_password: number;
}

/** By name. */
export const listUsers = readVerb(
  'accounts.listUsers',
  async (reading, { after, limit }: UserPage): Promise<readonly ListedUser[]> => {
    const rows = await reading.all<ListedRow>(sql`
      SELECT users.id, users.username, companies.name AS company, users.roles, users.active,
             companies.active AS company_active,
             CASE WHEN users.password_hash IS NULL THEN 0 ELSE 1 END AS has_password
      FROM users JOIN companies ON companies.id = users.company_id
      WHERE users.username > ${after} ORDER BY users.username LIMIT ${limit}`);
    return rows.map(({ roles, active, company_active, has_password, ...row }) => ({
      ...row,
      roles: (JSON.parse(roles) as unknown[]).filter(isRole),
      active: active === 1,
      companyActive: company_active === 1,
      hasPassword: has_password === 1,
    }));
  },
);

export const listOperators = readVerb(
  'accounts.listOperators',
  async (reading, { after, limit }: UserPage): Promise<readonly { readonly username: string }[]> =>
    reading.all<{ username: string }>(sql`
      SELECT username FROM operators WHERE username > ${after} ORDER BY username LIMIT ${limit}`),
);

export const hasLogin = readVerb(
  'accounts.hasLogin',
  async (reading, { kind, username }: { readonly kind: 'user' | 'operator'; readonly username: string }) => {
    const found = await reading.first(
      kind === 'user'
        ? sql`SELECT username FROM users WHERE username = ${username}`
        : sql`SELECT username FROM operators WHERE username = ${username}`,
    );
    return found !== undefined;
  },
);

export interface NewPassword {
  readonly username: string;
  readonly passwordHash: string;
}

/** False: there is no such user. Where the old password is remembered, it is forgotten with the news. */
export const setUserPassword = singleWriteVerb(
  'accounts.setUserPassword',
  async (transaction, { username, passwordHash }: NewPassword) => {
    const changed = await transaction.run(
      sql`UPDATE users SET password_hash = ${passwordHash} WHERE username = ${username}`,
    );
    if (changed === 1) await raiseNews(transaction, 'accounts');
    return changed === 1;
  },
);

/** False: there is no such operator. */
export const setOperatorPassword = singleWriteVerb(
  'accounts.setOperatorPassword',
  async (transaction, { username, passwordHash }: NewPassword) => {
    const changed = await transaction.run(
      sql`UPDATE operators SET password_hash = ${passwordHash} WHERE username = ${username}`,
    );
    if (changed === 1) await raiseNews(transaction, 'accounts');
    return changed === 1;
  },
);
