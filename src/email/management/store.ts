/**
 * All SQL by which those who administer e-mail senders look at entries and defaults, and change one of them at a time:
 * as the management API shows them, with what a provisioning file manages of them.
 */
import { createHash } from 'node:crypto';
import { findCompany } from '../../accounts/company-records.ts';
import { readSetKeys } from '../../accounts/set-keys.ts';
import { usernames } from '../../accounts/user-records.ts';
import { type IfMatch, isMatch } from '../../foundation/if-match.ts';
import { byDialect, raw, sql } from '../../storage/sql.ts';
import { type Reading, readVerb, refusable, singleWriteVerb } from '../../storage/verb.ts';
import { storedEntry } from '../senders/entry-records.ts';
import { keepPayers } from '../senders/paying-user.ts';
import {
  type EmailDefaults,
  type SenderEntry,
  type SenderKey,
  type SettingsChange,
  type SomeSettings,
  settingNames,
  settled,
} from '../senders/sender-entry.ts';
import {
  type Acting,
  changeOne,
  defaultsOf,
  putOne,
  recordSenderAct,
  removeOne,
  type SenderRefusal,
} from '../senders/store.ts';

interface Managed {
  /** What provisioning files have set; empty where none names it. */
  readonly managedKeys: readonly string[];
}

export interface ListedEntry extends Managed {
  readonly entry: SenderEntry;
}

export interface ListedDefaults extends Managed {
  readonly defaults: EmailDefaults;
}

interface EntryPage {
  readonly companyId: number;
  /** The key that the page before ended with; the empty string is before all. */
  readonly after: string;
  readonly limit: number;
}

/** In the order of their keys: whole domains first. */
export const listEntries = readVerb(
  'email.listEntries',
  async (reading, { companyId, after, limit }: EntryPage): Promise<readonly ListedEntry[]> =>
    listedOf(
      reading,
      await reading.all<object>(
        sql`SELECT ${raw(storedEntry.names())} FROM email_senders
            WHERE company_id = ${companyId} AND email > ${after} ORDER BY email LIMIT ${limit}`,
      ),
    ),
);

interface EntryKey {
  readonly companyId: number;
  readonly email: string;
}

export const findEntry = readVerb('email.findEntry', async (reading, key: EntryKey) => read(reading, key));

async function read(
  reading: Reading,
  { companyId, email }: EntryKey,
  lock = sql``,
): Promise<ListedEntry | null> {
  const row = await reading.first<object>(
    sql`SELECT ${raw(storedEntry.names())} FROM email_senders
        WHERE email = ${email} AND company_id = ${companyId} ${lock}`,
  );
  return row === undefined ? null : ((await listedOf(reading, [row]))[0] as ListedEntry);
}

async function listedOf(reading: Reading, rows: readonly object[]): Promise<readonly ListedEntry[]> {
  const entries = rows.map((row) => storedEntry.read(row));
  const payers = await usernames(
    reading,
    entries.map(({ payingUserId }) => payingUserId),
  );
  const keys = entries.map(({ email }) => email);
  const setKeys = await readSetKeys(reading, 'emailSenders', keys);
  return entries.map(({ email, companyId: _, payingUserId: id, blocked, ...settings }) => ({
    entry: {
      email,
      blocked,
      payingUser: { id, username: payers.get(id) ?? '' },
      settings: settled(settings),
    },
    managedKeys: setKeys.filter(({ object }) => object === email).flatMap(({ keys }) => keys),
  }));
}

/** Another one when anything of it is another. */
export function versionOf(shown: SenderEntry | EmailDefaults): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16);
}

/** In the words of a provisioning file. What is undefined stays, null clears. */
export interface EntryChange extends SettingsChange {
  readonly payinguser: string | null | undefined;
  readonly blocked?: boolean | undefined;
}

export type EntryRefusal =
  | { readonly kind: 'notFound' | 'taken' | 'changedMeanwhile' }
  | { readonly kind: 'managed'; readonly key: string | undefined }
  | SenderRefusal;

type EntryWritten = { readonly kind: 'written'; readonly listed: ListedEntry } | EntryRefusal;

export interface EntryToWrite {
  readonly by: Acting;
  readonly key: SenderKey;
  readonly change: EntryChange;
  /** `new`: there is to be none yet. */
  readonly ifMatch: IfMatch | 'new';
}

/** SQLite has one writer; on PostgreSQL who comes second waits, and then sees what the first has done. */
const locked = sql`${byDialect({ sqlite: '', postgres: 'FOR UPDATE' })}`;

export const writeEntry = refusable(
  singleWriteVerb(
    'email.writeEntry',
    async (transaction, { by, key, change, ifMatch }: EntryToWrite): Promise<EntryWritten> => {
      const { companyId } = by;
      const { payinguser: given, blocked, ...settings } = change;
      await keepPayers(transaction, [{ companyId, payingUser: given }]);
      const before = await read(transaction, { companyId, email: key.email }, locked);
      if (ifMatch === 'new' && before !== null) return { kind: 'taken' };
      if (ifMatch !== 'new') {
        const refusal = refusalOf(before, ifMatch);
        if (before === null || refusal !== undefined) return refusal ?? { kind: 'notFound' };
        const managed = managedAmong(before, change);
        if (managed !== undefined) return { kind: 'managed', key: managed };
      }
      const put = await putOne(transaction, {
        companyId,
        key,
        blocked: blocked ?? before?.entry.blocked ?? false,
        payingUser: given ?? before?.entry.payingUser.id.toString(),
        settings: mergedSettings(before?.entry.settings, settings),
      });
      if (put.kind !== 'put') return put;
      const act = before === null ? 'email.sender.make' : 'email.sender.change';
      await recordSenderAct(transaction, by, act, key.email);
      return { kind: 'written', listed: { entry: put.entry, managedKeys: before?.managedKeys ?? [] } };
    },
    // The entries that are there are counted for a new one.
    () => 20,
  ),
);

function managedAmong({ managedKeys }: Managed, change: EntryChange): string | undefined {
  const given = Object.entries(change).flatMap(([key, value]) => (value === undefined ? [] : key));
  return given.find((key) => managedKeys.includes(key));
}

/** What was cleared has the value that stands for none; of a new entry, what is left out takes the company's default. */
function mergedSettings(
  before: SomeSettings | undefined,
  change: Omit<EntryChange, 'payinguser' | 'blocked'>,
): SomeSettings {
  const none = settled({} as SomeSettings);
  return Object.fromEntries(
    settingNames.map((name) => [name, change[name] === null ? none[name] : (change[name] ?? before?.[name])]),
  ) as unknown as SomeSettings;
}

function refusalOf(before: ListedEntry | null, ifMatch: IfMatch): EntryRefusal | undefined {
  if (before === null) return { kind: 'notFound' };
  return isMatch(ifMatch, versionOf(before.entry)) ? undefined : { kind: 'changedMeanwhile' };
}

interface EntryToRemove extends Pick<EntryToWrite, 'by' | 'key'> {
  readonly ifMatch: IfMatch;
}

export const removeListedEntry = refusable(
  singleWriteVerb(
    'email.removeListedEntry',
    async (transaction, { by, key, ifMatch }: EntryToRemove): Promise<EntryRefusal | null> => {
      const before = await read(transaction, { companyId: by.companyId, email: key.email }, locked);
      const refusal = refusalOf(before, ifMatch);
      if (before === null || refusal !== undefined) return refusal ?? { kind: 'notFound' };
      if (before.managedKeys.length > 0) return { kind: 'managed', key: undefined };
      const removed = await removeOne(transaction, { companyId: by.companyId, key });
      if (removed.kind === 'absent') return { kind: 'notFound' };
      if (removed.kind !== 'removed') return removed;
      await recordSenderAct(transaction, by, 'email.sender.remove', key.email);
      return null;
    },
  ),
);

export const readDefaults = readVerb('email.readDefaults', (reading, companyId: number) =>
  listedDefaults(reading, companyId),
);

async function listedDefaults(reading: Reading, companyId: number): Promise<ListedDefaults> {
  const company = (await findCompany(reading, companyId))?.name ?? '';
  const setKeys = await readSetKeys(reading, 'emailDefaults', [company]);
  const defaults = await defaultsOf(reading, companyId);
  return { defaults, managedKeys: setKeys.flatMap(({ keys }) => keys) };
}

interface DefaultsToWrite extends Pick<EntryToWrite, 'by' | 'change'> {
  readonly ifMatch: IfMatch;
}

type DefaultsWritten = { readonly kind: 'written'; readonly listed: ListedDefaults } | EntryRefusal;

export const writeDefaults = refusable(
  singleWriteVerb(
    'email.writeDefaults',
    async (transaction, { by, change, ifMatch }: DefaultsToWrite): Promise<DefaultsWritten> => {
      const { companyId } = by;
      const { payinguser: payingUser, blocked: _, ...settings } = change;
      await keepPayers(transaction, [{ companyId, payingUser }]);
      await transaction.first(
        sql`SELECT company_id FROM email_defaults WHERE company_id = ${companyId} ${locked}`,
      );
      const before = await listedDefaults(transaction, companyId);
      if (!isMatch(ifMatch, versionOf(before.defaults))) return { kind: 'changedMeanwhile' };
      const managed = managedAmong(before, change);
      if (managed !== undefined) return { kind: 'managed', key: managed };
      const changed = await changeOne(transaction, { companyId, payingUser, settings });
      if (changed.kind !== 'changed') return changed;
      await recordSenderAct(transaction, by, 'email.defaults.change', 'defaults');
      return { kind: 'written', listed: { ...before, defaults: changed.defaults } };
    },
  ),
);
