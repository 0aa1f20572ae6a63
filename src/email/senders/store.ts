/** All SQL about the list of e-mail senders itself. */
import { findAccount } from '../../accounts/account.ts';
import { fromEach, oneOf, raw, sql } from '../../storage/sql.ts';
import {
  inOrderOf,
  type Reading,
  refusable,
  snapshotVerb,
  type Transaction,
  writeVerb,
} from '../../storage/verb.ts';
import { defaultsOf, endingsOf, type SenderRefusal } from './defaults-store.ts';
import { faultOfDomain } from './domain-endings.ts';
import { keepPayers, payerNamed } from './payer-store.ts';
import { faultOfPaying, noPayingUser, type Payer, payerOf } from './paying-user.ts';
import { type Acting, recordSenderAct } from './record-act.ts';
import {
  keysFor,
  maxEntriesOfCompany,
  type SenderEntry,
  type SenderKey,
  type SomeSettings,
  settled,
} from './sender-entry.ts';
import { storedEntry } from './stored-entries.ts';

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

interface By {
  readonly by: Acting;
}

export const putEntry = refusable(
  writeVerb(
    'email.putEntry',
    async (transaction, inputs: readonly (NewEntry & By)[]) => {
      await keepPayers(transaction, inputs);
      return inOrderOf(inputs, emailOf, async (input) => {
        const before = await entryNamed(transaction, input.key.email);
        const put = await putOne(transaction, input);
        const act = before === undefined ? 'email.sender.make' : 'email.sender.change';
        if (put.kind === 'put') await recordSenderAct(transaction, input.by, act, input.key.email);
        return put;
      });
    },
    // The entries that are there are counted for each new one, which takes up to a millisecond.
    () => 20,
  ),
);

const emailOf = ({ key }: { readonly key: SenderKey }): string => key.email;

/** Makes the entry, or puts the new one in the place of the company's own. Whoever pays is kept (`keepPayers`). */
export async function putOne(transaction: Transaction, input: NewEntry): Promise<EntryPut> {
  const { companyId, key, blocked } = input;
  const defaults = await defaultsOf(transaction, companyId);
  const settings = settled(input.settings, defaults.settings);
  const name = input.payingUser ?? defaults.payingUser?.id.toString();
  const payer = name === undefined ? undefined : await payerNamed(transaction, name, { isKept: true });
  const endings = await endingsOf(transaction, companyId);
  if (endings === undefined) return { kind: 'companyGone' };
  const domainFault = faultOfDomain(key.domain, endings);
  if (domainFault !== undefined) return { kind: 'domainRefused', fault: domainFault, endings };
  const fault = faultOfPaying(payer, input, defaults);
  if (payer === undefined || fault !== undefined) return { kind: 'refused', fault: fault ?? noPayingUser };
  const row = storedEntry.row({ email: key.email, companyId, payingUserId: payer.id, blocked, ...settings });
  const changed = await transaction.each(storedEntry.columns, [row], upsertEntry);
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

/** Changes no row where the key is another company's, and makes none where the company has as many as it may. */
const upsertEntry = sql`
  INSERT INTO email_senders (${raw(storedEntry.names())})
  SELECT ${raw(storedEntry.names('each'))} ${fromEach}
  WHERE (SELECT 1 FROM email_senders WHERE email = each.email) IS NOT NULL
    OR (SELECT 1 FROM email_senders WHERE company_id = each.company_id
        LIMIT 1 OFFSET ${raw(String(maxEntriesOfCompany - 1))}) IS NULL
  ON CONFLICT (email) DO UPDATE SET ${raw(storedEntry.assignments('excluded', ['email', 'company_id']))}
  WHERE email_senders.company_id = excluded.company_id`;

export interface NamedEntry {
  readonly companyId: number;
  readonly key: SenderKey;
}

export type EntryRemoved = { readonly kind: 'removed' } | { readonly kind: 'absent' } | SenderRefusal;

export const removeEntry = refusable(
  writeVerb('email.removeEntry', (transaction, inputs: readonly (NamedEntry & By)[]) =>
    inOrderOf(inputs, emailOf, async (input) => {
      const removed = await removeOne(transaction, input);
      if (removed.kind === 'removed')
        await recordSenderAct(transaction, input.by, 'email.sender.remove', input.key.email);
      return removed;
    }),
  ),
);

export async function removeOne(
  transaction: Transaction,
  { companyId, key }: NamedEntry,
): Promise<EntryRemoved> {
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

export interface EntryWithPayer {
  readonly entry: SenderEntry;
  readonly payer: Payer;
}

/** The entry that decides for a sender: its own, else that of its domain. */
export const findDecidingEntry = snapshotVerb(
  'email.findDecidingEntry',
  async (reading, key: SenderKey): Promise<EntryWithPayer | undefined> => {
    const keys = keysFor(key);
    const rows = await reading.all<{ readonly email: string }>(
      sql`SELECT ${raw(storedEntry.names())} FROM email_senders WHERE email ${oneOf('text', keys)}`,
    );
    const row = keys.map((email) => rows.find((one) => one.email === email)).find((one) => one !== undefined);
    if (row === undefined) return undefined;
    const { email, companyId, payingUserId, blocked, ...settings } = storedEntry.read(row);
    const account = await findAccount(reading, { id: payingUserId });
    if (account === undefined) return undefined;
    const payer = payerOf(account);
    const { id, username } = payer;
    return { entry: { email, blocked, payingUser: { id, username }, settings: settled(settings) }, payer };
  },
);
