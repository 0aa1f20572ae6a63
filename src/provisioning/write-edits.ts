/** Writes edits in the order that links between the tables ask for, and tells the nodes what they no longer may believe. */
import type { Route } from '../routing/route.ts';
import { fromRoute, routeColumns } from '../routing/route-row.ts';
import { raiseNews } from '../storage/news.ts';
import { oneOf, raw, rowSet, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Transaction } from '../storage/verb.ts';
import { changed, created, fillIds, gone, wanted } from './edit-lists.ts';
import { writeEmailDefaults, writeEmailSenders } from './email-store.ts';
import { limitsColumns, limitsRow, setLimits } from './limits-row.ts';
import { retireIds } from './retired-ids.ts';
import { writeSenderRules } from './sender-rule-store.ts';
import type {
  CarrierState,
  CompanyState,
  Edit,
  Edits,
  NumberState,
  OperatorState,
  UserState,
} from './state.ts';
import { writeTemplates } from './template-store.ts';
import { removeBooks, writeBooks, writeReaders } from './write-address-books.ts';

export async function writeEdits(transaction: Transaction, edits: Edits): Promise<void> {
  // Users before companies, as everywhere where both are changed, so that no two transactions deadlock.
  await insertCompanies(transaction, created(edits.companies));
  await writeBooks(transaction, edits.addressBooks);
  await insertUsers(transaction, created(edits.users));
  await writeTemplates(transaction, edits.templates);
  await writeNumbers(transaction, edits.numbers);
  await remove(
    transaction,
    'users',
    'username',
    gone(edits.users, ({ username }) => username),
  );
  await retireIds(transaction, 'user', edits.users, ({ username }) => username);
  await updateUsers(transaction, changed(edits.users));
  await writeReaders(transaction, edits.users);
  await writeEmailDefaults(transaction, edits.emailDefaults);
  await writeEmailSenders(transaction, edits.emailSenders);
  await writeSenderRules(transaction, edits.senderRules);
  await removeBooks(transaction, edits.addressBooks);
  await updateCompanies(transaction, changed(edits.companies));
  await remove(
    transaction,
    'companies',
    'name',
    gone(edits.companies, ({ name }) => name),
  );
  await retireIds(transaction, 'company', edits.companies, ({ name }) => name);
  await writeOperators(transaction, edits.operators);
  await writeCarriers(transaction, edits.carriers);
  await writeRoutes(transaction, edits.routes);
  const { companies, users, numbers, operators, carriers, routes } = edits;
  const accountsChanged = [companies, users, numbers, operators].some((list) => list.length > 0);
  if (accountsChanged) await raiseNews(transaction, 'accounts');
  if (carriers.length > 0 || routes.length > 0) await raiseNews(transaction, 'carriers');
  if (edits.templates.length > 0) await raiseNews(transaction, 'templates');
}

async function remove(
  transaction: Transaction,
  table: string,
  key: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await transaction.run(sql`DELETE FROM ${raw(table)} WHERE ${raw(key)} ${oneOf('text', keys)}`);
}

const companyColumns = {
  id: 'bigint',
  name: 'text',
  active: 'smallint',
  quota_parts: 'bigint',
  default_sender: 'text',
  send_hours: 'text',
  email_domain_endings: 'text',
  ...limitsColumns,
} as const;

function companyRow(company: CompanyState): Row {
  const { id, name, active, quotaParts, limits, defaultSender, sendHours, allowedDomainEndings } = company;
  return [
    id ?? null,
    name,
    active ? 1 : 0,
    quotaParts ?? null,
    defaultSender ?? null,
    sendHours === undefined ? null : JSON.stringify(sendHours),
    JSON.stringify(allowedDomainEndings),
    ...limitsRow(limits),
  ];
}

async function insertCompanies(transaction: Transaction, companies: readonly CompanyState[]): Promise<void> {
  if (companies.length === 0) return;
  const rows = (await fillIds(transaction, 'company', companies)).map(companyRow);
  await transaction.insert('companies', companyColumns, rows);
}

/** What is used of the quota stays: the file says how much is granted. */
async function updateCompanies(transaction: Transaction, companies: readonly CompanyState[]): Promise<void> {
  if (companies.length === 0) return;
  await transaction.run(
    sql`UPDATE companies SET active = edited.active, quota_parts = edited.quota_parts,
          default_sender = edited.default_sender, send_hours = edited.send_hours,
          email_domain_endings = edited.email_domain_endings, ${setLimits}
        FROM ${rowSet('edited', companyColumns, companies.map(companyRow))} WHERE companies.id = edited.id`,
  );
}

const userColumns = {
  id: 'bigint',
  company_id: 'bigint',
  username: 'text',
  password_hash: 'text',
  roles: 'text',
  active: 'smallint',
  quota_parts: 'bigint',
  default_sender: 'text',
  senders: 'text',
  replace_characters: 'smallint',
  max_batch: 'integer',
  smtp_split: 'smallint',
  ...limitsColumns,
} as const;

function userRow(user: UserState, companyId: number | null): Row {
  return [
    user.id ?? null,
    companyId,
    user.username,
    user.passwordHash ?? null,
    JSON.stringify(user.roles),
    user.active ? 1 : 0,
    user.quotaParts ?? null,
    user.defaultSender ?? null,
    user.senders === undefined ? null : JSON.stringify(user.senders),
    user.replaceCharacters ? 1 : 0,
    user.maxBatch ?? null,
    user.smtpSplit ? 1 : 0,
    ...limitsRow(user.limits),
  ];
}

async function companyIds(transaction: Transaction): Promise<ReadonlyMap<string, number>> {
  const companies = await transaction.all<{ id: number; name: string }>(sql`SELECT id, name FROM companies`);
  return new Map(companies.map(({ id, name }) => [name, id]));
}

async function insertUsers(transaction: Transaction, users: readonly UserState[]): Promise<void> {
  if (users.length === 0) return;
  const ids = await companyIds(transaction);
  const rows = (await fillIds(transaction, 'user', users)).map((user) =>
    userRow(user, ids.get(user.company) ?? null),
  );
  await transaction.insert('users', userColumns, rows);
}

/** As with companies, what is used of the quota stays. */
async function updateUsers(transaction: Transaction, users: readonly UserState[]): Promise<void> {
  if (users.length === 0) return;
  const rows = users.map((user) => userRow(user, null));
  await transaction.run(
    sql`UPDATE users SET password_hash = edited.password_hash, roles = edited.roles, active = edited.active,
          quota_parts = edited.quota_parts, default_sender = edited.default_sender, senders = edited.senders,
          replace_characters = edited.replace_characters, max_batch = edited.max_batch,
          smtp_split = edited.smtp_split, ${setLimits}
        FROM ${rowSet('edited', userColumns, rows)} WHERE users.id = edited.id`,
  );
}

const numberColumns = {
  number: 'text',
  rented_by: 'bigint',
  pool: 'smallint',
  company_id: 'bigint',
} as const;

async function writeNumbers(transaction: Transaction, edits: readonly Edit<NumberState>[]): Promise<void> {
  const numbers = wanted(edits);
  const renters = await transaction.all<{ id: number; username: string }>(
    sql`SELECT id, username FROM users
        WHERE username ${oneOf(
          'text',
          numbers.flatMap(({ rentedBy }) => rentedBy ?? []),
        )}`,
  );
  const ids = new Map(renters.map(({ id, username }) => [username, id]));
  const companies = await companyIds(transaction);
  const rows = numbers.map(({ number, rentedBy, pool, company }) => [
    number,
    ids.get(rentedBy ?? '') ?? null,
    pool ? 1 : 0,
    companies.get(company ?? '') ?? null,
  ]);
  await transaction.insert(
    'numbers',
    numberColumns,
    rows,
    `ON CONFLICT (number) DO UPDATE
      SET rented_by = excluded.rented_by, pool = excluded.pool, company_id = excluded.company_id`,
  );
  await remove(
    transaction,
    'numbers',
    'number',
    gone(edits, ({ number }) => number),
  );
}

const operatorColumns = { username: 'text', password_hash: 'text' } as const;

async function writeOperators(
  transaction: Transaction,
  edits: readonly Edit<OperatorState>[],
): Promise<void> {
  await transaction.insert(
    'operators',
    operatorColumns,
    wanted(edits).map(({ username, passwordHash }) => [username, passwordHash]),
    'ON CONFLICT (username) DO UPDATE SET password_hash = excluded.password_hash',
  );
  await remove(
    transaction,
    'operators',
    'username',
    gone(edits, ({ username }) => username),
  );
}

const carrierColumns = { id: 'bigint', name: 'text', type: 'text', settings: 'text' } as const;

/** A carrier keeps its id, also when it is removed and comes back: messages refer to it. */
async function writeCarriers(transaction: Transaction, edits: readonly Edit<CarrierState>[]): Promise<void> {
  const row = (carrier: CarrierState, id: number | undefined): Row => [
    id ?? null,
    carrier.name,
    carrier.type,
    JSON.stringify(carrier.settings),
  ];
  const added = created(edits).map((carrier) => ({ ...carrier, id: undefined as number | undefined }));
  if (added.length > 0) {
    const rows = (await fillIds(transaction, 'carrier', added)).map((carrier) => row(carrier, carrier.id));
    await transaction.insert(
      'carriers',
      carrierColumns,
      rows,
      'ON CONFLICT (name) DO UPDATE SET type = excluded.type, settings = excluded.settings, removed = 0',
    );
  }
  const updates = changed(edits).map((carrier) => row(carrier, undefined));
  if (updates.length > 0) {
    await transaction.run(
      sql`UPDATE carriers SET type = edited.type, settings = edited.settings
          FROM ${rowSet('edited', carrierColumns, updates)} WHERE carriers.name = edited.name`,
    );
  }
  const removed = gone(edits, ({ name }) => name);
  if (removed.length > 0) {
    await transaction.run(sql`UPDATE carriers SET removed = 1 WHERE name ${oneOf('text', removed)}`);
  }
}

async function writeRoutes(transaction: Transaction, edits: readonly Edit<Route>[]): Promise<void> {
  await transaction.insert(
    'routes',
    routeColumns,
    wanted(edits).map(fromRoute),
    `ON CONFLICT (name) DO UPDATE SET prefix = excluded.prefix, carriers = excluded.carriers,
      senders = excluded.senders, users = excluded.users, priority = excluded.priority`,
  );
  await remove(
    transaction,
    'routes',
    'name',
    gone(edits, ({ name }) => name),
  );
}
