/**
 * All SQL for the list of e-mail senders, and for a company's settings that apply to all of them: its defaults and allowed
 * domain endings.
 */
import { findAccount } from '../../accounts/account.ts';
import { findCompany } from '../../accounts/company-records.ts';
import { usernames } from '../../accounts/user-records.ts';
import { type ActingUser, byUser, recordAct } from '../../audit/audit-log.ts';
import type { FieldError } from '../../foundation/errors.ts';
import { forUpdate, fromEach, noLock, oneOf, raw, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import {
  inOrderOf,
  type Reading,
  readVerb,
  refusable,
  snapshotVerb,
  type Transaction,
  writeVerb,
} from '../../storage/verb.ts';
import { parseDomain, parseEmailAddress } from '../../wire/email-address.ts';
import { storedDefaults, storedEntry } from './entry-records.ts';
import {
  faultOfPayer,
  faultOfPaying,
  faultOfSplitCallback,
  keepPayers,
  noPayingUser,
  type Payer,
  payerNamed,
  payerOf,
} from './paying-user.ts';
import {
  changedSettings,
  type EmailDefaults,
  faultOfDomain,
  keysFor,
  maxEntriesOfCompany,
  noSettings,
  type SenderEntry,
  type SenderKey,
  type SettingsChange,
  type SomeSettings,
  settled,
} from './sender-entry.ts';

/** The reason why a call changed nothing. */
export type SenderRefusal =
  | { readonly kind: 'companyGone' }
  | { readonly kind: 'belongsToAnother' }
  | { readonly kind: 'tooManyEntries' }
  | { readonly kind: 'refused'; readonly fault: FieldError }
  | { readonly kind: 'domainRefused'; readonly fault: FieldError; readonly endings: readonly string[] };

export interface NewEntry {
  readonly companyId: number;
  readonly key: SenderKey;
  readonly blocked: boolean;
  /** The user as entered; undefined for the company's default. */
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
    // Existing entries are counted for each new one, which takes up to a millisecond.
    () => 20,
  ),
);

const emailOf = ({ key }: { readonly key: SenderKey }): string => key.email;

/** Creates the entry, or replaces the company's existing one. The payer must already be locked (`keepPayers`). */
async function putOne(transaction: Transaction, input: NewEntry): Promise<EntryPut> {
  const { companyId, key } = input;
  const put = await entryOf(transaction, input);
  if (put.kind !== 'put') return put;
  const { blocked, payingUser, settings } = put.entry;
  const row = storedEntry.row({
    email: key.email,
    companyId,
    payingUserId: payingUser.id,
    blocked,
    ...settings,
  });
  const changed = await transaction.each(storedEntry.columns, [row], upsertEntry);
  return changed === 0 ? ((await faultOfKey(transaction, input)) ?? { kind: 'tooManyEntries' }) : put;
}

/** The entry that a call requests, completed with the company's defaults, if it is allowed. */
export async function entryOf(reading: Reading, input: NewEntry): Promise<EntryPut> {
  const { companyId, key, blocked } = input;
  const defaults = await defaultsOf(reading, companyId);
  const settings = settled(input.settings, defaults.settings);
  const name = input.payingUser ?? defaults.payingUser?.id.toString();
  const payer = name === undefined ? undefined : await payerNamed(reading, name, { isKept: true });
  const endings = await endingsOf(reading, companyId);
  if (endings === undefined) return { kind: 'companyGone' };
  const domainFault = faultOfDomain(key.domain, endings);
  if (domainFault !== undefined) return { kind: 'domainRefused', fault: domainFault, endings };
  const fault = faultOfPaying(payer, input, defaults);
  if (payer === undefined || fault !== undefined) return { kind: 'refused', fault: fault ?? noPayingUser };
  const { id, username } = payer;
  return {
    kind: 'put',
    entry: { email: key.email, blocked, payingUser: { id, username }, settings },
    endings,
  };
}

/** Changes no row if the key belongs to another company, and creates none if the company is at its limit. */
const upsertEntry = sql`
  INSERT INTO email_senders (${raw(storedEntry.names())})
  SELECT ${raw(storedEntry.names('each'))} ${fromEach}
  WHERE (SELECT 1 FROM email_senders WHERE email = each.email) IS NOT NULL
    OR (SELECT 1 FROM email_senders WHERE company_id = each.company_id
        LIMIT 1 OFFSET ${raw(String(maxEntriesOfCompany - 1))}) IS NULL
  ON CONFLICT (email) DO UPDATE SET ${raw(storedEntry.assignments('excluded', ['email', 'company_id']))}
  WHERE email_senders.company_id = excluded.company_id`;

/** Why a company cannot create an entry. */
export async function faultOfKey(
  reading: Reading,
  { companyId, key }: NamedEntry,
): Promise<SenderRefusal | undefined> {
  if ((await entryNamed(reading, key.email)) !== undefined) return { kind: 'belongsToAnother' };
  const last = await reading.first(
    sql`SELECT email FROM email_senders WHERE company_id = ${companyId}
        LIMIT 1 OFFSET ${raw(String(maxEntriesOfCompany - 1))}`,
  );
  return last === undefined ? undefined : { kind: 'tooManyEntries' };
}

interface NamedEntry {
  readonly companyId: number;
  readonly key: SenderKey;
}

type EntryRemoved = { readonly kind: 'removed' } | { readonly kind: 'absent' } | SenderRefusal;

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

/** Why an entry of the company cannot be removed. */
export async function faultOfRemoval(
  reading: Reading,
  { companyId, key }: NamedEntry,
): Promise<SenderRefusal | undefined> {
  const endings = await endingsOf(reading, companyId);
  if (endings === undefined) return { kind: 'companyGone' };
  const fault = faultOfDomain(key.domain, endings);
  return fault && { kind: 'domainRefused', fault, endings };
}

async function removeOne(transaction: Transaction, named: NamedEntry): Promise<EntryRemoved> {
  const { companyId, key } = named;
  const refusal = await faultOfRemoval(transaction, named);
  if (refusal !== undefined) return refusal;
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

/** The entry that decides for a sender: the entry for its address, or else that for its domain. */
export const findDecidingEntry = snapshotVerb(
  'email.findDecidingEntry',
  async (
    reading,
    key: SenderKey,
  ): Promise<
    { readonly entry: SenderEntry; readonly companyId: number; readonly payer: Payer } | undefined
  > => {
    const keys = keysFor(key);
    const found = await storedEntry.all(reading)`FROM email_senders WHERE email ${oneOf('text', keys)}`;
    const [own] = keys.flatMap((email) => found.find((one) => one.email === email) ?? []);
    if (own === undefined) return undefined;
    const { email, companyId, payingUserId, blocked, ...settings } = own;
    const account = await findAccount(reading, { id: payingUserId });
    if (account === undefined) return undefined;
    const payer = payerOf(account);
    const { id, username } = payer;
    return { entry: { email, blocked, payingUser: { id, username }, settings }, companyId, payer };
  },
);

export type FoundEntry =
  /** Neither the address nor its domain is listed, or it is not an address at all. */
  | { readonly kind: 'unknown' }
  | ({ readonly kind: 'blocked' } & Deciding)
  /** The payer was eligible when the entry was set; check `unfitness` for whether it still is. */
  | ({ readonly kind: 'allowed' } & Deciding);

interface Deciding {
  readonly entry: SenderEntry;
  /** The company whose list has the entry. */
  readonly companyId: number;
  readonly payer: Payer;
}

/**
 * Looks up what the list says about an e-mail from an address (API: states of a sender entry). The entry for the whole address
 * decides alone if there is one, or else that for its domain.
 */
export async function findEntry(store: Store, address: string): Promise<FoundEntry> {
  const key = keyOf(address);
  if (key === undefined) return { kind: 'unknown' };
  const found = await store.read(findDecidingEntry, key);
  if (found === undefined) return { kind: 'unknown' };
  return { kind: found.entry.blocked ? 'blocked' : 'allowed', ...found };
}

/**
 * An address that can have no entry of its own, such as one with the name `jürgen`, is decided by its domain's entry alone.
 * Undefined if it is not an address.
 */
export function keyOf(address: string): SenderKey | undefined {
  const parsed = parseEmailAddress(address);
  if (parsed.ok) {
    const { local, domain } = parsed.value;
    return { email: `${local}@${domain}`, domain };
  }
  const at = address.lastIndexOf('@');
  const domain = parseDomain(address.slice(at + 1));
  return at > 0 && domain.ok ? { email: `@${domain.value}`, domain: domain.value } : undefined;
}

export async function defaultsOf(reading: Reading, companyId: number, lock = noLock): Promise<EmailDefaults> {
  const own = await storedDefaults.first(reading)`
    FROM email_defaults WHERE company_id = ${companyId} ${lock}`;
  if (own === undefined) return { payingUser: undefined, settings: noSettings };
  const { companyId: _, payingUserId: id, ...settings } = own;
  const username = id === undefined ? undefined : (await usernames(reading, [id])).get(id);
  return { payingUser: id === undefined || username === undefined ? undefined : { id, username }, settings };
}

export interface DefaultsChange {
  readonly companyId: number;
  /** The user as entered; null clears; undefined leaves it unchanged. */
  readonly payingUser: string | null | undefined;
  readonly settings: SettingsChange;
}

export type DefaultsChanged =
  | { readonly kind: 'changed'; readonly defaults: EmailDefaults; readonly endings: readonly string[] }
  | SenderRefusal;

interface DefaultsToSet extends DefaultsChange {
  readonly by: Acting;
}

export const changeDefaults = refusable(
  writeVerb('email.changeDefaults', async (transaction, inputs: readonly DefaultsToSet[]) => {
    await keepPayers(transaction, inputs);
    return inOrderOf(
      inputs,
      ({ companyId }) => companyId,
      async (input) => {
        const changed = await changeOne(transaction, input);
        if (changed.kind === 'changed' && saysAnything(input))
          await recordSenderAct(transaction, input.by, 'email.defaults.change', 'defaults');
        return changed;
      },
    );
  }),
);

/** A call without any value only reads the defaults. */
function saysAnything({ payingUser, settings }: DefaultsChange): boolean {
  return [payingUser, ...Object.values(settings)].some((value) => value !== undefined);
}

/** The payer must already be locked (`keepPayers`). */
export async function changeOne(transaction: Transaction, input: DefaultsChange): Promise<DefaultsChanged> {
  const { companyId, payingUser, settings } = input;
  const named =
    typeof payingUser === 'string' ? await payerNamed(transaction, payingUser, { isKept: true }) : undefined;
  const endings = await endingsOf(transaction, companyId);
  if (endings === undefined) return { kind: 'companyGone' };
  if (typeof payingUser === 'string') {
    const fault = faultOfPayer(named, { name: payingUser, isDefault: false, companyId });
    if (fault !== undefined) return { kind: 'refused', fault };
  }
  // Ensures that there is a row to lock, so that of two concurrent calls each sees what the other has set.
  await transaction.run(
    sql`INSERT INTO email_defaults (company_id) VALUES (${companyId}) ON CONFLICT (company_id) DO NOTHING`,
  );
  const before = await defaultsOf(transaction, companyId, forUpdate);
  const defaults = {
    payingUser:
      payingUser === undefined ? before.payingUser : named && { id: named.id, username: named.username },
    settings: changedSettings(before.settings, settings),
  };
  const payer =
    defaults.payingUser && (named ?? (await payerNamed(transaction, String(defaults.payingUser.id))));
  const isJudged = payingUser !== undefined || settings.splitCallback !== undefined;
  const fault =
    isJudged && payer && faultOfSplitCallback(payer, defaults.settings.splitCallback === true, false);
  if (fault) return { kind: 'refused', fault };
  const payingUserId = defaults.payingUser?.id;
  const row = storedDefaults.row({ companyId, payingUserId, ...defaults.settings });
  await transaction.each(storedDefaults.columns, [row], updateDefaults);
  return { kind: 'changed', defaults, endings };
}

const updateDefaults = sql`UPDATE email_defaults SET ${raw(storedDefaults.assignments('each', ['company_id']))}
  ${fromEach} WHERE email_defaults.company_id = each.company_id`;

/** Undefined if the company no longer exists. */
async function endingsOf(reading: Reading, companyId: number): Promise<readonly string[] | undefined> {
  return (await findCompany(reading, companyId))?.allowedDomainEndings;
}

export const readEndings = readVerb('email.readEndings', (reading, companyId: number) =>
  endingsOf(reading, companyId),
);

export interface Acting extends ActingUser {
  readonly companyId: number;
  readonly now: number;
}

/** Writes the audit log entry, for every endpoint. */
export function recordSenderAct(
  transaction: Transaction,
  by: Acting,
  act: `email.sender.${'make' | 'change' | 'remove'}` | 'email.defaults.change',
  object: string,
): Promise<void> {
  return recordAct(transaction, { companyId: by.companyId, at: by.now, by: byUser(by), act, object });
}
