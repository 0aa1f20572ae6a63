/** The endpoints for a company's list of e-mail senders (API: email-to-SMS). */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { type Endpoint, endpointsFor } from '../../http/endpoints/endpoint.ts';
import {
  queryDomains,
  refuseForeignSender,
  requireEmailAdmin,
  type SenderServices,
  setDefaults,
  setEntry,
  unsetEntry,
} from './administer-senders.ts';
import { blocked, defaultsParameters, email, settingsParameters } from './parameters.ts';
import { type PayingUser, type SendingSettings, settled } from './sender-entry.ts';

const endpoint = endpointsFor<Caller>();
const prefix = '/restsms/svcrest/emailtosms';
const group = 'E-mail to SMS';

const result = Type.String({ description: '`OK`.' });
const allowedDomainEndings = Type.Array(Type.String(), {
  description: 'Endings allowed for the domains of senders. The operator sets them.',
});

const settingsAnswer = {
  payinguserId: Type.String({ description: 'Id of the paying account, in digits.' }),
  payinguserName: Type.String({ description: 'User name of the paying account.' }),
  sender: Type.String({ description: 'Sender id; if empty, that of the paying account is used.' }),
  costCenter: Type.String(),
  defaultCountrycode: Type.String({ description: 'In digits.' }),
  maxSms: Type.Integer({ description: 'From 1 to 255.' }),
  checkMobile: Type.Boolean(),
  includeSubject: Type.Boolean(),
  onlyNonDelivery: Type.Boolean(),
  origMsg: Type.Boolean(),
  splitCallback: Type.Boolean(),
  senderLogic: Type.Boolean(),
};

export function emailEndpoints(services: SenderServices): readonly Endpoint<Caller>[] {
  return [
    setEndpoint(services),
    unsetEndpoint(services),
    defaultEndpoint(services),
    domainsEndpoint(services),
  ];
}

function setEndpoint(services: SenderServices): Endpoint<Caller> {
  return endpoint({
    path: `${prefix}/set`,
    methods: ['GET', 'POST'],
    group,
    operation: 'setEmailSender',
    title: 'Allow or block an e-mail sender',
    description:
      'Creates or replaces the entry for an address or a whole domain. Omitted settings take the company’s current defaults, if any. The entry for an address takes precedence over the entry for its domain.',
    example: {
      url: { EM: 'ward7@care.example', PU: 'demo' },
      json: {
        email: 'ward7@care.example',
        payinguser: 'demo',
        sender: 'Ward7',
        maxSms: 3,
        includeSubject: true,
      },
    },
    credentials: anyMethod,
    parameters: { email, blocked, ...settingsParameters },
    answer: Type.Object({
      result,
      email: Type.String({ description: 'In lower case, the domain in its ASCII form.' }),
      blocked: Type.Boolean(),
      ...settingsAnswer,
      allowedDomainEndings,
    }),
    errors: [
      'invalid_email',
      'invalid_sender',
      'sender_not_yours',
      'missing_parameter',
      'domain_not_allowed',
      'invalid_paying_user',
      'smtp_split_missing',
      'belongs_to_another',
      'too_many_email_senders',
      'role_missing',
    ],
    concernsSecurity: (_, answer) => ({ event: 'email_entry_set', object: answer.email }),
    async handle(caller, { email: key, blocked, payinguser, ...settings }) {
      requireEmailAdmin(caller);
      refuseForeignSender(services, caller, { sender: settings.sender, blocked });
      const wanted = { key, blocked, payingUser: payinguser, settings };
      const { entry, endings } = await setEntry(services, caller, wanted);
      return {
        result: 'OK',
        email: entry.email,
        blocked: entry.blocked,
        ...shownSettings(entry.payingUser, entry.settings),
        allowedDomainEndings: [...endings],
      };
    },
  });
}

function unsetEndpoint(services: SenderServices): Endpoint<Caller> {
  return endpoint({
    path: `${prefix}/unset`,
    methods: ['GET', 'POST', 'DELETE'],
    group,
    operation: 'unsetEmailSender',
    title: 'Remove an e-mail sender',
    description:
      'Removes one entry. `@domain` removes only the entry for the domain, not the entries for its addresses. If the domain is not allowed, the error body also has `allowedDomainEndings`.',
    example: { url: { EM: 'ward7@care.example' }, json: { email: 'ward7@care.example' } },
    credentials: anyMethod,
    parameters: { email },
    answer: Type.Object({
      result,
      deletedEmail: Type.String({ description: 'Address or `@domain` of the removed entry.' }),
    }),
    errors: ['invalid_email', 'domain_not_allowed', 'not_found', 'belongs_to_another', 'role_missing'],
    errorSchemas: { domain_not_allowed: { allowedDomainEndings } },
    concernsSecurity: (_, answer) => ({ event: 'email_entry_removed', object: answer.deletedEmail }),
    async handle(caller, { email: key }) {
      await unsetEntry(services, caller, key);
      return { result: 'OK', deletedEmail: key.email };
    },
  });
}

function defaultEndpoint(services: SenderServices): Endpoint<Caller> {
  return endpoint({
    path: `${prefix}/default`,
    methods: ['GET', 'POST'],
    group,
    operation: 'setEmailDefaults',
    title: 'Set the defaults of e-mail senders',
    description:
      'Changes the settings that /set uses when a call omits them, and returns all defaults. Only given settings change; a call without settings just returns the defaults. Existing entries stay as they are.',
    example: {
      url: { PU: 'demo', DC: '46' },
      json: { payinguser: 'demo', sender: 'Care', defaultCountryCode: '46', checkMobile: true },
    },
    credentials: anyMethod,
    parameters: defaultsParameters,
    answer: Type.Object({
      result,
      companyId: Type.String({ description: 'In digits.' }),
      ...settingsAnswer,
      allowedDomainEndings,
    }),
    errors: [
      'invalid_sender',
      'sender_not_yours',
      'invalid_paying_user',
      'smtp_split_missing',
      'role_missing',
    ],
    // Without any parameter the call only reads the defaults.
    concernsSecurity: (input) =>
      Object.values(input).some((value) => value !== undefined) ? { event: 'email_defaults_set' } : undefined,
    async handle(caller, { payinguser, ...settings }) {
      requireEmailAdmin(caller);
      refuseForeignSender(services, caller, settings);
      const { defaults, endings } = await setDefaults(services, caller, { payingUser: payinguser, settings });
      return {
        result: 'OK',
        companyId: String(caller.companyId),
        ...shownSettings(defaults.payingUser, settled(defaults.settings)),
        allowedDomainEndings: [...endings],
      };
    },
  });
}

function domainsEndpoint({ store }: SenderServices): Endpoint<Caller> {
  return endpoint({
    path: `${prefix}/querydomains`,
    methods: ['GET', 'POST'],
    group,
    operation: 'queryEmailDomains',
    title: 'List allowed domain endings',
    description: 'Returns the endings allowed for the domains of the company’s e-mail senders.',
    example: { json: {} },
    credentials: anyMethod,
    parameters: {},
    answer: Type.Object({ result, allowedDomainEndings }),
    errors: ['role_missing'],
    async handle(caller) {
      return { result: 'OK', allowedDomainEndings: [...(await queryDomains(store, caller))] };
    },
  });
}

/** Uses the names of the response; that of the country code differs from the parameter's name. */
function shownSettings(payingUser: PayingUser | undefined, settings: SendingSettings) {
  const { defaultCountryCode, sender, costCenter, ...others } = settings;
  return {
    payinguserId: payingUser === undefined ? '' : String(payingUser.id),
    payinguserName: payingUser?.username ?? '',
    sender,
    costCenter,
    defaultCountrycode: defaultCountryCode,
    ...others,
  };
}
