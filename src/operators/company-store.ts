/** Companies as operators see them: all of them, each with what it has used and sent. */
import { type Account, accountsOf } from '../accounts/account.ts';
import { storedCompany } from '../accounts/company-records.ts';
import { lastSignIns } from '../portal/session.ts';
import { NameOrder, type NamePlace } from '../storage/name-order.ts';
import { literal, raw, type Sql, sql } from '../storage/sql.ts';
import { readVerb } from '../storage/verb.ts';

/** Users of a company, and its messages of the day, are counted up to this many. */
export const maxCounted = 1_000;

interface Counts {
  /** SMS parts. */
  readonly quotaUsed: number;
  readonly users: number;
  readonly sentToday: number;
}

export type SeenCompany = Omit<Kept, 'id'> & Counts & { readonly id: number };
type Kept = ReturnType<typeof storedCompany.read>;

interface CountRow {
  readonly quota_used: number;
  readonly users: number;
  readonly sent_today: number;
}

/** `since` is the beginning of the day. */
function companies(condition: Sql, since: number): Sql {
  const bound = literal(maxCounted + 1);
  return sql`
    SELECT ${raw(storedCompany.names('companies', 'company_'))}, quota_used,
      (SELECT COUNT(*) FROM (SELECT 1 FROM users WHERE company_id = companies.id LIMIT ${bound}) AS members) AS users,
      (SELECT COUNT(*) FROM (SELECT 1 FROM message_log
         WHERE company_id = companies.id AND created_at >= ${since} LIMIT ${bound}) AS latest) AS sent_today
    FROM companies WHERE ${condition}`;
}

function toCompany(row: CountRow): SeenCompany {
  const company = storedCompany.read(row, 'company_') as Omit<SeenCompany, keyof Counts>;
  return Object.assign(company, {
    quotaUsed: row.quota_used,
    users: row.users,
    sentToday: row.sent_today,
  });
}

interface CompanyPage {
  readonly from: NamePlace;
  readonly limit: number;
  readonly since: number;
}

const byName = new NameOrder('name');

/** Sorted by name. */
export const listCompanies = readVerb(
  'operators.listCompanies',
  async (reading, { from, limit, since }: CompanyPage): Promise<readonly SeenCompany[]> => {
    const rows = await reading.all<CountRow>(
      sql`${companies(sql`1 = 1 ${byName.behind(from)}`, since)} ORDER BY ${byName.by(from)} LIMIT ${limit + 1}`,
    );
    return rows.map(toCompany);
  },
);

export const findCompany = readVerb(
  'operators.findCompany',
  async (reading, { id, since }: { readonly id: number; readonly since: number }) => {
    const row = await reading.first<CountRow>(companies(sql`id = ${id}`, since));
    return row && toCompany(row);
  },
);

interface UsersPage {
  readonly companyId: number;
  readonly from: NamePlace;
  readonly limit: number;
}

export interface SeenUser {
  readonly user: Account['user'];
  readonly lastSignIn: number | undefined;
}

/** Sorted by name; one more than the page has shows that there are more. */
export const listUsersOfCompany = readVerb(
  'operators.listUsers',
  async (reading, { limit, ...page }: UsersPage): Promise<readonly SeenUser[]> => {
    const accounts = await accountsOf(reading, { ...page, q: '', limit: limit + 1 });
    const last = await lastSignIns(
      reading,
      accounts.map(({ user }) => user.id),
    );
    return accounts.map(({ user }) => ({ user, lastSignIn: last.get(user.id) }));
  },
);
