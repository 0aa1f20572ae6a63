/** Webhooks by the management API: what calls give of one, what is found out before it is stored, and what answers tell. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { ofUser, visibilityOf } from '../../accounts/visibility.ts';
import { parseBatchId } from '../../batches/batch.ts';
import { errorOfFields, ServiceError } from '../../foundation/errors.ts';
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import type { Sealing } from '../../foundation/sealing.ts';
import { passwordOnly } from '../../http/credentials/credentials.ts';
import type { Call } from '../../http/endpoints/endpoint.ts';
import { boolean, digits, integer, text, word } from '../../http/parameters/kinds.ts';
import { numberList } from '../../http/parameters/lists.ts';
import { clearable, type Input, ruled } from '../../http/parameters/parameter.ts';
import { statusNames } from '../../messages/message.ts';
import { maxReferenceLength } from '../../messages/sending/parameters.ts';
import { statusNameSchema } from '../../messages/status-name-schema.ts';
import type { Access } from '../../resources/api-declaration.ts';
import { allowed } from '../../resources/declaration.ts';
import { ResourceApi } from '../../resources/resource-api.ts';
import type { Context } from '../../storage/context.ts';
import {
  type DisabledReason,
  disabledReasons,
  type EventType,
  eventTypes,
  faultOfUrl,
  maxUrlLength,
  newSecret,
  placeOfSecret,
  subscribable,
} from '../endpoint.ts';
import { ForbiddenAddress, type LookUps } from '../posting/address-guard.ts';
import { foreseeWebhook, type GivenWebhook, type Webhook, webhooks } from '../webhook.ts';
import { countRetries } from './administration-store.ts';

export interface Administering extends Context {
  readonly sealing: Sealing;
  readonly lookUps: LookUps;
}

export type WebhookApi = ReturnType<typeof webhookApi>;

export const webhookId = integer({ get: 'id', min: 1, required: true, description: 'Id of the webhook.' });

export function webhookApi(administering: Administering) {
  const { store, sealing } = administering;
  return new ResourceApi(webhooks, administering, {
    path: '/api/v1/webhooks',
    group: 'Webhooks',
    type: 'Webhook',
    access,
    plural: 'webhooks',
    key: { name: 'id', description: webhookId.description, parameter: webhookId },
    listed: webhookShape,
    shown: webhookShape,
    once: {
      type: 'WebhookWithSecret',
      properties: secretProperties,
      show: (webhook) => secretOf(sealing, webhook),
    },
    alone: {
      properties: {
        retries: count('Posts that wait to be tried again, among the latest 1,000.'),
        givenUp: count('Posts that were not taken for a day, among the same.'),
      },
      async read({ key }) {
        const { waiting, givenUp } = await store.read(countRetries, key);
        return { retries: waiting, givenUp };
      },
    },
    more: {
      create: {
        name: ruled(
          text({ required: true, minLength: 1, maxLength: 100, description: 'To tell it from others.' }),
          name,
        ),
        url: { ...urlParameter, required: true },
        events: { ...eventsParameter, required: true },
        ...settings,
      },
      change: { url: urlParameter, events: eventsParameter, ...settings },
      async read(caller, given, call, find) {
        // An object that does not exist is refused before anything is looked up for the call.
        await find?.();
        return wishOf(administering, caller, given, call);
      },
    },
    narrow: {
      failing: boolean({
        get: 'failing',
        description: 'True: only those whose receivers do not take what is posted.',
      }),
    },
    list: {
      description:
        'Lists webhooks with how far each is: to administrators those of their company and the callbacks of its jobs, to others their own.',
      example: { url: {} },
    },
    get: {
      description: 'Gives a webhook with how far it is, and what waits to be tried again.',
      // That of the demo company.
      example: { url: { id: '2' } },
    },
    create: {
      description:
        'Has events posted to an address, and tells once by which secret they are signed. Administrators make webhooks of their company, or of one of its users; users make their own. It takes the password, or the portal.',
      example: {
        json: { name: 'shop', url: 'https://receiver.example/shop', events: ['message.status'] },
      },
      // Who steals a key must not have texts posted on when it is revoked.
      credentials: passwordOnly,
      errors: ['not_found', 'name_taken', 'too_many_webhooks'],
    },
    change: {
      description:
        'Changes what is given, and leaves the rest. Given to another user, or to all of the company, it starts over under another id, which the answer has, and its events are counted from 1 again. What a provisioning file has set it alone changes.',
      example: { url: { id: '3' }, json: { statuses: ['DELIVERED', 'UNDELIVERABLE'] } },
      credentials: passwordOnly,
    },
    remove: {
      description: 'Nothing more is posted, and what it was still to be told is forgotten.',
      example: { url: { id: '3' } },
    },
  });
}

/** Administrators see those of their company, others their own. */
function seenBy(caller: Caller) {
  const { companyId, userId } = visibilityOf(caller);
  return { scopeId: companyId, ownerId: userId ?? undefined };
}

const access = {
  parameters: {},
  readErrors: ['role_missing'],
  writeErrors: ['role_missing'],
  reads: async (_, caller) => seenBy(caller),
  writes: async (_, caller) => seenBy(caller),
} satisfies Access<Record<never, never>>;

/** In the order of the words. */
function someOf<Word extends string>(words: readonly Word[]) {
  return (given: readonly string[]): Result<readonly Word[]> => {
    const other = given.find((one) => !(words as readonly string[]).includes(one));
    if (other !== undefined)
      return fault('invalid_value', `${quoted(other)} is none of ${words.join(', ')}.`);
    return success(words.filter((one) => given.includes(one)));
  };
}

function name(given: string): Result<string> {
  const isName = given.trim() !== '' && !/[\p{Cc}\p{Cs}]/u.test(given);
  return isName
    ? success(given)
    : fault('invalid_value', 'It has a character other than a space, and no control characters.');
}

function url(given: string): Result<string> {
  const wrong = faultOfUrl(given);
  return wrong === undefined ? success(given) : fault('invalid_value', `It ${wrong}.`);
}

function batchId(given: string): Result<string> {
  const id = parseBatchId(given);
  return id === undefined
    ? fault('invalid_value', `${quoted(given)} is no id of a batch.`)
    : success(String(id));
}

const written = (description: string) => text({ maxLength: maxReferenceLength, description });
const urlParameter = ruled(
  text({ maxLength: maxUrlLength, description: 'Where to post: https://, or http://.' }),
  url,
);
const eventsParameter = ruled(
  numberList({
    maxItems: subscribable.length,
    maxLength: 40,
    description: `What to tell of: ${subscribable.join(', ')}.`,
  }),
  someOf(subscribable),
);
const texts = ['none', 'full'] as const;

const settings = {
  statuses: ruled(
    numberList({
      maxItems: statusNames.length,
      maxLength: 40,
      description: 'Of `message.status`, only these; an empty list: all but QUEUED and SCHEDULED.',
    }),
    someOf(statusNames),
  ),
  costCenter: clearable(written('Of messages and batches, only those of this cost centre.')),
  conversationPrefix: clearable(written('Only of conversations that begin so.')),
  batchId: clearable(ruled(digits({ description: 'Only of this batch.' }), batchId)),
  // `username` stands for a login.
  user: clearable(
    text({
      maxLength: 200,
      description: 'Only what this user sends or gets. Administrators leave it out for the whole company.',
    }),
  ),
  batch: boolean({ description: 'Several events in a post. At more than a few a second you want this.' }),
  text: word(texts, { description: '`full`: with the texts of messages; else none leaves the house.' }),
  active: boolean({ description: 'False: nothing is posted, nor kept for it.' }),
} as const;

/** What a call gives of a webhook; without an id, of a new one. */
interface Given extends Partial<Input<typeof settings>>, Pick<GivenWebhook, 'url' | 'events'> {
  readonly id?: number;
  readonly name?: string;
}

/** What the store gets of a call. A new webhook that can't be made is refused before its address is looked up. */
async function wishOf(
  { store, sealing, lookUps }: Administering,
  caller: Caller,
  { id, user, statuses, ...given }: Given,
  call: Pick<Call, 'whileWaiting'>,
): Promise<GivenWebhook> {
  const isNew = id === undefined;
  const wish: GivenWebhook = {
    ...given,
    statuses: statuses?.length === 0 ? null : statuses,
    user: isNew || user !== undefined ? await ownerOf(store, caller, user) : undefined,
  };
  if (wish.events?.length === 0)
    throw invalid('events', '`events` names none: a webhook tells of one at least.');
  const { scopeId: companyId, ownerId } = seenBy(caller);
  const foreseen = isNew
    ? allowed(await store.read(foreseeWebhook, { companyId, ownerId, given: wish }))
    : undefined;
  if (wish.url !== undefined) await refuseForbidden(lookUps, caller, wish.url, call);
  if (foreseen === undefined) return wish;
  return { ...wish, secret: sealed(sealing, { company: foreseen.company, name: wish.name ?? '' }) };
}

/**
 * Whose messages a webhook tells of, texts among them where it is told to. A user without further rights sees its own, and
 * so makes no other. Null: all of the company.
 */
async function ownerOf(store: Context['store'], caller: Caller, username: string | null | undefined) {
  const visible = visibilityOf(caller);
  return username == null ? visible.userId : (await ofUser(store, visible, username)).userId;
}

/** As each post will be judged. A name that has no address yet may get one. */
async function refuseForbidden(
  lookUps: LookUps,
  caller: Caller,
  url: string,
  call: Pick<Call, 'whileWaiting'>,
): Promise<void> {
  try {
    await call.whileWaiting(lookUps.addressesOf(caller, new URL(url).hostname));
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (!(error instanceof ForbiddenAddress)) return;
    const sentence = `\`url\` can't be posted to: ${error.message}. The operator may allow it (CARILLON_CALLBACK_ALLOW).`;
    throw invalid('url', sentence);
  }
}

function invalid(field: string, error: string): ServiceError {
  return errorOfFields({ code: 'invalid_value', error }, field);
}

/** A new secret, as it is stored. */
export function sealed(sealing: Sealing, webhook: Pick<Webhook, 'company' | 'name'>): string {
  return sealing.seal(newSecret(), placeOfSecret(webhook));
}

export const secretProperties = {
  secret: Type.String({ description: 'By which the receiver verifies what comes; it is told this once.' }),
};

/** The newest. */
export function secretOf(sealing: Sealing, webhook: Webhook) {
  return { secret: sealing.open(webhook.secrets[0] ?? '', placeOfSecret(webhook)) ?? '' };
}

const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description });
export const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC).` });
export const count = (description: string) => Type.Integer({ description });
const iso = (at: number | null) => (at === null ? undefined : new Date(at).toISOString());

const eventType = Type.Unsafe<EventType>({ title: 'EventType', type: 'string', enum: [...eventTypes] });

const states = ['works', 'failing', 'disabled', 'inactive'] as const;
const reasons = Object.keys(disabledReasons) as DisabledReason[];

/** The parameters that stand for a key of a provisioning file, where they are not the same. */
const parametersOf: Readonly<Record<string, readonly string[]>> = {
  secrets: ['secret'],
  filter: ['statuses', 'costCenter', 'conversationPrefix', 'batchId'],
};

const webhookShape = {
  properties: {
    name: Type.String({
      description: 'What a provisioning file has as its `id`; of a callback, the name of the system user.',
    }),
    kind: oneOf(
      ['webhook', 'callback'] as const,
      'A callback tells a system user of its jobs; it is set up by the operator.',
    ),
    username: Type.Optional(
      Type.String({ description: 'The user whose messages it tells of; absent: all of the company.' }),
    ),
    url: Type.String({ description: 'Where events are posted.' }),
    events: Type.Array(eventType, { description: 'What it tells of.' }),
    statuses: Type.Optional(
      Type.Array(statusNameSchema, {
        description: 'Absent: all but QUEUED and SCHEDULED.',
      }),
    ),
    costCenter: Type.Optional(Type.String({ description: 'Only of this cost centre.' })),
    conversationPrefix: Type.Optional(Type.String({ description: 'Only of conversations that begin so.' })),
    batchId: Type.Optional(Type.String({ description: 'Only of this batch.' })),
    batch: Type.Boolean({ description: 'Several events in a post.' }),
    text: oneOf(texts, '`full`: with the texts of messages.'),
    active: Type.Boolean({ description: 'False: nothing is posted, by choice.' }),
    secrets: count('How many sign what is posted: two while one is changed, 0: nothing is signed.'),
    managedKeys: Type.Array(Type.String(), { description: 'What it has set.' }),
    state: oneOf(states, '`failing`: the receiver does not take what is posted.'),
    failingSince: Type.Optional(time('Since when')),
    disabledSince: Type.Optional(time('Since when nothing is posted')),
    disabledWhy: Type.Optional(
      oneOf(reasons, '`gone`: the receiver has answered 410; `failures`: for five days; else by people.'),
    ),
    lastSeq: count('The number of the newest event.'),
    backlog: count('Events that were not posted yet, beside those that wait to be tried again.'),
    lost: count('Events since it was made that were not kept for it.'),
    replay: Type.Optional(
      Type.Object(
        { next: Type.Integer(), last: Type.Integer() },
        { title: 'EventRange', description: 'The numbers of the events that are being posted again.' },
      ),
    ),
  },
  show(webhook: Webhook) {
    const { username, url, events, filter, lastSeq, doneSeq, replayNext, replayTo } = webhook;
    const { managedFields, failingSince, disabledAt, disabledReason } = webhook;
    const state = stateOf(webhook);
    const managedKeys = [...new Set(managedFields)].filter((field) => field !== 'id');
    return {
      name: webhook.name,
      username: username ?? undefined,
      url,
      events,
      kind: webhook.systemUserId === undefined ? ('webhook' as const) : ('callback' as const),
      statuses: filter.statuses,
      costCenter: filter.costCenter,
      batchId: filter.batch,
      conversationPrefix: filter.conversationPrefix,
      batch: webhook.batch,
      text: webhook.text,
      active: webhook.active,
      secrets: webhook.secrets.length,
      managedKeys: managedKeys.flatMap((field) => parametersOf[field] ?? [field]),
      state,
      failingSince: state === 'failing' ? iso(failingSince) : undefined,
      disabledSince: iso(disabledAt),
      disabledWhy: reasons.find((reason) => disabledReasons[reason] === disabledReason),
      lastSeq,
      backlog: lastSeq - doneSeq,
      lost: webhook.lost,
      replay: replayNext === null ? undefined : { next: replayNext, last: replayTo ?? replayNext },
    };
  },
};

function stateOf({ active, disabledAt, failingSince }: Webhook): (typeof states)[number] {
  if (!active) return 'inactive';
  if (disabledAt !== null) return 'disabled';
  return failingSince === null ? 'works' : 'failing';
}
