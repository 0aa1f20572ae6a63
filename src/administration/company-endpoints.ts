/** The endpoints of the management API by which administrators read and change their company. */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import {
  type CompanyLanguage,
  type CostCenter,
  companyLanguages,
  type FactorRule,
  factorRules,
  keptCostCenters,
  maxCostCenterCode,
  maxCostCenterName,
  maxCostCenters,
} from '../accounts/company-records.ts';
import { requireRole } from '../accounts/role.ts';
import { isTimeOfDay, outsideHours, parseOwnHours } from '../batches/hours/send-hours.ts';
import { timeZone } from '../batches/hours/zone-parameter.ts';
import { parseCountryCode } from '../email/senders/sender-entry.ts';
import { errorOfFields, ServiceError } from '../foundation/errors.ts';
import { fault, quoted, type Result, success } from '../foundation/result.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { text, word } from '../http/parameters/kinds.ts';
import { objectList } from '../http/parameters/lists.ts';
import { clearable, ruled } from '../http/parameters/parameter.ts';
import { allowed } from '../resources/declaration.ts';
import { announceHint } from '../storage/hints.ts';
import { type OptOutPolicy, optOutPolicies } from '../wire/category.ts';
import { parseSender } from '../wire/sender-id.ts';
import type { UserAdministration } from './administer-company-users.ts';
import {
  type CompanyChange,
  type CompanySettings,
  changeCompany,
  readCompany,
  readCostCenters,
} from './company.ts';

const endpoint = endpointsFor<Caller>();
const path = '/api/v1/company';
const common = { group: 'Company', credentials: anyMethod } as const;

const time = (description: string) =>
  ruled(
    text({ maxLength: 10, description }),
    (given): Result<string> =>
      isTimeOfDay(given)
        ? success(given)
        : fault('invalid_value', { sentence: 'time_of_day', time: quoted(given) }),
  );

function costCentersIn(given: readonly CostCenter[]): readonly CostCenter[] {
  const kept = keptCostCenters(given);
  if (typeof kept !== 'string') return kept;
  const said = { sentence: 'cost_center_code', code: quoted(kept) } as const;
  throw errorOfFields(fault('invalid_value', said), 'costCenters');
}

const settings = {
  defaultSender: clearable(
    ruled(
      text({ maxLength: 60, description: 'Sender id for users without their own.' }),
      (given): Result<string> => {
        const parsed = parseSender(given);
        return parsed.ok ? success(parsed.value.value) : parsed;
      },
    ),
  ),
  language: word(companyLanguages, { description: 'Language of e-mails to the company’s people.' }),
  countryCode: clearable(
    ruled(
      text({
        maxLength: 10,
        description: 'Replaces a single leading zero of numbers, where a call gives no code.',
      }),
      parseCountryCode,
    ),
  ),
  timeZone: clearable(
    timeZone('Time zone of send hours, records of runs and e-mails: `Europe/Stockholm`. Initially UTC.'),
  ),
  costCenters: objectList({
    maxItems: maxCostCenters,
    itemName: 'NamedCostCenter',
    description: 'The whole list of named cost centres, for suggestions; calls may give others too.',
    fields: {
      code: text({ required: true, maxLength: maxCostCenterCode, description: 'As calls give it.' }),
      name: text({ required: true, maxLength: maxCostCenterName, description: 'What people read.' }),
    },
  }),
  sendHoursFrom: clearable(
    time('When batches may begin to be sent: `07:00`. The other send hours are needed with it.'),
  ),
  sendHoursTo: time('When batches stop.'),
  sendHoursZone: clearable(
    timeZone('Time zone of the send hours: `Europe/Stockholm`. Initially that of the company.'),
  ),
  sendHoursBatch: word(outsideHours, {
    description: 'What becomes of a batch outside these hours. Initially `delay`.',
  }),
  secondFactor: word(factorRules, {
    description: 'Who must sign in to the portal with a second factor.',
  }),
  optOuts: word(optOutPolicies, {
    description:
      'What happens to messages to people who have opted out: `off`: they are sent; `honour`: they are not; `essentialPasses`: only essential ones are. Initially `off`, where STOP does nothing either.',
  }),
} as const;

const shownCostCenters = Type.Array(
  Type.Object({ code: Type.String(), name: Type.String() }, { title: 'CostCenterName' }),
);
const optionalText = Type.Optional(Type.String());
const count = (description: string) => Type.Optional(Type.Integer({ description }));
const list = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));
const shown = Type.Object(
  {
    name: Type.String(),
    defaultSender: optionalText,
    language: Type.Unsafe<CompanyLanguage>({ type: 'string', enum: [...companyLanguages] }),
    countryCode: optionalText,
    timeZone: Type.Optional(Type.String({ description: 'Absent: UTC.' })),
    costCenters: shownCostCenters,
    sendHoursFrom: Type.Optional(Type.String({ description: 'Absent: batches are sent at all hours.' })),
    sendHoursTo: optionalText,
    sendHoursZone: Type.Optional(Type.String({ description: 'Absent: that of the company.' })),
    sendHoursBatch: Type.Optional(
      Type.Unsafe<(typeof outsideHours)[number]>({ type: 'string', enum: [...outsideHours] }),
    ),
    secondFactor: Type.Unsafe<FactorRule>({ type: 'string', enum: [...factorRules] }),
    optOuts: Type.Unsafe<OptOutPolicy>({ type: 'string', enum: [...optOutPolicies] }),
    senders: list('The only sender ids that users may use. The operator sets these and all limits below.'),
    quotaParts: count('SMS parts in all.'),
    partsPerMinute: count('SMS parts per minute.'),
    partsPerDay: count('SMS parts per day (UTC).'),
    countries: list('The only countries that users may send to (ISO 3166).'),
    mailsPerDay: count('E-mails of jobs per day (UTC).'),
    managed: Type.Boolean({ description: 'Whether a provisioning file has the company.' }),
    managedKeys: Type.Array(Type.String(), {
      description: 'Keys set by a provisioning file; only that file can change them.',
    }),
    version: Type.String({ description: 'Changes whenever the company changes.' }),
  },
  { title: 'Company' },
);

function shownCompany({ company, isManaged, managedKeys, version }: CompanySettings) {
  const hours = parseOwnHours(company.sendHours ?? null);
  const { senders, limits } = company;
  return {
    name: company.name,
    defaultSender: company.defaultSender,
    language: company.language ?? ('en' as const),
    countryCode: company.countryCode,
    timeZone: company.timeZone,
    costCenters: [...(company.costCenters ?? [])],
    sendHoursFrom: hours?.from,
    sendHoursTo: hours?.to,
    sendHoursZone: hours?.zone,
    sendHoursBatch: hours?.batch,
    secondFactor: company.secondFactor ?? ('optional' as const),
    optOuts: company.optOuts ?? ('off' as const),
    senders: senders && [...senders],
    quotaParts: company.quotaParts,
    partsPerMinute: limits?.partsPerMinute,
    partsPerDay: limits?.partsPerDay,
    countries: limits?.countries && [...limits.countries],
    mailsPerDay: company.mailsPerDay,
    managed: isManaged,
    managedKeys: [...managedKeys],
    version,
  };
}

export function companyEndpoints(services: UserAdministration) {
  const { store, clock, news, routes } = services;
  return [
    endpoint({
      path,
      methods: ['GET'],
      ...common,
      operation: 'getCompany',
      title: 'Read the company',
      description: 'Returns the settings and limits of the company. Requires the role companyAdmin.',
      example: { url: {} },
      parameters: {},
      answer: shown,
      answersVersion: true,
      errors: ['role_missing'],
      async handle(caller) {
        requireRole(caller, 'companyAdmin');
        const found = await store.read(readCompany, caller.companyId);
        if (found === null) throw new ServiceError('not_found', 'The company no longer exists.');
        return shownCompany(found);
      },
    }),
    endpoint({
      path,
      methods: ['PATCH'],
      ...common,
      operation: 'updateCompany',
      title: 'Change the company',
      description:
        'Changes the given settings, from the next call on. Requires the role companyAdmin. Limits are set by the operator.',
      example: { json: { countryCode: '46' } },
      parameters: settings,
      answer: shown,
      answersVersion: true,
      takesVersion: true,
      errors: [
        ...(['role_missing', 'managed', 'missing_parameter'] as const),
        ...(['invalid_sender', 'sender_not_allowed', 'sender_not_yours'] as const),
      ],
      async handle(caller, given: CompanyChange, { ifMatch }) {
        requireRole(caller, 'companyAdmin');
        const change = { ...given, costCenters: given.costCenters && costCentersIn(given.costCenters) };
        const { companyId, username, session } = caller;
        // A default that belongs to another company would make each call that relies on it fail.
        if (change.defaultSender)
          routes().senderOwners.refuseForeign(companyId, change.defaultSender, 'defaultSender');
        const by = { companyId, username, session, now: clock.now() };
        const written = allowed(await store.write(changeCompany, { by, change, ifMatch }));
        // On this node the change takes effect at once.
        await news.read();
        announceHint(store, companyId, 'company');
        return shownCompany(written);
      },
    }),
    endpoint({
      path: `${path}/costcenters` as const,
      methods: ['GET'],
      ...common,
      operation: 'listCostCenters',
      title: 'List cost centres',
      description: 'Returns the cost centres that the company has named, for suggestions to everybody.',
      example: { url: {} },
      parameters: {},
      answer: Type.Object({ costCenters: shownCostCenters }, { title: 'CostCenters' }),
      async handle(caller) {
        const found = await store.read(readCostCenters, caller.companyId);
        return { costCenters: [...found] };
      },
    }),
  ] as const;
}
