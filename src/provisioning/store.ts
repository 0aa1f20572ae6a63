/** All SQL of provisioning: what the store holds of the objects in question, and edits applied in one transaction. */
import { isRole } from '../accounts/role.ts';
import { parseSendHours } from '../batches/hours/send-hours.ts';
import type { Route } from '../routing/route.ts';
import { type RouteRow, toRoute } from '../routing/route-row.ts';
import { oneOf, sql } from '../storage/sql.ts';
import {
  inTurns,
  type Reading,
  readVerb,
  singleWriteVerb,
  snapshotVerb,
  type Transaction,
  theNode,
} from '../storage/verb.ts';
import type { Fault } from '../yaml/fault.ts';
import { booksOf, withBooks } from './address-book-store.ts';
import { checkAgainstStore } from './check-store.ts';
import { compare } from './compare.ts';
import { emailDefaultsOf, emailSendersOf } from './email-store.ts';
import { type LimitsRow, limitColumns, limitsOf } from './limits-row.ts';
import { lockForCheck, lockOutOtherFiles } from './lock.ts';
import type { Plan } from './plan.ts';
import { retiredAmong } from './retired-ids.ts';
import { type Scope, scopeOf } from './scope.ts';
import { senderRulesOf } from './sender-rule-store.ts';
import type {
  CarrierState,
  CompanyState,
  Edits,
  NumberState,
  OperatorState,
  State,
  UserState,
} from './state.ts';
import { templatesOf } from './template-store.ts';
import { writeEdits } from './write-edits.ts';

export const readState = inTurns(
  snapshotVerb('provisioning.readState', (reading, scope: Scope) => stateOf(reading, scope)),
  theNode,
);

export const readLastApplied = readVerb(
  'provisioning.readLastApplied',
  (reading, path: string): Promise<string | undefined> => lastApplied(reading, path),
);

/** Has nobody set up anything yet? */
export const readIsEmpty = readVerb('provisioning.readIsEmpty', (reading, _: null) => isEmpty(reading));

/** Whether anything is set up; `emptied`: nothing is, but there has been a company. Nodes that start together may set it up. */
export const readUse = snapshotVerb(
  'provisioning.readUse',
  async (reading, _: null): Promise<'new' | 'emptied' | 'in use'> => {
    if (!(await isEmpty(reading))) return 'in use';
    const found = await reading.first(
      sql`SELECT name FROM id_blocks WHERE name = 'company' UNION ALL SELECT kind FROM retired_ids LIMIT 1`,
    );
    return found === undefined ? 'new' : 'emptied';
  },
);

export interface AppliedFile {
  readonly path: string;
  readonly contentHash: string;
}

export interface ApplyInput {
  /** Passwords resolved into hashes. */
  readonly plan: Plan;
  readonly when: 'always' | 'contentChanged' | 'storeEmpty';
  /** The file that the plan comes from, to be remembered as applied. */
  readonly file: AppliedFile | undefined;
  readonly now: number;
  /** What follows in further transactions: only then is the file applied, and remembered by `rememberApplied`. */
  readonly isUnfinished?: boolean;
}

export type Applied =
  | { readonly kind: 'applied'; readonly edits: Edits }
  | { readonly kind: 'refused'; readonly faults: readonly Fault[] }
  /** The condition of `when` did not hold. */
  | { readonly kind: 'skipped' };

export const applyPlan = singleWriteVerb(
  'provisioning.apply',
  async (transaction, { plan, when, file, now, isUnfinished }: ApplyInput): Promise<Applied> => {
    await lockOutOtherFiles(transaction);
    if (when === 'storeEmpty' && !(await isEmpty(transaction))) return { kind: 'skipped' };
    if (when === 'contentChanged' && file !== undefined) {
      if ((await lastApplied(transaction, file.path)) === file.contentHash) return { kind: 'skipped' };
    }
    const scope = scopeOf(plan);
    await lockForCheck(transaction, scope);
    const state = await stateOf(transaction, scope);
    const edits = compare(plan, state);
    const faults = checkAgainstStore(plan, edits, state);
    if (faults.length > 0) return { kind: 'refused', faults };
    await writeEdits(transaction, edits);
    if (file !== undefined && isUnfinished !== true) await remember(transaction, file, now);
    return { kind: 'applied', edits };
  },
  ({ plan }) =>
    [
      ...Object.values(plan),
      ...plan.companies.flatMap(({ users, templates, emailSenders }) => [users, templates, emailSenders]),
    ].reduce((sum, { length }) => sum + length, 0),
);

/** For a file whose contacts were written after the rest. */
export const rememberApplied = singleWriteVerb(
  'provisioning.rememberApplied',
  (transaction, { file, now }: { readonly file: AppliedFile; readonly now: number }) =>
    remember(transaction, file, now),
);

async function isEmpty(reading: Reading): Promise<boolean> {
  const found = await reading.first(
    sql`SELECT name FROM companies UNION ALL SELECT name FROM carriers UNION ALL SELECT name FROM routes LIMIT 1`,
  );
  return found === undefined;
}

async function lastApplied(reading: Reading, path: string): Promise<string | undefined> {
  const row = await reading.first<{ content_hash: string }>(
    sql`SELECT content_hash FROM provisioned WHERE source = ${path}`,
  );
  return row?.content_hash;
}

async function remember(transaction: Transaction, file: AppliedFile, now: number): Promise<void> {
  await transaction.run(
    sql`INSERT INTO provisioned (source, content_hash, applied_at) VALUES (${file.path}, ${file.contentHash}, ${now})
        ON CONFLICT (source) DO UPDATE SET content_hash = excluded.content_hash, applied_at = excluded.applied_at`,
  );
}

async function stateOf(reading: Reading, scope: Scope): Promise<State> {
  const users = await usersOf(reading, scope);
  return {
    companies: await companiesOf(reading),
    users: await withBooks(reading, users),
    addressBooks: await booksOf(reading, scope),
    templates: await templatesOf(reading, scope.companies),
    emailDefaults: await emailDefaultsOf(reading, scope),
    emailSenders: await emailSendersOf(reading, scope),
    senderRules: await senderRulesOf(reading, scope.companies),
    carriers: await carriersOf(reading),
    routes: await routesOf(reading),
    numbers: await numbersOf(reading, scope, users),
    operators: await operatorsOf(reading),
    retiredIds: {
      company: await retiredAmong(reading, 'company', scope.companyIds),
      user: await retiredAmong(reading, 'user', scope.userIds),
    },
  };
}

async function companiesOf(reading: Reading): Promise<readonly CompanyState[]> {
  const rows = await reading.all<
    LimitsRow & {
      id: number;
      name: string;
      active: number;
      quota_parts: number | null;
      default_sender: string | null;
      send_hours: string | null;
      email_domain_endings: string | null;
    }
  >(
    sql`SELECT id, name, active, quota_parts, ${limitColumns('companies')}, default_sender, send_hours, email_domain_endings FROM companies`,
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    active: row.active === 1,
    quotaParts: row.quota_parts ?? undefined,
    limits: limitsOf(row),
    defaultSender: row.default_sender ?? undefined,
    sendHours: parseSendHours(row.send_hours),
    allowedDomainEndings: JSON.parse(row.email_domain_endings ?? '[]') as string[],
  }));
}

async function usersOf(reading: Reading, scope: Scope): Promise<readonly UserState[]> {
  const rows = await reading.all<
    LimitsRow & {
      id: number;
      username: string;
      company: string;
      password_hash: string | null;
      roles: string;
      active: number;
      quota_parts: number | null;
      default_sender: string | null;
      senders: string | null;
      replace_characters: number;
      max_batch: number | null;
      smtp_split: number;
    }
  >(
    sql`SELECT users.id, username, companies.name AS company, password_hash, roles, users.active, users.quota_parts,
          ${limitColumns('users')}, users.default_sender, senders, replace_characters, max_batch, smtp_split
        FROM users JOIN companies ON companies.id = users.company_id
        WHERE username ${oneOf('text', scope.usernames)} OR users.id ${oneOf('bigint', scope.userIds)}
          OR companies.name ${oneOf('text', scope.removedCompanies)}
          OR users.id IN (SELECT paying_user_id FROM email_defaults JOIN companies ON companies.id = company_id
                          WHERE companies.name ${oneOf('text', scope.companies)})
        ORDER BY username`,
  );
  return rows.map((row) => ({
    id: row.id,
    username: row.username,
    company: row.company,
    passwordHash: row.password_hash ?? undefined,
    roles: (JSON.parse(row.roles) as unknown[]).filter(isRole),
    active: row.active === 1,
    quotaParts: row.quota_parts ?? undefined,
    limits: limitsOf(row),
    defaultSender: row.default_sender ?? undefined,
    senders: row.senders === null ? undefined : (JSON.parse(row.senders) as string[]),
    replaceCharacters: row.replace_characters === 1,
    maxBatch: row.max_batch ?? undefined,
    smtpSplit: row.smtp_split === 1,
    addressBooks: [],
    defaultAddressBook: undefined,
  }));
}

async function carriersOf(reading: Reading): Promise<readonly CarrierState[]> {
  const rows = await reading.all<{ name: string; type: string; settings: string }>(
    sql`SELECT name, type, settings FROM carriers WHERE removed = 0`,
  );
  return rows.map((row) => ({ ...row, settings: JSON.parse(row.settings) as Record<string, unknown> }));
}

async function routesOf(reading: Reading): Promise<readonly Route[]> {
  const rows = await reading.all<RouteRow>(
    sql`SELECT name, prefix, carriers, senders, users, priority FROM routes ORDER BY name`,
  );
  return rows.map(toRoute);
}

/** Those of the plan, and those of users and companies that it may remove. */
async function numbersOf(
  reading: Reading,
  scope: Scope,
  users: readonly UserState[],
): Promise<readonly NumberState[]> {
  const ids = users.flatMap(({ id }) => id ?? []);
  const rows = await reading.all<{
    number: string;
    renter: string | null;
    pool: number;
    company: string | null;
  }>(
    sql`SELECT number, username AS renter, pool, companies.name AS company
        FROM numbers LEFT JOIN users ON users.id = rented_by LEFT JOIN companies ON companies.id = numbers.company_id
        WHERE number ${oneOf('text', scope.numbers)} OR rented_by ${oneOf('bigint', ids)}
          OR companies.name ${oneOf('text', scope.removedCompanies)}`,
  );
  return rows.map(({ number, renter, pool, company }) => ({
    number,
    rentedBy: renter ?? undefined,
    pool: pool === 1,
    company: company ?? undefined,
  }));
}

async function operatorsOf(reading: Reading): Promise<readonly OperatorState[]> {
  const rows = await reading.all<{ username: string; password_hash: string }>(
    sql`SELECT username, password_hash FROM operators`,
  );
  return rows.map((row) => ({ username: row.username, passwordHash: row.password_hash }));
}
