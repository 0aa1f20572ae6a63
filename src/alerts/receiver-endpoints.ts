/** The management API's endpoints for alert receivers. */
import Type from 'typebox';
import { type Caller, findCaller, numberIn } from '../accounts/caller.ts';
import { maxUsernameLength } from '../accounts/user-records.ts';
import { ofUser } from '../accounts/visibility.ts';
import { errorOfFields, ServiceError } from '../foundation/errors.ts';
import { fault, quoted } from '../foundation/result.ts';
import type { Sealing } from '../foundation/sealing.ts';
import { boolean, integer, text, word } from '../http/parameters/kinds.ts';
import { numberList, objectOf, textList } from '../http/parameters/lists.ts';
import { clearable, type Input, ruled } from '../http/parameters/parameter.ts';
import { findSavedJob } from '../jobs/saved-job.ts';
import { ofOwnCompany } from '../resources/api-declaration.ts';
import { ResourceApi } from '../resources/resource-api.ts';
import type { Context } from '../storage/context.ts';
import { withoutAbsent } from '../storage/stored-record.ts';
import { faultOfUrl, maxUrlLength } from '../webhooks/endpoint.ts';
import { defaultAlertText } from '../wire/alert-text.ts';
import { maxFilterLength, normalTagFilter } from '../wire/tag-filter.ts';
import { type AlertPointers, type AlertSource, alertSources, checkedPointer } from './alert.ts';
import {
  type AcknowledgeSettings,
  type AlertReceiver,
  type AlertRecipients,
  alertReceivers,
  type GivenReceiver,
  maxAcknowledgeHours,
  maxAgainHours,
  maxGroupMinutes,
  maxNamesOfAlert,
  maxReceiverText,
  maxRecipientsOfAlert,
  placeOfReceiverSecret,
  receiverDefaults,
} from './receiver.ts';

export interface ReceiverServices extends Context {
  readonly sealing: Sealing;
}

const pointer = (description: string) => ruled(text({ maxLength: 200, description }), checkedPointer);
const words = (description: string) => textList({ maxItems: 20, maxLength: 100, description });

const send = objectOf(
  'AlertRecipients',
  {
    numbers: numberList({ maxItems: maxRecipientsOfAlert, maxLength: 40, description: 'Phone numbers.' }),
    tagFilter: ruled(
      text({ maxLength: maxFilterLength, description: 'Tag filter of contacts, such as `role:oncall`.' }),
      normalTagFilter,
    ),
    groups: textList({ maxItems: maxNamesOfAlert, maxLength: 100, description: 'Names of groups.' }),
  },
  'Who gets an SMS, instead of `start`.',
);

const pointers = objectOf(
  'AlertPointers',
  {
    items: pointer('The list of alerts in the body.'),
    fingerprint: pointer('What is the same for all reports of one matter.'),
    state: pointer('The state.'),
    firing: words('The states that mean firing.'),
    resolved: words('The states that mean resolved.'),
    title: pointer('The title.'),
    labels: pointer('The labels.'),
    annotations: pointer('The annotations.'),
    startedAt: pointer('When it began.'),
    url: pointer('Where to read more.'),
  },
  'For the source `generic`: JSON pointers (RFC 6901) to what belongs to an alert.',
);

const acknowledge = objectOf(
  'AlertAcknowledge',
  {
    url: text({
      required: true,
      maxLength: maxUrlLength,
      description: 'Where the source is: https:// or http://.',
    }),
    hours: integer({
      min: 1,
      max: maxAcknowledgeHours,
      description: `How long the alerts are silenced; ${receiverDefaults.acknowledgeHours} by default.`,
    }),
    token: text({
      maxLength: 2_000,
      description: 'Bearer token. Kept if omitted, unless the address is another.',
    }),
    username: text({ maxLength: 200, description: 'Or a user name.' }),
    password: text({ maxLength: 1_000, description: 'Its password. Kept like the token.' }),
  },
  'Where acknowledgements go. Secrets are never shown again.',
);

const settings = {
  user: text({
    maxLength: maxUsernameLength,
    description: 'User who acts and pays: with the role jobs to start, send to send. Initially the caller.',
  }),
  start: integer({ min: 1, description: 'Id of a saved job that the user may start.' }),
  send,
  text: text({
    maxLength: maxReceiverText,
    description: `Text of an alert, with placeholders: a label or annotation such as \`{{summary}}\`, or title, status, receiver, count, url. Initially \`${defaultAlertText}\`.`,
  }),
  groupMinutes: integer({
    max: maxGroupMinutes,
    description: `Alerts that follow each other within so many minutes wake people once; initially ${receiverDefaults.groupMinutes}.`,
  }),
  againHours: integer({
    max: maxAgainHours,
    description: `After so many hours people are woken again for what fires still and nobody has acknowledged; initially ${receiverDefaults.againHours}, 0: never.`,
  }),
  ownAlerts: boolean({ description: 'Whether alerts about this service itself wake people.' }),
} as const;

const create = {
  source: word(alertSources, { required: true, description: 'The program that posts.' }),
  ...settings,
  pointers,
  acknowledge,
} as const;
const change = {
  source: word(alertSources, { description: 'The program that posts.' }),
  ...settings,
  text: clearable(settings.text),
  pointers: clearable(pointers),
  acknowledge: clearable(acknowledge),
} as const;

type Given = Partial<Input<typeof change>> & { readonly name: string };

export function receiverEndpoints(services: ReceiverServices) {
  const { store, sealing } = services;
  const api = new ResourceApi(alertReceivers, services, {
    path: '/api/v1/alertreceivers',
    group: 'Alerts',
    type: 'AlertReceiver',
    access: ofOwnCompany({ readers: ['companyAdmin'], writers: ['companyAdmin'] }),
    plural: 'receivers',
    key: {
      name: 'name',
      description: 'Name of the receiver.',
      shown: 'The last part of the address to which alerts are posted.',
    },
    listed: shape,
    shown: shape,
    more: {
      create,
      change,
      async read(caller, given, _, find) {
        return wishOf({ store, sealing }, caller, given as Given, await find?.());
      },
    },
    list: {
      description: 'Lists the company’s alert receivers. Requires the role companyAdmin.',
      example: { url: {} },
    },
    get: {
      description: 'Returns an alert receiver, without its secrets. Requires the role companyAdmin.',
      example: { url: { name: 'ops' } },
    },
    create: {
      description:
        'Makes an address to which a monitoring program posts alerts, and says what happens then: a saved job starts, or SMS are sent. Requires the role companyAdmin.',
      example: {
        json: {
          name: 'night',
          source: 'alertmanager',
          send: { numbers: ['46701740699'] },
          text: '{{alertname}}: {{summary}}',
        },
      },
      errors: ['not_found', 'too_many_receivers', 'invalid_number', 'invalid_tag_filter', 'unknown_job'],
    },
    change: {
      description:
        'Changes the given fields and keeps the rest. A receiver that is renamed has another address. Requires the role companyAdmin.',
      example: { url: { name: 'night' }, json: { groupMinutes: 10 } },
      errors: ['invalid_number', 'invalid_tag_filter', 'unknown_job'],
    },
    remove: {
      description:
        'Removes a receiver: what is posted to it is refused, and its incidents end. Requires the role companyAdmin.',
      example: { url: { name: 'night' } },
    },
  });
  return [api.list(), api.create(), api.get(), api.change(), api.remove()] as const;
}

const shownSend = Type.Object(
  {
    numbers: Type.Array(Type.String()),
    tagFilter: Type.Optional(Type.String()),
    groups: Type.Array(Type.String()),
  },
  { title: 'ShownAlertRecipients' },
);
const shownPointers = Type.Unsafe<AlertPointers>({ type: 'object', description: 'JSON pointers.' });
const shownAcknowledge = Type.Object(
  {
    url: Type.String(),
    hours: Type.Integer(),
    username: Type.Optional(Type.String()),
    hasToken: Type.Boolean(),
    hasPassword: Type.Boolean(),
  },
  { title: 'ShownAlertAcknowledge' },
);

const shape = {
  properties: {
    source: Type.Unsafe<AlertSource>({ type: 'string', enum: [...alertSources] }),
    user: Type.String({ description: 'User who acts and pays.' }),
    start: Type.Optional(Type.String({ description: 'Id of the saved job that starts.' })),
    send: Type.Optional(shownSend),
    text: Type.String({ description: 'Empty: the title.' }),
    groupMinutes: Type.Integer(),
    againHours: Type.Integer(),
    ownAlerts: Type.Boolean(),
    pointers: Type.Optional(shownPointers),
    acknowledge: Type.Optional(shownAcknowledge),
    managedKeys: Type.Array(Type.String(), {
      description: 'Keys set by a provisioning file; only that file can change them.',
    }),
  },
  show: ({ source, user, settings: kept, acknowledge: to, managedFields }: AlertReceiver) => ({
    source,
    user,
    start: kept.start === undefined ? undefined : String(kept.start),
    send: kept.send && shownRecipients(kept.send),
    text: kept.text,
    groupMinutes: kept.groupMinutes,
    againHours: kept.againHours,
    ownAlerts: kept.ownAlerts,
    pointers: kept.pointers,
    acknowledge: to && {
      url: to.url,
      hours: to.hours,
      username: to.username,
      hasToken: to.token !== undefined,
      hasPassword: to.password !== undefined,
    },
    managedKeys: managedFields.filter((key) => key !== 'name'),
  }),
};

function shownRecipients({ numbers, tagFilter, groups }: AlertRecipients) {
  return { numbers: [...numbers], tagFilter, groups: [...groups] };
}

function refuseAddress(url: string): void {
  const wrong = faultOfUrl(url);
  if (wrong !== undefined)
    throw errorOfFields(fault('invalid_value', { sentence: 'webhook_url', wrong }), 'acknowledge.url');
}

async function wishOf(
  services: Pick<ReceiverServices, 'store' | 'sealing'>,
  caller: Caller,
  given: Given,
  before: AlertReceiver | undefined,
): Promise<GivenReceiver> {
  const { name: _, user, source, start, send: to, pointers: at, acknowledge: asked, ...others } = given;
  if (asked != null) refuseAddress(asked.url);
  const userId = await actingUser(services, caller, user, before);
  const wish: GivenReceiver = {
    ...others,
    source,
    userId,
    pointers: at && withoutAbsent(at),
    start,
    send: to && {
      numbers: [...new Set((to.numbers ?? []).map((one) => numberIn(caller, 'send.numbers', one)))],
      ...(to.tagFilter === undefined ? {} : { tagFilter: to.tagFilter }),
      groups: to.groups ?? [],
    },
    acknowledge: asked && sealedSettings(services.sealing, before?.acknowledge, asked),
  };
  const acts = start != null || to != null || user !== undefined || before === undefined;
  if (acts) await refuseUnable(services, { ...wish, before });
  return wish;
}

/** Initially the caller; undefined if it stays. */
async function actingUser(
  { store }: Pick<Context, 'store'>,
  caller: Caller,
  user: string | undefined,
  before: AlertReceiver | undefined,
): Promise<number | undefined> {
  if (user === undefined) return before === undefined ? caller.userId : undefined;
  const found = await ofUser(store, { companyId: caller.companyId, userId: null }, user);
  return found.userId ?? undefined;
}

/** What the acting user can't do is refused now, rather than at night. */
async function refuseUnable(
  { store }: Pick<Context, 'store'>,
  { before, userId, start, send }: GivenReceiver & { readonly before: AlertReceiver | undefined },
): Promise<void> {
  const acting = await findCaller(store, userId ?? before?.userId ?? 0);
  if (acting === undefined)
    throw new ServiceError('not_found', { sentence: 'hidden_user', user: quoted(before?.user ?? '') });
  const job = start ?? (send == null ? before?.settings.start : undefined);
  const role = job === undefined ? 'send' : 'jobs';
  if (!acting.roles.has(role)) {
    const sentence = { sentence: 'receiver_role', user: quoted(acting.username), role } as const;
    throw errorOfFields(fault('invalid_value', sentence), 'user');
  }
  if (job === undefined || (await store.read(findSavedJob, { userId: acting.userId, id: job })) !== null)
    return;
  throw errorOfFields(fault('unknown_job', { sentence: 'no_startable_job', job: String(job) }), 'start');
}

interface GivenAcknowledge {
  readonly url: string;
  readonly hours?: number | undefined;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** Secrets that are not given stay, as long as they go to the same address. */
function sealedSettings(
  sealing: Sealing,
  before: AcknowledgeSettings | undefined,
  { url, hours, token, username, password }: GivenAcknowledge,
): AcknowledgeSettings {
  const was = before?.url === url ? before : undefined;
  // One way to log in replaces the other.
  const isOther = { token: username !== undefined, password: token !== undefined };
  const kept = (field: 'token' | 'password', given: string | undefined) => {
    if (given !== undefined) return sealing.seal(given, placeOfReceiverSecret(url, field), was?.[field]);
    return isOther[field] ? undefined : was?.[field];
  };
  return withoutAbsent({
    url,
    hours: hours ?? before?.hours ?? receiverDefaults.acknowledgeHours,
    token: kept('token', token),
    username: username ?? (token === undefined ? was?.username : undefined),
    password: kept('password', password),
  });
}
