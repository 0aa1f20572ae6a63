/** Companies in a provisioning file: what they may send, and when. */
import {
  type CompanyRecord,
  type CostCenter,
  companyLanguages,
  createCompanies,
  type FactorRule,
  factorRules,
  keptCostCenters,
  maxCostCenterCode,
  maxCostCenterName,
  maxCostCenters,
  readCompanies,
  removeCompanies,
  updateCompanies,
} from '../../accounts/company-records.ts';
import { isTimeOfDay, type OwnHours, outsideHours, parseOwnHours } from '../../batches/hours/send-hours.ts';
import { isTimeZone } from '../../batches/hours/send-window.ts';
import { parseCountryCode, parseDomainEnding, warningOf } from '../../email/senders/sender-entry.ts';
import { type OptOutPolicy, optOutPolicies } from '../../wire/category.ts';
import type { Place } from '../../yaml/fault.ts';
import {
  explicitList,
  type Fields,
  flag,
  nearest,
  needed,
  object,
  oneOfWords,
  optional,
  plainText,
  type Read,
  ruled,
  text,
  wholeNumber,
} from '../../yaml/fields.ts';
import {
  givenId,
  name,
  quotaParts,
  remove,
  sender,
  senders,
  sendingLimits,
  shortLimits,
} from '../objects/fields.ts';
import { type Kind, keeping } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { faultAt, type Planned, placeOf, planned } from '../objects/planned.ts';

export interface CompanyPlan
  extends Planned,
    Omit<CompanyRecord, 'sendHours' | 'allowedDomainEndings' | 'optOuts' | 'secondFactor'> {
  readonly optOuts: OptOutPolicy;
  readonly secondFactor: FactorRule;
  readonly sendHours: OwnHours | undefined;
  readonly allowedDomainEndings: readonly EndingPlan[];
}

interface EndingPlan {
  readonly ending: string;
  readonly place: Place;
}

const endingText = ruled(parseDomainEnding);

const domainEnding: Read<EndingPlan> = (tree, faults) => {
  const ending = endingText(tree, faults);
  return ending === undefined ? undefined : { ending, place: tree.place };
};

const timeOfDay = text((written) => {
  if (isTimeOfDay(written)) return { value: written };
  const advice = written === '24:00' ? '; write "00:00" for midnight' : '';
  return { wrong: `must be a time from 00:00 to 23:59, such as "07:00"${advice}` };
});

const zone = text((written) => {
  if (isTimeZone(written)) return { value: written };
  const meant = nearest(written, Intl.supportedValuesOf('timeZone'));
  const advice = meant === undefined ? '' : `; did you mean ${meant}?`;
  return { wrong: `must name a time zone, such as Europe/Stockholm${advice}` };
});

const hoursFields = object({
  from: needed(timeOfDay, ''),
  to: needed(timeOfDay, ''),
  zone: optional(zone, undefined),
  batch: optional(oneOfWords(outsideHours), 'delay' as const),
});

/** The hours in which batches may be sent. */
const sendHours: Read<OwnHours> = (tree, faults) => {
  const read = hoursFields(tree, faults);
  if (read === undefined) return undefined;
  const { from, to, zone, batch } = read;
  if (from !== '' && from === to) {
    const sentence = 'must not be the same time as "from"; to send at all hours, leave "sendHours" out';
    faults.push({ place: placeOf(read, 'to'), sentence });
  }
  return { from, to, zone, batch };
};

/** Written as `07:00-21:00 Europe/Stockholm batch drop`. */
function shortHours(stored: string | undefined): string | undefined {
  const hours = parseOwnHours(stored ?? null);
  if (hours === undefined) return undefined;
  const { from, to, zone, batch } = hours;
  return [`${from}-${to}`, ...(zone === undefined ? [] : [zone]), 'batch', batch].join(' ');
}

const maxOpenings = 20;
const longestOpening = plainText(100);
/** Shorter beginnings occur even in lines that people write. */
const shortestOpening = 5;

const opening = text((written) => {
  const read = longestOpening(written);
  if ('wrong' in read) return read;
  const value = written.trim().replace(/\s+/g, ' ');
  return value.length >= shortestOpening
    ? { value }
    : {
        wrong: `must have at least ${shortestOpening} characters, because every line that begins with this text is removed`,
      };
});

const openings = explicitList(opening, 'none');

/** The beginnings of lines that a company's mail gateways add. An empty list counts as an omitted key. */
const mailCut: Read<readonly string[]> = (tree, faults) => {
  const read = openings(tree, faults);
  if (read === undefined || read.length === 0) return undefined;
  if (read.length <= maxOpenings) return read;
  faults.push({ place: tree.place, sentence: `must have at most ${maxOpenings} lines` });
  return undefined;
};

const costCenter = object({
  code: needed(text(plainText(maxCostCenterCode)), ''),
  name: needed(text(plainText(maxCostCenterName)), ''),
});
const costCenterList = explicitList(costCenter, 'none', maxCostCenters);

/** An empty list counts as an omitted key. */
const costCenters: Read<readonly CostCenter[]> = (tree, faults) => {
  const read = costCenterList(tree, faults);
  const kept = keptCostCenters(read ?? []);
  if (typeof kept !== 'string') return kept.length === 0 ? undefined : kept;
  const sentence = `the cost centre ${JSON.stringify(kept)} needs a code that is in the list only once, without a semicolon, and a name`;
  faults.push({ place: tree.place, sentence });
  return undefined;
};

const ownFields = {
  name: needed(name, ''),
  id: optional(givenId, undefined),
  active: optional(flag, true),
  quotaParts,
  limits: optional(sendingLimits, undefined),
  mailsPerDay: optional(wholeNumber(0, 1_000_000_000), undefined),
  defaultSender: optional(sender, undefined),
  senders,
  sendHours: optional(sendHours, undefined),
  allowedDomainEndings: optional(explicitList(domainEnding, 'none'), []),
  mailCut: optional(mailCut, undefined),
  language: optional(oneOfWords(companyLanguages), undefined),
  countryCode: optional(ruled(parseCountryCode), undefined),
  timeZone: optional(zone, undefined),
  costCenters: optional(costCenters, undefined),
  signInMails: optional(flag, false),
  secondFactor: optional(oneOfWords(factorRules), 'optional' as FactorRule),
  optOuts: optional(oneOfWords(optOutPolicies), 'off' as OptOutPolicy),
} as const;

/** Adds the sections that belong to a company. */
export function companyReader<Sections extends Fields>(sections: Sections) {
  return planned({ ...ownFields, ...sections, remove });
}

export const companies: Kind<CompanyPlan, CompanyRecord> = {
  section: 'companies',
  within: 'file',
  noun: 'this company',
  read: companyReader({}),
  keyField: 'name',
  keyOf: ({ name }) => name,
  ids: { noun: 'company', retired: 'company' },
  load: readCompanies,
  after(asked, before, _, keeps) {
    const { name, active, quotaParts, limits, mailsPerDay, defaultSender, senders, sendHours } = asked;
    const wanted = {
      id: before?.id ?? asked.id,
      name,
      active,
      quotaParts,
      limits,
      mailsPerDay,
      defaultSender,
      senders,
      sendHours: sendHours && JSON.stringify(sendHours),
      allowedDomainEndings: [...new Set(asked.allowedDomainEndings.map(({ ending }) => ending))],
      mailCut: asked.mailCut,
      language: asked.language,
      countryCode: asked.countryCode,
      timeZone: asked.timeZone,
      costCenters: asked.costCenters,
      signInMails: asked.signInMails,
      secondFactor: asked.secondFactor === 'optional' ? undefined : asked.secondFactor,
      optOuts: asked.optOuts === 'off' ? undefined : asked.optOuts,
    };
    return keeping(wanted, before, keeps);
  },
  senders: { fields: ['defaultSender', 'senders'], nameOf: () => 'the company' },
  describe: lines(({ name }) => `company ${name}`, {
    as: (company) => ({
      ...company,
      limits: shortLimits(company.limits),
      sendHours: shortHours(company.sendHours),
      mailCut: company.mailCut?.map((opening) => JSON.stringify(opening)),
      costCenters: company.costCenters?.map(({ code, name }) => `${code} (${name})`),
    }),
    absent: {
      quotaParts: 'unlimited',
      mailsPerDay: 'as SMS parts',
      senders: 'any',
      sendHours: 'any',
      timeZone: 'UTC',
      optOuts: 'off',
      secondFactor: 'optional',
    },
    ordinary: { active: true, allowedDomainEndings: [], signInMails: false },
  }),
  faultsOf(asked, view) {
    const { defaultSender, senders, timeZone } = view.after(companies).get(asked.name) ?? {};
    if (asked.remove) return [];
    if (asked.sendHours !== undefined && (asked.sendHours.zone ?? timeZone) === undefined)
      return [faultAt(asked, 'sendHours', 'needs a "zone", because the company has no "timeZone"')];
    if (defaultSender === undefined || senders?.includes(defaultSender) !== false) return [];
    const field = 'defaultSender' in asked.fieldPlaces ? 'defaultSender' : 'senders';
    const sentence = `${defaultSender} is not among the "senders" that this company is limited to`;
    return [faultAt(asked, field, sentence)];
  },
  warnings: ({ allowedDomainEndings }) =>
    allowedDomainEndings.flatMap(({ ending, place }) => {
      const sentence = warningOf(ending);
      return sentence === undefined ? [] : [{ place, sentence }];
    }),
  create: createCompanies,
  change: updateCompanies,
  remove: removeCompanies,
  news: ['accounts', 'senders'],
};
