/** All SQL about the list of e-mail senders itself. */
import { fromEach, oneOf, raw, sql } from '../../storage/sql.ts';
import {
  inOrderOf,
  type Reading,
  readVerb,
  refusable,
  type Transaction,
  writeVerb,
} from '../../storage/verb.ts';
import { defaultsOf, endingsOf, type SenderRefusal } from './defaults-store.ts';
import { faultOfDomain } from './domain-endings.ts';
import { lockAccounts, lockUser, type PayerRow, payerColumns, payerNamed, toPayer } from './payer-store.ts';
import { faultOfPaying, noPayingUser, type Payer } from './paying-user.ts';
import {
  keysFor,
  maxEntriesOfCompany,
  type SenderEntry,
  type SenderKey,
  type SomeSettings,
  settled,
} from './sender-entry.ts';
import {
  fromSettings,
  type SettingsRow,
  settingsColumnNames,
  settingsColumns,
  toSettings,
} from './settings-row.ts';

export interface NewEntry {
  readonly companyId: number;
  readonly key: SenderKey;
  readonly blocked: boolean;
  /** As given; undefined: that of the company's defaults. */
  readonly payingUser: string | undefined;
  readonly settings: SomeSettings;
}

export type EntryPut =
  | { readonly kind: 'put'; readonly entry: SenderEntry; readonly endings: readonly string[] }
  | SenderRefusal;

export const putEntry = refusable(
  writeVerb(
    'email.putEntry',
    async (transaction, inputs: readonly NewEntry[]) => {
      await lockAccounts(transaction, inputs);
      return inOrderOf(inputs, emailOf, (input) => put(transaction, input));
    },
    // The entries that are there are counted for each new one, which takes up to a millisecond.
    () => 20,
  ),
);

const emailOf = ({ key }: { readonly key: SenderKey }): string => key.email;

/** Makes the entry, or puts the new one in the place of the company's own. */
async function put(transaction: Transaction, input: NewEntry): Promise<EntryPut> {
  const { companyId, key, blocked } = input;
  const defaults = await defaultsOf(transaction, companyId);
  const settings = settled(input.settings, defaults.settings);
  const name = input.payingUser ?? defaults.payingUser?.id.toString();
  const payer = name === undefined ? undefined : await payerNamed(transaction, name, lockUser);
  const endings = await endingsOf(transaction, companyId);
  if (endings === undefined) return { kind: 'companyGone' };
  const domainFault = faultOfDomain(key.domain, endings);
  if (domainFault !== undefined) return { kind: 'domainRefused', fault: domainFault, endings };
  const fault = faultOfPaying(payer, input, defaults);
  if (payer === undefined || fault !== undefined) return { kind: 'refused', fault: fault ?? noPayingUser };
  const row = [key.email, companyId, payer.id, Number(blocked), ...fromSettings(settings)];
  const changed = await transaction.each(entryColumns, [row], upsertEntry);
  if (changed === 0) {
    const other = await entryNamed(transaction, key.email);
    return { kind: other === undefined ? 'tooManyEntries' : 'belongsToAnother' };
  }
  const { id, username } = payer;
  return {
    kind: 'put',
    entry: { email: key.email, blocked, payingUser: { id, username }, settings },
    endings,
  };
}

const entryColumns = {
  email: 'text',
  company_id: 'bigint',
  paying_user_id: 'bigint',
  blocked: 'smallint',
  ...settingsColumns,
} as const;

const entryColumnNames = Object.keys(entryColumns);

/** Changes no row where the key is another company's, and makes none where the company has as many as it may. */
const upsertEntry = sql`
  INSERT INTO email_senders (${raw(entryColumnNames.join(', '))})
  SELECT ${raw(entryColumnNames.map((name) => `each.${name}`).join(', '))} ${fromEach}
  WHERE (SELECT 1 FROM email_senders WHERE email = each.email) IS NOT NULL
    OR (SELECT 1 FROM email_senders WHERE company_id = each.company_id
        LIMIT 1 OFFSET ${raw(String(maxEntriesOfCompany - 1))}) IS NULL
  ON CONFLICT (email) DO UPDATE SET
    ${raw(
      entryColumnNames
        .slice(2)
        .map((name) => `${name} = excluded.${name}`)
        .join(', '),
    )}
  WHERE email_senders.company_id = excluded.company_id`;

export interface NamedEntry {
  readonly companyId: number;
  readonly key: SenderKey;
}

export type EntryRemoved = { readonly kind: 'removed' } | { readonly kind: 'absent' } | SenderRefusal;

export const removeEntry = refusable(
  writeVerb('email.removeEntry', (transaction, inputs: readonly NamedEntry[]) =>
    inOrderOf(inputs, emailOf, (input) => remove(transaction, input)),
  ),
);

async function remove(transaction: Transaction, { companyId, key }: NamedEntry): Promise<EntryRemoved> {
  const endings = await endingsOf(transaction, companyId);
  if (endings === undefined) return { kind: 'companyGone' };
  const fault = faultOfDomain(key.domain, endings);
  if (fault !== undefined) return { kind: 'domainRefused', fault, endings };
  const removed = await transaction.run(
    sql`DELETE FROM email_senders WHERE email = ${key.email} AND company_id = ${companyId}`,
  );
  if (removed > 0) return { kind: 'removed' };
  const other = await entryNamed(transaction, key.email);
  return { kind: other === undefined ? 'absent' : 'belongsToAnother' };
}

async function entryNamed(reading: Reading, email: string): Promise<object | undefined> {
  return reading.first<object>(sql`SELECT email FROM email_senders WHERE email = ${email}`);
}

interface EntryRow extends SettingsRow {
  readonly email: string;
  readonly blocked: number;
}

export interface EntryWithPayer {
  readonly entry: SenderEntry;
  readonly payer: Payer;
}

/** The entry that decides for a sender: its own, else that of its domain. */
export const findDecidingEntry = readVerb(
  'email.findDecidingEntry',
  async (reading, key: SenderKey): Promise<EntryWithPayer | undefined> => {
    const keys = keysFor(key);
    const rows = await reading.all<EntryRow & PayerRow>(
      sql`SELECT email, blocked, ${raw(settingsColumnNames)}, ${payerColumns} FROM email_senders
          JOIN users ON users.id = paying_user_id JOIN companies ON companies.id = users.company_id
          WHERE email ${oneOf('text', keys)}`,
    );
    const row = keys.map((email) => rows.find((one) => one.email === email)).find((one) => one !== undefined);
    if (row === undefined) return undefined;
    const payer = toPayer(row);
    const { id, username } = payer;
    const settings = settled(toSettings(row));
    const { email, blocked } = row;
    return { entry: { email, blocked: blocked === 1, payingUser: { id, username }, settings }, payer };
  },
);
