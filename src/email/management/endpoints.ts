/** The endpoints of the management API by which a company keeps its e-mail senders, and what holds for all of them. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { boolean, text } from '../../http/parameters/kinds.ts';
import { nextOf, pageOf, textPageParameters, writeTextCursor } from '../../http/parameters/page.ts';
import { type Input, ruled } from '../../http/parameters/parameter.ts';
import { queryDomains, type SenderAdministration } from '../senders/administer-senders.ts';
import { defaultsParameters, settingsParameters } from '../senders/parameters.ts';
import { parseSenderKey, warningOf } from '../senders/sender-entry.ts';
import {
  changeCompanyDefaults,
  changeEntry,
  nameOf,
  pageOfEntries,
  readCompanyDefaults,
  readEntry,
  removeSender,
} from './administer.ts';
import { type ListedDefaults, type ListedEntry, versionOf } from './store.ts';

const endpoint = endpointsFor<Caller>();
const common = { group: 'E-mail to SMS', credentials: anyMethod } as const;
const path = '/api/v1/email/senders';

const email = ruled(
  text({
    get: 'email',
    required: true,
    description: 'The address of a sender, or `@domain` for a whole domain. Letter case does not count.',
  }),
  parseSenderKey,
);
const blocked = boolean({ description: 'Mail from this sender is refused.' });

const { payinguser: payingUser, ...given } = settingsParameters;
const { payinguser: _, ...clearing } = defaultsParameters;

type Given = Input<typeof clearing> & { readonly payingUser?: string | null | undefined };

/** The rules of the contract's calls and of provisioning files write it as one word. */
function changeOf({ payingUser: payinguser, ...settings }: Given) {
  return { payinguser, ...settings };
}

const flag = Type.Optional(Type.Boolean());
const settingsAnswer = {
  payingUser: Type.Optional(Type.String({ description: 'The user name of the account that pays.' })),
  payingUserId: Type.Optional(Type.String()),
  sender: Type.Optional(Type.String({ description: 'Empty or absent: that of the paying account.' })),
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
    description: 'What a provisioning file has set: it alone changes these.',
  }),
  version: Type.String({ description: 'Another one when anything of it is another.' }),
};
const shown = Type.Object(
  {
    email: Type.String({ description: 'An address, or `@domain`.' }),
    blocked: Type.Boolean(),
    managed: Type.Boolean({ description: 'A provisioning file names it, and alone removes it.' }),
    ...settingsAnswer,
  },
  { title: 'EmailSender' },
);
const shownDefaults = Type.Object(settingsAnswer, { title: 'EmailDefaults' });

function shownEntry({ entry, managedKeys }: ListedEntry) {
  const { email, blocked, payingUser, settings } = entry;
  return {
    email,
    blocked,
    managed: managedKeys.length > 0,
    payingUser: payingUser.username,
    payingUserId: String(payingUser.id),
    ...settings,
    managedKeys: managedKeys.map(nameOf),
    version: versionOf(entry),
  };
}

function tellDefaults({ defaults, managedKeys }: ListedDefaults) {
  const { payingUser, settings } = defaults;
  return {
    payingUser: payingUser?.username,
    payingUserId: payingUser && String(payingUser.id),
    ...settings,
    managedKeys: managedKeys.map(nameOf),
    version: versionOf(defaults),
  };
}

const settingErrors = [
  'role_missing',
  'invalid_sender',
  'invalid_paying_user',
  'smtp_split_missing',
] as const;
const entryErrors = [
  ...settingErrors,
  ...(['invalid_email', 'domain_not_allowed', 'belongs_to_another'] as const),
] as const;

export function emailManagementEndpoints(services: SenderAdministration) {
  return [...listEndpoints(services), ...oneEndpoints(services), ...companyEndpoints(services)] as const;
}

function listEndpoints(services: SenderAdministration) {
  return [
    endpoint({
      path,
      methods: ['GET'],
      ...common,
      operation: 'listEmailSenders',
      title: 'List e-mail senders',
      description: 'Lists who may send SMS by e-mail, or may not, whole domains first.',
      example: { url: {} },
      parameters: textPageParameters,
      answer: Type.Object({ senders: Type.Array(shown), next: nextOf('senders') }),
      errors: ['role_missing'],
      async handle(caller, { after, limit }) {
        const page = { after: String(after?.[0] ?? ''), limit: limit + 1 };
        const rows = await pageOfEntries(services, caller, page);
        const { items, next } = pageOf(rows, limit, ({ entry }) => writeTextCursor([entry.email]));
        return { senders: items.map(shownEntry), next };
      },
    }),
    endpoint({
      path,
      methods: ['POST'],
      ...common,
      creates: 'email',
      operation: 'createEmailSender',
      title: 'Allow or block another e-mail sender',
      description:
        'Makes the entry of an address, or of a whole domain. What is left out takes the default that the company has at this moment.',
      example: { json: { email: 'ward8@care.example', payingUser: 'demo', maxSms: 3 } },
      parameters: { email, blocked, payingUser, ...given },
      answer: shown,
      answersVersion: true,
      errors: [...entryErrors, 'missing_parameter', 'taken', 'too_many_email_senders'],
      concernsSecurity: (_, { email }) => ({ event: 'email_entry_set', object: email }),
      handle: async (caller, { email: key, blocked, ...settings }) =>
        shownEntry(
          await changeEntry(services, caller, {
            key,
            ifMatch: 'new',
            change: { ...changeOf(settings), blocked },
          }),
        ),
    }),
  ] as const;
}

function oneEndpoints(services: SenderAdministration) {
  return [
    endpoint({
      path: `${path}/{email}`,
      methods: ['GET'],
      ...common,
      operation: 'getEmailSender',
      title: 'Read an e-mail sender',
      description: 'Gives the entry of an address, or of a whole domain.',
      example: { url: { email: 'ward8@care.example' } },
      parameters: { email },
      answer: shown,
      answersVersion: true,
      errors: ['role_missing', 'invalid_email', 'not_found'],
      handle: async (caller, { email }) => shownEntry(await readEntry(services, caller, email)),
    }),
    endpoint({
      path: `${path}/{email}`,
      methods: ['PATCH'],
      ...common,
      operation: 'updateEmailSender',
      title: 'Change an e-mail sender',
      description: 'Changes what is given, and leaves the rest. It counts from the next mail on.',
      example: { url: { email: 'ward8@care.example' }, json: { includeSubject: true, sender: 'Ward8' } },
      parameters: { email, blocked, payingUser, ...clearing },
      answer: shown,
      answersVersion: true,
      takesVersion: true,
      errors: [...entryErrors, 'not_found', 'managed'],
      concernsSecurity: (_, { email }) => ({ event: 'email_entry_set', object: email }),
      handle: async (caller, { email: key, blocked, ...settings }, { ifMatch }) =>
        shownEntry(
          await changeEntry(services, caller, {
            key,
            ifMatch,
            change: { ...changeOf(settings), blocked },
          }),
        ),
    }),
    endpoint({
      path: `${path}/{email}`,
      methods: ['DELETE'],
      ...common,
      operation: 'deleteEmailSender',
      title: 'Take an e-mail sender off the list',
      description: 'Removes one entry: that of a domain leaves those of the addresses in it.',
      example: { url: { email: 'ward8@care.example' } },
      parameters: { email },
      answer: Type.Object({ email: Type.String() }),
      takesVersion: true,
      errors: [
        ...(['role_missing', 'invalid_email', 'domain_not_allowed', 'belongs_to_another'] as const),
        ...(['not_found', 'managed'] as const),
      ],
      concernsSecurity: (_, { email }) => ({ event: 'email_entry_removed', object: email }),
      async handle(caller, { email: key }, { ifMatch }) {
        await removeSender(services, caller, { key, ifMatch });
        return { email: key.email };
      },
    }),
  ] as const;
}

function companyEndpoints(services: SenderAdministration) {
  return [
    endpoint({
      path: '/api/v1/email/defaults',
      methods: ['GET'],
      ...common,
      operation: 'getEmailDefaults',
      title: 'Read the defaults of e-mail senders',
      description: 'Tells what an entry takes when it is made and says nothing else. Absent: there is none.',
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
      description: 'Changes what is given. Entries that are there stay as they are.',
      example: { json: { payingUser: 'demo', defaultCountryCode: '46' } },
      parameters: { payingUser: defaultsParameters.payinguser, ...clearing },
      answer: shownDefaults,
      answersVersion: true,
      takesVersion: true,
      errors: [...settingErrors, 'managed'],
      concernsSecurity: () => ({ event: 'email_defaults_set' }),
      handle: async (caller, settings, { ifMatch }) =>
        tellDefaults(await changeCompanyDefaults(services, caller, { ifMatch, change: changeOf(settings) })),
    }),
    endpoint({
      path: '/api/v1/email/domains',
      methods: ['GET'],
      ...common,
      operation: 'listEmailDomains',
      title: 'List the domains of e-mail senders',
      description: 'Tells what the domains of the company’s senders must end with; the operator sets it.',
      example: { url: {} },
      parameters: {},
      answer: Type.Object({
        endings: Type.Array(
          Type.Object({
            ending: Type.String(),
            warning: Type.Optional(
              Type.String({ description: 'It also fits domains that anybody may register.' }),
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
