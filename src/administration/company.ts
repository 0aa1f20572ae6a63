/**
 * A company as its administrators see it, and the settings that they may change. Each company has exactly one, which is
 * neither listed nor removed here, so it is not a resource.
 */
import {
  type CompanyLanguage,
  type CompanyRecord,
  type CostCenter,
  type FactorRule,
  findCompany,
  updateCompanies,
  waitForTurn,
} from '../accounts/company-records.ts';
import { managedFault, readSetKeys } from '../accounts/set-keys.ts';
import { type ActingUser, byUser, recordAct } from '../audit/audit-log.ts';
import { type OwnHours, parseOwnHours } from '../batches/hours/send-hours.ts';
import { type IfMatch, isMatch } from '../foundation/if-match.ts';
import { quoted } from '../foundation/result.ts';
import { type Refused, refusal, refusedField } from '../resources/declaration.ts';
import { digestOf } from '../resources/resource.ts';
import { raiseNews } from '../storage/news.ts';
import { type Reading, readVerb, refusable, singleWriteVerb } from '../storage/verb.ts';
import type { OptOutPolicy } from '../wire/category.ts';
import { settled } from './company-user.ts';

/** An undefined setting is unchanged, and null clears it. */
export interface CompanyChange {
  readonly defaultSender?: string | null | undefined;
  readonly language?: CompanyLanguage | undefined;
  readonly countryCode?: string | null | undefined;
  readonly timeZone?: string | null | undefined;
  /** The whole list; an empty one clears it. */
  readonly costCenters?: readonly CostCenter[] | undefined;
  /** Null, for the beginning, lifts the hours; otherwise what is not given stays. */
  readonly sendHoursFrom?: string | null | undefined;
  readonly sendHoursTo?: string | undefined;
  /** Null stands for the company's time zone. */
  readonly sendHoursZone?: string | null | undefined;
  readonly sendHoursBatch?: OwnHours['batch'] | undefined;
  readonly optOuts?: OptOutPolicy | undefined;
  readonly secondFactor?: FactorRule | undefined;
}

export interface CompanySettings {
  readonly company: CompanyRecord;
  /** The keys set by a provisioning file, by their names in the file. */
  readonly managedKeys: readonly string[];
  readonly isManaged: boolean;
  readonly version: string;
}

/** The keys of a company in a file that are settings of the company itself, and not sections with further objects. */
const ownKeys: readonly string[] = [
  ...['defaultSender', 'language', 'countryCode', 'sendHours', 'senders', 'quotaParts', 'limits'],
  ...['mailsPerDay', 'optOuts', 'secondFactor', 'timeZone', 'costCenters'],
];

export const readCompany = readVerb('accounts.readCompany', (reading, companyId: number) =>
  settingsOf(reading, companyId),
);

async function settingsOf(reading: Reading, companyId: number): Promise<CompanySettings | null> {
  const company = await findCompany(reading, companyId);
  if (company === undefined) return null;
  const setKeys = await readSetKeys(reading, 'companies', [company.name]);
  const keys = new Set(setKeys.flatMap((one) => one.keys));
  return {
    company,
    managedKeys: ownKeys.filter((key) => keys.has(key)),
    isManaged: setKeys.length > 0,
    version: digestOf(company),
  };
}

export const readCostCenters = readVerb(
  'accounts.readCostCenters',
  async (reading, companyId: number) => (await findCompany(reading, companyId))?.costCenters ?? [],
);

interface Acting extends ActingUser {
  readonly companyId: number;
  readonly now: number;
}

export interface CompanyToChange {
  readonly by: Acting;
  readonly change: CompanyChange;
  readonly ifMatch: IfMatch;
}

export const changeCompany = refusable(
  singleWriteVerb(
    'accounts.changeCompany',
    async (transaction, { by, change, ifMatch }: CompanyToChange): Promise<CompanySettings | Refused> => {
      const { companyId } = by;
      // A file writes a company whole, as it was read before: a change made meanwhile would be lost.
      await waitForTurn(transaction, companyId);
      const before = await settingsOf(transaction, companyId);
      if (before === null) return refusal('not_found', 'The company no longer exists.');
      if (!isMatch(ifMatch, before.version))
        return refusal(
          'changed_meanwhile',
          'The company was changed by someone else. Reload it and try again. Nothing was changed.',
        );
      const keys = keysOf(change);
      const managed = keys.find((key) => before.managedKeys.includes(key));
      if (managed !== undefined)
        return { refused: managedFault({ sentence: 'managed_setting', field: managed }) };
      const company = changed(before.company, change);
      if ('refused' in company) return company;
      const version = digestOf(company);
      if (version === before.version) return before;
      await updateCompanies(transaction, [company]);
      await recordAct(transaction, {
        companyId,
        at: by.now,
        by: byUser(by),
        act: 'company.change',
        object: company.name,
        details: keys.join(', '),
      });
      await raiseNews(transaction, 'accounts');
      return { ...before, company, version };
    },
  ),
);

/** The provisioning keys that the change affects. */
function keysOf(change: CompanyChange): readonly string[] {
  const given = Object.entries(change).flatMap(([name, value]) => (value === undefined ? [] : name));
  return [...new Set(given.map((name) => (name.startsWith('sendHours') ? 'sendHours' : name)))];
}

function changed(company: CompanyRecord, change: CompanyChange): CompanyRecord | Refused {
  const { defaultSender, language, countryCode } = change;
  const { optOuts = company.optOuts, secondFactor = company.secondFactor } = change;
  const { costCenters = company.costCenters } = change;
  const timeZone = settled(change.timeZone, company.timeZone);
  const hours = changedHours(parseOwnHours(company.sendHours ?? null), change, timeZone);
  if (hours !== undefined && 'refused' in hours) return hours;
  const after = {
    ...company,
    defaultSender: settled(defaultSender, company.defaultSender),
    language: language === (company.language ?? 'en') ? company.language : (language ?? company.language),
    countryCode: settled(countryCode, company.countryCode),
    timeZone,
    costCenters: costCenters?.length === 0 ? undefined : costCenters,
    sendHours: hours && JSON.stringify(hours),
    secondFactor: secondFactor === 'optional' ? undefined : secondFactor,
    optOuts: optOuts === 'off' ? undefined : optOuts,
  };
  const sender = after.defaultSender;
  if (sender !== undefined && after.senders?.includes(sender) === false) {
    const said = { sentence: 'company_sender_not_listed', sender: quoted(sender) } as const;
    return refusedField('defaultSender', 'sender_not_allowed', said);
  }
  return after;
}

function changedHours(
  before: OwnHours | undefined,
  change: CompanyChange,
  companyZone: string | undefined,
): OwnHours | Refused | undefined {
  const { sendHoursFrom, sendHoursTo, sendHoursZone, sendHoursBatch } = change;
  if (sendHoursFrom === null) return undefined;
  const isGiven = [sendHoursFrom, sendHoursTo, sendHoursZone, sendHoursBatch].some(
    (one) => one !== undefined,
  );
  if (!isGiven && (before === undefined || change.timeZone !== null)) return before;
  const from = sendHoursFrom ?? before?.from;
  const to = sendHoursTo ?? before?.to;
  const zone = settled(sendHoursZone, before?.zone);
  if (from === undefined || to === undefined || (zone ?? companyZone) === undefined) {
    const missing = from === undefined ? 'sendHoursFrom' : to === undefined ? 'sendHoursTo' : 'sendHoursZone';
    return refusedField(missing, 'missing_parameter', { sentence: 'hours_incomplete' });
  }
  if (from === to) return refusedField('sendHoursTo', 'invalid_value', { sentence: 'hours_empty' });
  return { from, to, zone, batch: sendHoursBatch ?? before?.batch ?? 'delay' };
}
