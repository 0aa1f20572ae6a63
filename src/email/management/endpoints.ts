/** The management API endpoints for a company's e-mail senders, and what they have in common. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { maxUsernameLength } from '../../accounts/user-records.ts';
import { success } from '../../foundation/result.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { boolean, text } from '../../http/parameters/kinds.ts';
import { languageParameter } from '../../http/parameters/language.ts';
import {
  inOrderOfLanguage,
  nameCursor,
  namePageParameters,
  nextOf,
  pageOf,
} from '../../http/parameters/page.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { ofOwnCompany } from '../../resources/api-declaration.ts';
import { ResourceApi } from '../../resources/resource-api.ts';
import {
  queryDomains,
  refuseForeignSender,
  requireEmailAdmin,
  type SenderServices,
} from '../senders/administer-senders.ts';
import { defaultsParameters, settingsParameters } from '../senders/parameters.ts';
import { type PayerProblem, unfitness } from '../senders/paying-user.ts';
import { parseSenderKey, settled, soughtIn, warningOf } from '../senders/sender-entry.ts';
import { changeCompanyDefaults, type ListedDefaults, readCompanyDefaults } from './company-defaults.ts';
import { decideFor, decisions } from './decide.ts';
import { exportSenders } from './export-senders.ts';
import { emailSenders, type GivenEntry, type ListedSender } from './listed-sender.ts';
import { listPayers } from './payers.ts';

const endpoint = endpointsFor<Caller>();
const common = { group: 'E-mail to SMS', credentials: anyMethod } as const;

const blocked = boolean({ description: 'Refuses mail from this sender.' });
const { payinguser: payingUser, ...given } = settingsParameters;
const { payinguser: _, ...clearing } = defaultsParameters;

const q = ruled(text({ get: 'q', maxLength: 254, description: 'A part of the address.' }), soughtIn);
const payerProblem = Type.Optional(
  Type.Unsafe<PayerProblem>({
    type: 'string',
    enum: ['inactive', 'lacksSend'],
    description: 'Why the paying user can’t pay now, so that each e-mail is refused.',
  }),
);

const flag = Type.Optional(Type.Boolean());
const settingsAnswer = {
  payingUser: Type.Optional(Type.String({ description: 'User name of the paying account.' })),
  payingUserId: Type.Optional(Type.String()),
  sender: Type.Optional(
    Type.String({ description: 'Sender id; if empty or absent, that of the paying account is used.' }),
  ),
  costCenter: Type.Optional(Type.String()),
  defaultCountryCode: Type.Optional(Type.String()),
  maxSms: Type.Optional(Type.Integer({ description: 'In SMS parts.' })),
  checkMobile: flag,
  includeSubject: flag,
  onlyNonDelivery: flag,
  origMsg: flag,
  splitCallback: flag,
  senderLogic: flag,
  managedKeys: Type.Array(Type.String(), {
    description: 'Keys set by a provisioning file; only that file can change them.',
  }),
};
const shownDefaults = Type.Object(
  {
    ...settingsAnswer,
    entries: Type.Integer({ description: 'Number of entries on the list, which stay as they are.' }),
    version: Type.String({ description: 'Changes whenever the defaults change.' }),
  },
  { title: 'EmailDefaults' },
);

function tellDefaults({ defaults, version, entries, managedKeys }: ListedDefaults) {
  const { payingUser, settings } = defaults;
  return {
    payingUser: payingUser?.username,
    payingUserId: payingUser && String(payingUser.id),
    ...settings,
    managedKeys: [...managedKeys],
    entries,
    version,
  };
}

const settingErrors = [
  'invalid_sender',
  'sender_not_yours',
  'invalid_paying_user',
  'smtp_split_missing',
] as const;
const entryErrors = [
  ...settingErrors,
  ...(['invalid_email', 'domain_not_allowed', 'belongs_to_another'] as const),
] as const;

export function emailManagementEndpoints(services: SenderServices) {
  return [...aboutSenders(services), ...senderEndpoints(services), ...companyEndpoints(services)] as const;
}

const administrators = ['companyAdmin', 'emailAdmin'] as const;

/** Calls that only read. The file comes before an entry of that name. */
function aboutSenders(services: SenderServices) {
  const { store } = services;
  return [
    endpoint({
      path: '/api/v1/email/senders.csv',
      methods: ['GET'],
      ...common,
      operation: 'exportEmailSenders',
      title: 'Export e-mail senders',
      description: 'Returns all entries as a CSV file. The audit log records the export.',
      example: { url: {} },
      parameters: { q, language: languageParameter },
      answer: Type.String({ description: 'A header line, then a line for each entry.' }),
      answersCsv: true,
      errors: ['role_missing'],
      handle: (caller, { language, ...among }, call) =>
        exportSenders(services, caller, among, language ?? call.language),
    }),
    endpoint({
      path: '/api/v1/email/lookup',
      methods: ['GET'],
      ...common,
      operation: 'queryEmailSender',
      title: 'Find the entry that decides for an address',
      description:
        'Returns which entry decides about e-mails from an address: its own, or else that of its domain.',
      example: { url: { email: 'ward8@care.example' } },
      parameters: {
        email: text({ get: 'email', required: true, maxLength: 1_000, description: 'An address.' }),
      },
      answer: Type.Object({
        decision: Type.Unsafe<(typeof decisions)[number]>({
          type: 'string',
          enum: [...decisions],
          description: '`otherCompany`: an entry of another company decides.',
        }),
        entry: Type.Optional(Type.String({ description: 'The address or `@domain` of the entry.' })),
        payingUser: Type.Optional(Type.String()),
        payerProblem,
      }),
      errors: ['role_missing', 'invalid_email'],
      handle: async (caller, { email }) => decideFor(store, caller, email),
    }),
    endpoint({
      path: '/api/v1/email/payers',
      methods: ['GET'],
      ...common,
      operation: 'listEmailPayers',
      title: 'List users who can pay for e-mail senders',
      description: `Lists the active users of the company with the role \`send\`, by name. ${inOrderOfLanguage}`,
      example: { url: {} },
      parameters: {
        q: text({ get: 'q', maxLength: maxUsernameLength, description: 'A part of the user name.' }),
        ...namePageParameters,
      },
      answer: Type.Object({
        payers: Type.Array(
          Type.Object({
            username: Type.String(),
            smtpSplit: Type.Boolean({ description: 'Whether the user may have `splitCallback`.' }),
          }),
        ),
        next: nextOf('users'),
      }),
      errors: ['role_missing'],
      async handle(caller, { q = '', after, limit }, { language }) {
        requireEmailAdmin(caller);
        const { companyId } = caller;
        const from = after ?? { language };
        const rows = await store.read(listPayers, { companyId, q, from, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, ({ username: name }) => nameCursor(from)({ name }));
        const payers = items.filter((user) => unfitness(user) === undefined);
        return { payers: payers.map(({ username, smtpSplit }) => ({ username, smtpSplit })), next };
      },
    }),
  ] as const;
}

function senderEndpoints(services: SenderServices) {
  const api = new ResourceApi(emailSenders, services, {
    path: '/api/v1/email/senders',
    group: common.group,
    type: 'EmailSender',
    access: ofOwnCompany({ readers: administrators, writers: administrators }),
    plural: 'senders',
    key: {
      name: 'email',
      description: 'Address of a sender, or `@domain` for a whole domain. Case-insensitive.',
      shown: 'An address, or `@domain`.',
      rule(written) {
        const key = parseSenderKey(written);
        return key.ok ? success(key.value.email) : key;
      },
    },
    narrow: { q },
    listed: senderShape,
    shown: senderShape,
    more: {
      create: { blocked, payingUser, ...given },
      change: { blocked, payingUser, ...clearing },
      async read(caller, { email: _, ...entry }: { readonly email?: string } & GivenEntry) {
        refuseForeignSender(services, caller, entry);
        return entry;
      },
    },
    list: {
      description: 'Lists who may, or may not, send SMS by e-mail, whole domains first.',
      example: { url: {} },
    },
    create: {
      description:
        'Creates the entry for an address or a whole domain. Omitted settings take the company’s current defaults.',
      example: { json: { email: 'ward8@care.example', payingUser: 'demo', maxSms: 3 } },
      errors: [...entryErrors, 'missing_parameter', 'too_many_email_senders'],
      event: 'email_entry_set',
    },
    get: {
      description: 'Returns the entry for an address or a whole domain.',
      example: { url: { email: 'ward8@care.example' } },
      errors: ['invalid_email'],
    },
    change: {
      description: 'Changes the given fields and keeps the rest, from the next e-mail on.',
      example: { url: { email: 'ward8@care.example' }, json: { includeSubject: true, sender: 'Ward8' } },
      errors: entryErrors,
      event: 'email_entry_set',
    },
    remove: {
      description: 'Removes one entry. Removing the entry for a domain keeps the entries for its addresses.',
      example: { url: { email: 'ward8@care.example' } },
      errors: ['invalid_email', 'domain_not_allowed'],
      event: 'email_entry_removed',
    },
  });
  return [api.list(), api.create(), api.get(), api.change(), api.remove()] as const;
}

const senderShape = {
  properties: { blocked: Type.Boolean(), ...settingsAnswer, payerProblem },
  show(row: ListedSender) {
    const { blocked, payingUser, payingUserId, payerProblem, managedFields } = row;
    return {
      blocked,
      payingUser,
      payingUserId: String(payingUserId),
      payerProblem,
      ...settled(row),
      managedKeys: [...managedFields],
    };
  },
};

function companyEndpoints(services: SenderServices) {
  return [
    endpoint({
      path: '/api/v1/email/defaults',
      methods: ['GET'],
      ...common,
      operation: 'getEmailDefaults',
      title: 'Read the defaults of e-mail senders',
      description:
        'Returns the settings used for new entries that do not give them. An absent setting has no default.',
      example: { url: {} },
      parameters: {},
      answer: shownDefaults,
      answersVersion: true,
      errors: ['role_missing'],
      handle: async (caller) => tellDefaults(await readCompanyDefaults(services, caller)),
    }),
    endpoint({
      path: '/api/v1/email/defaults',
      methods: ['PATCH'],
      ...common,
      operation: 'updateEmailDefaults',
      title: 'Change the defaults of e-mail senders',
      description: 'Changes the given defaults. Existing entries stay as they are.',
      example: { json: { payingUser: 'demo', defaultCountryCode: '46' } },
      parameters: { payingUser: defaultsParameters.payinguser, ...clearing },
      answer: shownDefaults,
      answersVersion: true,
      takesVersion: true,
      errors: ['role_missing', ...settingErrors, 'managed'],
      concernsSecurity: () => ({ event: 'email_defaults_set' }),
      async handle(caller, { payingUser, ...settings }, { ifMatch }) {
        requireEmailAdmin(caller);
        refuseForeignSender(services, caller, settings);
        const order = { ifMatch, change: { payingUser, settings } };
        return tellDefaults(await changeCompanyDefaults(services, caller, order));
      },
    }),
    endpoint({
      path: '/api/v1/email/domains',
      methods: ['GET'],
      ...common,
      operation: 'listEmailDomains',
      title: 'List the domains of e-mail senders',
      description:
        'Returns the endings allowed for the domains of the company’s senders. The operator sets them.',
      example: { url: {} },
      parameters: {},
      answer: Type.Object({
        endings: Type.Array(
          Type.Object({
            ending: Type.String(),
            warning: Type.Optional(
              Type.String({
                description: 'Present if the ending also matches domains that anyone can register.',
              }),
            ),
          }),
        ),
      }),
      errors: ['role_missing'],
      async handle(caller) {
        const endings = await queryDomains(services.store, caller);
        return { endings: endings.map((ending) => ({ ending, warning: warningOf(ending) })) };
      },
    }),
  ] as const;
}
