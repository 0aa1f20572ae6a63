/** Companies of a provisioning file: what they may send, and when. */
import {
  type CompanyRecord,
  companyLanguages,
  createCompanies,
  readCompanies,
  removeCompanies,
  updateCompanies,
} from '../../accounts/company-records.ts';
import { parseSendHours, type SendHours } from '../../batches/hours/send-hours.ts';
import { parseDomainEnding, warningOf } from '../../email/senders/sender-entry.ts';
import type { Place } from '../../yaml/fault.ts';
import {
  explicitList,
  type Fields,
  flag,
  needed,
  oneOfWords,
  optional,
  type Read,
  ruled,
  wholeNumber,
} from '../../yaml/fields.ts';
import { type Kind, keeping } from '../objects/kind.ts';
import { sendingLimits } from '../objects/limits-fields.ts';
import { line, mapEdit, shortLimits } from '../objects/line.ts';
import { givenId, name, remove } from '../objects/login-fields.ts';
import { mailCut } from '../objects/mail-cut-field.ts';
import { faultAt, type Planned, planned } from '../objects/planned.ts';
import { sendHours } from '../objects/send-hours-fields.ts';
import { maxSenders, sender } from '../objects/sender-field.ts';

export interface CompanyPlan extends Planned, Omit<CompanyRecord, 'sendHours' | 'allowedDomainEndings'> {
  readonly sendHours: SendHours | undefined;
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

const ownFields = {
  name: needed(name, ''),
  id: optional(givenId, undefined),
  active: optional(flag, true),
  quotaParts: optional(wholeNumber(0, 1_000_000_000_000), undefined),
  limits: optional(sendingLimits, undefined),
  mailsPerDay: optional(wholeNumber(0, 1_000_000_000), undefined),
  defaultSender: optional(sender, undefined),
  senders: optional(explicitList(sender, 'any', maxSenders), undefined),
  sendHours: optional(sendHours, undefined),
  allowedDomainEndings: optional(explicitList(domainEnding, 'none'), []),
  mailCut: optional(mailCut, undefined),
  language: optional(oneOfWords(companyLanguages), undefined),
  signInMails: optional(flag, false),
} as const;

/** With the sections that stand within a company. */
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
  ids: { noun: 'company', idOf: ({ id }) => id, labelOf: ({ name }) => name, retired: 'company' },
  load: readCompanies,
  after(asked, before, _, keeps) {
    const { name, active, quotaParts, limits, mailsPerDay, defaultSender, sendHours } = asked;
    const wanted = {
      id: before?.id ?? asked.id,
      name,
      active,
      quotaParts,
      limits,
      mailsPerDay,
      defaultSender,
      senders: asked.senders && [...new Set(asked.senders)],
      sendHours: sendHours && JSON.stringify(sendHours),
      allowedDomainEndings: [...new Set(asked.allowedDomainEndings.map(({ ending }) => ending))],
      mailCut: asked.mailCut?.length === 0 ? undefined : asked.mailCut,
      language: asked.language,
      signInMails: asked.signInMails,
    };
    return keeping(wanted, before, keeps);
  },
  describe: (edits) =>
    edits.map((edit) =>
      line(
        mapEdit(edit, (company) => ({
          ...company,
          limits: shortLimits(company.limits),
          sendHours: shortHours(company.sendHours),
          mailCut: company.mailCut?.map((opening) => JSON.stringify(opening)),
        })),
        ({ name }) => `company ${name}`,
        {
          absent: { quotaParts: 'unlimited', mailsPerDay: 'as SMS parts', senders: 'any', sendHours: 'any' },
          ordinary: { active: true, allowedDomainEndings: [], signInMails: false },
        },
      ),
    ),
  faults: (view) =>
    [...view.asked(companies).values()].flatMap((asked) => {
      const { defaultSender, senders } = view.after(companies).get(asked.name) ?? {};
      if (asked.remove || defaultSender === undefined || (senders?.includes(defaultSender) ?? true))
        return [];
      const field = 'defaultSender' in asked.fieldPlaces ? 'defaultSender' : 'senders';
      const sentence = `${defaultSender} is not among the "senders" that this company is limited to`;
      return [faultAt(asked, field, sentence)];
    }),
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

/** As `07:00-21:00 Europe/Stockholm batch drop`. */
function shortHours(stored: string | undefined): string | undefined {
  const hours = parseSendHours(stored ?? null);
  return hours && `${hours.from}-${hours.to} ${hours.zone} batch ${hours.batch}`;
}
