/**
 * Webhooks in the management API: the parameters that calls take, the checks before a webhook is stored, and the responses.
 */
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
import { outcomesOfDay } from '../attempt-counts.ts';
import {
  type DisabledReason,
  disabledReasons,
  type EventType,
  eventTypes,
  faultOfUrl,
  maxUrlLength,
  newSecret,
  placeOfCallbackSecret,
  placeOfSecret,
  subscribable,
} from '../endpoint.ts';
import { ForbiddenAddress, type LookUps } from '../posting/address-guard.ts';
import { dryRunWebhook, type GivenWebhook, type Webhook, webhooks } from '../webhook.ts';
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
        retries: count('How many of the latest 1,000 posts are waiting to be retried.'),
        givenUp: count('How many of the latest 1,000 posts were given up after a day without success.'),
      },
      async read({ key }) {
        const { waiting, givenUp } = await store.read(countRetries, key);
        return { retries: waiting, givenUp };
      },
    },
    more: {
      create: {
        name: ruled(
          text({ required: true, minLength: 1, maxLength: 100, description: 'A name of your choice.' }),
          name,
        ),
        url: { ...urlParameter, required: true },
        events: { ...eventsParameter, required: true },
        ...settings,
      },
      change: { url: urlParameter, events: eventsParameter, ...settings },
      async read(caller, given, call, find) {
        // Calls for an object that does not exist are refused before any look-up.
        await find?.();
        return wishOf(administering, caller, given, call);
      },
    },
    narrow: {
      failing: boolean({
        get: 'failing',
        description: 'If true, only webhooks whose receivers fail.',
      }),
    },
    list: {
      description:
        'Lists webhooks with their backlogs: for administrators all webhooks of the company and the callbacks of its jobs, for others their own webhooks.',
      example: { url: {} },
    },
    get: {
      description: 'Returns a webhook with its backlog and pending retries.',
      // A webhook of the demo company.
      example: { url: { id: '2' } },
    },
    create: {
      description:
        'Posts events to an address, and returns the signing secret once. Administrators can create webhooks for the company or one of its users, users for themselves. The call needs a password or a portal session.',
      example: {
        json: { name: 'shop', url: 'https://receiver.example/shop', events: ['message.status'] },
      },
      // A stolen key must not create a webhook, which would go on forwarding texts after the key is revoked.
      credentials: passwordOnly,
      errors: ['not_found', 'name_taken', 'too_many_webhooks'],
    },
    change: {
      description:
        'Changes the given fields and keeps the rest. If the webhook is given to another user or to the whole company, it starts over under a new id, returned in the answer, and its events are numbered from 1 again. What a provisioning file has set can be changed only by a provisioning file.',
      example: { url: { id: '3' }, json: { statuses: ['DELIVERED', 'UNDELIVERABLE'] } },
      credentials: passwordOnly,
      errors: ['of_system_user', 'of_callback_url'],
    },
    remove: {
      description: 'Nothing more is posted, and pending events are dropped.',
      example: { url: { id: '3' } },
      errors: ['of_system_user'],
    },
  });
}

/** Administrators may see all webhooks of their company, other users only their own. */
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

/** Returns the words in the order of `words`. */
export function someOf<Word extends string>(words: readonly Word[]) {
  return (given: readonly string[]): Result<readonly Word[]> => {
    const other = given.find((one) => !(words as readonly string[]).includes(one));
    if (other !== undefined)
      return fault('invalid_value', {
        sentence: 'not_one_of',
        given: quoted(other),
        words: words.join(', '),
      });
    return success(words.filter((one) => given.includes(one)));
  };
}

function name(given: string): Result<string> {
  if (given.trim() === '') return fault('invalid_value', { sentence: 'name_blank' });
  return /[\p{Cc}\p{Cs}]/u.test(given)
    ? fault('invalid_value', { sentence: 'control_characters' })
    : success(given);
}

export function postUrl(given: string): Result<string> {
  const wrong = faultOfUrl(given);
  return wrong === undefined ? success(given) : fault('invalid_value', { sentence: 'webhook_url', wrong });
}

function batchId(given: string): Result<string> {
  const id = parseBatchId(given);
  return id === undefined
    ? fault('invalid_value', { sentence: 'not_an_id', given: quoted(given), noun: 'batch' })
    : success(String(id));
}

const written = (description: string) => text({ maxLength: maxReferenceLength, description });
export const urlParameter = ruled(
  text({ maxLength: maxUrlLength, description: 'Where to post: https:// or http://.' }),
  postUrl,
);
const eventsParameter = ruled(
  numberList({
    maxItems: subscribable.length,
    maxLength: 40,
    description: `Events to post: ${subscribable.join(', ')}.`,
  }),
  someOf(subscribable),
);
const texts = ['none', 'full'] as const;

const settings = {
  statuses: ruled(
    numberList({
      maxItems: statusNames.length,
      maxLength: 40,
      description: 'Statuses to report by `message.status`; empty: all but QUEUED and SCHEDULED.',
    }),
    someOf(statusNames),
  ),
  costCenter: clearable(written('Only messages and batches of this cost centre.')),
  conversationPrefix: clearable(written('Only conversations whose id begins with this text.')),
  batchId: clearable(ruled(digits({ description: 'Only this batch.' }), batchId)),
  // The name `username` is reserved for a login.
  user: clearable(
    text({
      maxLength: 200,
      description: 'Only what this user sends or receives. Administrators omit it for the whole company.',
    }),
  ),
  batch: boolean({
    description: 'Posts several events at a time. Recommended above a few events per second.',
  }),
  text: word(texts, { description: '`full`: include message texts; otherwise they are not sent.' }),
  active: boolean({ description: 'If false, nothing is posted to the webhook or kept for it.' }),
} as const;

/** The fields of a webhook given in a call. Without an id, they are for a new one. */
interface Given extends Partial<Input<typeof settings>>, Pick<GivenWebhook, 'url' | 'events'> {
  readonly id?: number;
  readonly name?: string;
}

/**
 * Prepares the call's input for the store. A new webhook that can't be created is refused before its address is looked up.
 */
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
    throw errorOfFields(fault('invalid_value', { sentence: 'webhook_events', fewest: 1 }), 'events');
  const { scopeId: companyId, ownerId } = seenBy(caller);
  const dryRun = isNew
    ? allowed(await store.read(dryRunWebhook, { companyId, ownerId, given: wish }))
    : undefined;
  if (wish.url !== undefined) await refuseForbidden(lookUps, caller, { url: wish.url, field: 'url' }, call);
  if (dryRun === undefined) return wish;
  return { ...wish, secret: sealed(sealing, { company: dryRun.company, name: wish.name ?? '' }) };
}

/**
 * Returns the user whose messages the webhook reports (with their texts, if enabled). A user without further rights can
 * see and create only webhooks for their own messages. Null means the whole company.
 */
async function ownerOf(store: Context['store'], caller: Caller, username: string | null | undefined) {
  const visible = visibilityOf(caller);
  return username == null ? visible.userId : (await ofUser(store, visible, username)).userId;
}

/** Checks the address as each post will. A host name that has no address yet may get one later. */
export async function refuseForbidden(
  lookUps: LookUps,
  caller: Caller,
  { url, field }: { readonly url: string; readonly field: string },
  call: Pick<Call, 'whileWaiting'>,
): Promise<void> {
  try {
    await call.whileWaiting(lookUps.addressesOf(caller, new URL(url).hostname));
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (!(error instanceof ForbiddenAddress)) return;
    const forbidden = fault('invalid_value', { sentence: 'webhook_url_forbidden', why: error.message });
    throw errorOfFields(forbidden, field);
  }
}

/** Creates a new secret in its stored form. */
export function sealed(sealing: Sealing, webhook: Placed): string {
  return sealing.seal(newSecret(), placeOf(webhook));
}

type Placed = Pick<Webhook, 'company' | 'name'> & Partial<Pick<Webhook, 'systemUserId'>>;

function placeOf({ company, name, systemUserId }: Placed) {
  return systemUserId === undefined ? placeOfSecret({ company, name }) : placeOfCallbackSecret(name);
}

export const secretProperties = {
  secret: Type.String({
    description: 'Secret with which the receiver verifies posts. Shown only this once.',
  }),
};

/** Returns the newest secret. */
export function secretOf(sealing: Sealing, webhook: Webhook) {
  return { secret: sealing.open(webhook.secrets[0] ?? '', placeOf(webhook)) ?? '' };
}

const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description });
export const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC).` });
export const count = (description: string) => Type.Integer({ description });
const iso = (at: number | null) => (at === null ? undefined : new Date(at).toISOString());

export const eventType = Type.Unsafe<EventType>({
  title: 'EventType',
  type: 'string',
  enum: [...eventTypes],
});

const kinds = ['webhook', 'callback', 'callbackUrl'] as const;
const states = ['works', 'failing', 'disabled', 'inactive'] as const;
const reasons = Object.keys(disabledReasons) as DisabledReason[];

/** The parameters of calls whose names differ from those of the keys in a provisioning file. */
const parametersOf: Readonly<Record<string, readonly string[]>> = {
  secrets: ['secret'],
  filter: ['statuses', 'costCenter', 'conversationPrefix', 'batchId'],
};

const webhookShape = {
  properties: {
    name: Type.String({
      description: 'The `id` in a provisioning file; for a callback, the name of the system user.',
    }),
    kind: oneOf(
      kinds,
      'A `callback` reports to a system user about its jobs; it is changed with the system user. A `callbackUrl` reports about messages whose calls name it as `callbackurl`; it can’t be changed.',
    ),
    username: Type.Optional(
      Type.String({
        description: 'User whose messages it reports; absent: it reports those of the whole company.',
      }),
    ),
    url: Type.String({ description: 'Where events are posted.' }),
    events: Type.Array(eventType, { description: 'Events that the webhook posts.' }),
    statuses: Type.Optional(
      Type.Array(statusNameSchema, {
        description: 'Absent: all but QUEUED and SCHEDULED.',
      }),
    ),
    costCenter: Type.Optional(Type.String({ description: 'Only this cost centre.' })),
    conversationPrefix: Type.Optional(
      Type.String({ description: 'Only conversations whose id begins with this text.' }),
    ),
    batchId: Type.Optional(Type.String({ description: 'Only this batch.' })),
    batch: Type.Boolean({ description: 'Whether a post can have several events.' }),
    text: oneOf(texts, '`full`: with the texts of messages.'),
    active: Type.Boolean({ description: 'False if the webhook is switched off.' }),
    secrets: count(
      'Number of secrets that sign posts: 2 while a secret is being replaced; 0: posts are not signed.',
    ),
    managedKeys: Type.Array(Type.String(), {
      description: 'Keys set by a provisioning file; only that file can change them.',
    }),
    state: oneOf(states, '`failing`: the receiver does not accept posts.'),
    failingSince: Type.Optional(time('Since when the receiver has been failing')),
    disabledSince: Type.Optional(time('Since when nothing is posted')),
    disabledWhy: Type.Optional(
      oneOf(
        reasons,
        '`gone`: the receiver answered 410; `failures`: it failed for five days; otherwise somebody disabled it.',
      ),
    ),
    lastSeq: count('Number of the newest event.'),
    backlog: count('Number of events not posted yet, not counting those that wait to be retried.'),
    lastDay: Type.Object(
      { ok: Type.Integer(), failed: Type.Integer() },
      { title: 'AttemptOutcomes', description: 'Attempts of the last 24 hours, by the hour.' },
    ),
    lost: count('Number of events since the webhook’s creation that were not kept for it.'),
    replay: Type.Optional(
      Type.Object(
        { next: Type.Integer(), last: Type.Integer() },
        { title: 'EventRange', description: 'Numbers of the events being replayed.' },
      ),
    ),
  },
  show(webhook: Webhook, now: number) {
    const { username, url, events, filter, lastSeq, doneSeq, replayNext, replayTo } = webhook;
    const { managedFields, failingSince, disabledAt, disabledReason } = webhook;
    const state = stateOf(webhook);
    const managedKeys = [...new Set(managedFields)].filter((field) => field !== 'id');
    return {
      name: webhook.name,
      username: username ?? undefined,
      url,
      events,
      kind: kindOf(webhook),
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
      lastDay: outcomesOfDay(webhook.attemptCounts, now),
      lost: webhook.lost,
      replay: replayNext === null ? undefined : { next: replayNext, last: replayTo ?? replayNext },
    };
  },
};

function kindOf({ systemUserId, callsUntil }: Webhook): (typeof kinds)[number] {
  if (systemUserId !== undefined) return 'callback';
  return callsUntil === undefined ? 'webhook' : 'callbackUrl';
}

function stateOf({ active, disabledAt, failingSince }: Webhook): (typeof states)[number] {
  if (!active) return 'inactive';
  if (disabledAt !== null) return 'disabled';
  return failingSince === null ? 'works' : 'failing';
}
