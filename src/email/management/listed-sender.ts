/**
 * An e-mail sender as administrators list, create, change and remove it; nodes look up an entry in the store for each e-mail.
 */
import { managedByFile, type Refused, type Row, type Scope } from '../../resources/declaration.ts';
import { Resource } from '../../resources/resource.ts';
import { oneOf, placeIn, sql } from '../../storage/sql.ts';
import { refusalError } from '../senders/administer-senders.ts';
import { entryFields } from '../senders/entry-records.ts';
import { keepPayers, type PayerProblem, payerProblem, payersById } from '../senders/paying-user.ts';
import {
  type SenderKey,
  type SettingsChange,
  type SomeSettings,
  settingNames,
  settled,
} from '../senders/sender-entry.ts';
import { entryOf, faultOfKey, faultOfRemoval, type SenderRefusal } from '../senders/store.ts';

/** Each key is on the list of at most one company. */
const onList: Scope = {
  column: 'company_id',
  place: 'on the list of the company',
  async managed(reading, companyId, section, objects) {
    // Reports only keys that this company lists now: other companies' files are private to them, and entries removed by a
    // call are no longer listed.
    const keys = objects.map(({ key }) => key);
    const listed = await reading.all<{ email: string }>(
      sql`SELECT email FROM email_senders WHERE company_id = ${companyId} AND email ${oneOf('text', keys)}`,
    );
    const emails = listed.map(({ email }) => email);
    const managed = await managedByFile(reading, section, emails, String);
    return new Map([...managed].map(([key, fields]) => [key, fields.map(nameOf)]));
  },
};

/** Undefined leaves a setting unchanged; null clears it. */
export type GivenEntry = Partial<SettingsChange> & {
  readonly payingUser?: string | undefined;
  readonly blocked?: boolean | undefined;
};

interface Paid {
  /** The user name of the paying account. */
  readonly payingUser: string;
  readonly payerProblem: PayerProblem | undefined;
}

interface Sought {
  /** A part of the address, as addresses are stored. */
  readonly q?: string | undefined;
}

export type ListedSender = Row<typeof entryFields, string, Paid>;

export const emailSenders = new Resource<typeof entryFields, string, GivenEntry, Paid, Sought>({
  noun: 'e-mail sender',
  plural: 'emailSenders',
  table: 'email_senders',
  scope: onList,
  nameColumn: 'email',
  fields: entryFields,
  isManagedByField: true,
  acts: { make: 'email.sender.make', change: 'email.sender.change', remove: 'email.sender.remove' },
  hint: 'emailsenders',
  among: ({ q }) => (q === undefined || q === '' ? sql`` : sql`AND ${placeIn}(email, ${q}) > 0`),
  // Creating an entry counts the existing entries.
  weight: () => 20,
  lockFirst: (transaction, { by: { companyId }, more }) =>
    keepPayers(transaction, [{ companyId, payingUser: more?.payingUser }]),
  async become(transaction, { by: { companyId }, key: email, before, more = {} }) {
    const key = senderKeyOf(email);
    const put = await entryOf(transaction, {
      companyId,
      key,
      blocked: more.blocked ?? before?.blocked ?? false,
      payingUser: more.payingUser ?? before?.payingUserId.toString(),
      settings: mergedSettings(before, more),
    });
    if (put.kind !== 'put') return refused(put, key);
    const fault = before === undefined ? await faultOfKey(transaction, { companyId, key }) : undefined;
    if (fault !== undefined) return refused(fault, key);
    const { blocked, payingUser, settings } = put.entry;
    return { payingUserId: payingUser.id, blocked, ...settings };
  },
  async refusesRemoval(reading, { companyId }, { key: email }) {
    const key = senderKeyOf(email);
    const fault = await faultOfRemoval(reading, { companyId, key });
    return fault && refused(fault, key);
  },
  async extra(reading, rows) {
    const payers = await payersById(
      reading,
      rows.map(({ payingUserId }) => payingUserId),
    );
    return rows.map(({ payingUserId }) => {
      const payer = payers.get(payingUserId);
      return { payingUser: payer?.username ?? '', payerProblem: payer && payerProblem(payer) };
    });
  },
});

/** Parses a key that is in its stored form. */
function senderKeyOf(email: string): SenderKey {
  return { email, domain: email.slice(email.lastIndexOf('@') + 1) };
}

/** A cleared setting takes the value that means none; a setting left out of a new entry takes the company's default. */
function mergedSettings(before: SomeSettings | undefined, change: GivenEntry): SomeSettings {
  const none = settled({} as SomeSettings);
  return Object.fromEntries(
    settingNames.map((name) => [name, change[name] === null ? none[name] : (change[name] ?? before?.[name])]),
  ) as unknown as SomeSettings;
}

/** Entry rules and provisioning files use the contract's names for settings, where `payinguser` is one word. */
export function nameOf(field: string): string {
  return field === 'payinguser' ? 'payingUser' : field;
}

export function refused(refusal: SenderRefusal, key?: SenderKey): Refused {
  const { code, message, values, errors } = refusalError(refusal, key);
  const [fault] = errors;
  const error = message.replaceAll('`payinguser`', '`payingUser`');
  return { refused: { code, error, values, field: fault && nameOf(fault.field) } };
}
