/** The management API endpoints for a company's e-mail senders, and what they have in common. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { success } from '../../foundation/result.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { boolean } from '../../http/parameters/kinds.ts';
import { ofOwnCompany } from '../../resources/api-declaration.ts';
import { ResourceApi } from '../../resources/resource-api.ts';
import {
  queryDomains,
  refuseForeignSender,
  requireEmailAdmin,
  type SenderServices,
} from '../senders/administer-senders.ts';
import { defaultsParameters, settingsParameters } from '../senders/parameters.ts';
import { parseSenderKey, settled, warningOf } from '../senders/sender-entry.ts';
import { changeCompanyDefaults, type ListedDefaults, readCompanyDefaults } from './company-defaults.ts';
import { emailSenders, type GivenEntry, type ListedSender } from './listed-sender.ts';

const endpoint = endpointsFor<Caller>();
const common = { group: 'E-mail to SMS', credentials: anyMethod } as const;

const blocked = boolean({ description: 'Refuses mail from this sender.' });
const { payinguser: payingUser, ...given } = settingsParameters;
const { payinguser: _, ...clearing } = defaultsParameters;

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
  { ...settingsAnswer, version: Type.String({ description: 'Changes whenever the defaults change.' }) },
  { title: 'EmailDefaults' },
);

function tellDefaults({ defaults, version, managedKeys }: ListedDefaults) {
  const { payingUser, settings } = defaults;
  return {
    payingUser: payingUser?.username,
    payingUserId: payingUser && String(payingUser.id),
    ...settings,
    managedKeys: [...managedKeys],
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
  return [...senderEndpoints(services), ...companyEndpoints(services)] as const;
}

const administrators = ['companyAdmin', 'emailAdmin'] as const;

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
  properties: { blocked: Type.Boolean(), ...settingsAnswer },
  show(row: ListedSender) {
    const { blocked, payingUser, payingUserId, managedFields } = row;
    return {
      blocked,
      payingUser,
      payingUserId: String(payingUserId),
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
