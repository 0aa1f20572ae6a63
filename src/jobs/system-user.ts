/**
 * A system user as the administrators of its company make, change and remove it: who owns saved jobs, and where the events of
 * their runs are posted. It never logs in.
 */
import { companyNames } from '../accounts/company-records.ts';
import { usersOfJobOwner } from '../accounts/job-owner-records.ts';
import { retireIds } from '../accounts/retired-ids.ts';
import {
  findSystemUserId,
  isFullOfSystemUsers,
  systemUsersElsewhere,
} from '../accounts/system-user-records.ts';
import { quoted } from '../foundation/result.ts';
import {
  firstOf,
  inLockedCompany,
  managedByFile,
  maxNamed,
  type Row,
  refusal,
  type Scope,
} from '../resources/declaration.ts';
import { Resource } from '../resources/resource.ts';
import { leaseBlock } from '../storage/ids.ts';
import { forUpdate } from '../storage/sql.ts';
import { bigint } from '../storage/stored-record.ts';
import type { OptionalJobEvent } from '../webhooks/endpoint.ts';
import {
  type CallbackRecord,
  putCallbacks,
  recordOf,
  removeCallbacks,
  type StoredCallback,
  storedCallbacks,
} from '../webhooks/endpoint-records.ts';
import { jobsOfOwner, namedJobs } from './saved-job.ts';

/** Calls can make no more; a provisioning file can. */
export const maxSystemUsersOfCompany = 100;

export interface GivenCallback {
  readonly url: string;
  /** Sealed; undefined keeps the secrets so far. */
  readonly secret: string | undefined;
  readonly events: readonly OptionalJobEvent[];
}

export interface GivenSystemUser {
  /** Null: nothing is posted. */
  readonly callback?: GivenCallback | null | undefined;
}

/** Callbacks report it as `userid`. */
const fields = { id: bigint } as const;

interface Posting {
  readonly callback: StoredCallback | undefined;
}

export type SystemUser = Row<typeof fields, string, Posting>;

/** The names are unique in the whole service, in files too. */
const namedInService: Scope = {
  ...inLockedCompany,
  async managed(reading, companyId, section, users) {
    const names = users.map(({ key }) => String(key));
    const others = await systemUsersElsewhere(reading, companyId, names);
    const own = names.filter((name) => !others.has(name));
    return managedByFile(reading, section, own, String);
  },
};

export const systemUsers = new Resource<typeof fields, string, GivenSystemUser, Posting>({
  noun: 'system user',
  plural: 'systemUsers',
  table: 'system_users',
  scope: namedInService,
  nameColumn: 'username',
  isListedByName: true,
  fields,
  versioned: ({ callback }) => callback ?? null,
  acts: { make: 'systemuser.make', change: 'systemuser.change', remove: 'systemuser.remove' },
  news: 'webhooks',
  hint: 'systemusers',
  isManagedByField: true,
  // A new one counts the existing ones.
  weight: () => 5,
  details: (after, before) => (before === undefined ? '' : changedIn(before, after).join(', ')),
  async become(transaction, { by: { companyId }, key, before }) {
    if (before !== undefined) return { id: before.id };
    if (await isFullOfSystemUsers(transaction, companyId, maxSystemUsersOfCompany))
      return refusal('too_many_system_users', {
        sentence: 'too_many_system_users',
        most: maxSystemUsersOfCompany,
      });
    if ((await systemUsersElsewhere(transaction, companyId, [key])).size > 0)
      return refusal('name_taken', { sentence: 'name_elsewhere', name: quoted(key) });
    return { id: await leaseBlock(transaction, { kind: 'systemUser', size: 1 }) };
  },
  async beside(transaction, { before, after, more }) {
    if (before !== undefined && after === undefined) {
      await removeCallbacks(transaction, [before.key]);
      return true;
    }
    const { callback } = more ?? {};
    return callback !== undefined && isOther(before?.callback, callback);
  },
  /** A callback belongs to a system user that is stored. */
  async afterwards(transaction, { by: { companyId }, before, after, more }) {
    if (after === undefined) {
      if (before !== undefined)
        await retireIds(transaction, 'systemUser', [{ id: before.id, name: before.key }]);
      return;
    }
    const { callback } = more ?? {};
    if (callback === undefined) return;
    const company = (await companyNames(transaction, [companyId])).get(companyId) ?? '';
    const kept = callback === null ? undefined : withSecret(callback, before?.callback);
    await putCallbacks(transaction, [{ username: after.key, company, callback: kept }]);
  },
  async refusesRemoval(reading, { companyId }, { key, id }) {
    // No user gets it meanwhile.
    await findSystemUserId(reading, companyId, key, forUpdate);
    const jobs = namedJobs(await jobsOfOwner(reading, id));
    if (jobs !== undefined) return refusal('in_use', { sentence: 'owner_has_jobs', jobs });
    const users = await usersOfJobOwner(reading, id, maxNamed + 1);
    return users.length === 0
      ? undefined
      : refusal('in_use', { sentence: 'owner_has_users', users: firstOf(users) });
  },
  async extra(reading, rows) {
    const found = await storedCallbacks(
      reading,
      rows.map(({ id }) => id),
    );
    return rows.map(({ id }) => ({ callback: found.get(id) }));
  },
});

function withSecret(
  { secret, ...callback }: GivenCallback,
  before: StoredCallback | undefined,
): CallbackRecord {
  return { ...callback, secret: secret ?? before?.secrets[0] };
}

function isOther(before: StoredCallback | undefined, wanted: GivenCallback | null): boolean {
  if (before === undefined || wanted === null) return before !== undefined || wanted !== null;
  return otherSettings(recordOf(before), withSecret(wanted, before)).length > 0;
}

const settings = ['url', 'events', 'secret'] as const;

function otherSettings(before: CallbackRecord, after: CallbackRecord) {
  return settings.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

/** The log names what was changed but not its value, because an address may contain a key. */
function changedIn({ callback: before }: SystemUser, { callback: after }: SystemUser): readonly string[] {
  if (before === undefined || after === undefined) return [after === undefined ? 'no callback' : 'callback'];
  return otherSettings(recordOf(before), recordOf(after)).map((name) => `callback ${name}`);
}
