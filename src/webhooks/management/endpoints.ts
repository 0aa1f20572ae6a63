/**
 * The endpoints of webhooks: those of the management API by which they are set up, changed and removed, and the one by
 * which a receiver closes a gap itself.
 */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { visibilityOf } from '../../accounts/visibility.ts';
import { parseBatchId } from '../../batches/batch.ts';
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import { anyMethod, passwordOnly } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { boolean, digits, integer, text, word } from '../../http/parameters/kinds.ts';
import { numberList } from '../../http/parameters/lists.ts';
import { nextOf, pageOf, pageParameters } from '../../http/parameters/page.ts';
import { clearable, type Input, ruled } from '../../http/parameters/parameter.ts';
import { statusNames } from '../../messages/message.ts';
import { maxReferenceLength } from '../../messages/sending/parameters.ts';
import { faultOfUrl, maxUrlLength, subscribable } from '../endpoint.ts';
import { actingEndpoints } from './acting-endpoints.ts';
import {
  type Administering,
  changeFor,
  finishRotationFor,
  makeFor,
  removeFor,
  rotateFor,
  visibleWebhook,
  type WebhookSettings,
  type WebhookWithSecret,
} from './administer-webhooks.ts';
import { countRetries, listVisibleWebhooks } from './list-store.ts';
import { pullEvents } from './pull-events.ts';
import { shownWebhook, texts, toldEvent, webhookFields, webhookSchema } from './shown-webhook.ts';

const endpoint = endpointsFor<Caller>();
/** Who steals a key must not have texts posted on when it is revoked. */
const settingUp = { group: 'Webhooks', credentials: passwordOnly } as const;
const reading = { group: 'Webhooks', credentials: anyMethod } as const;
const path = '/api/v1/webhooks';
const errors = ['not_found', 'role_missing'] as const;

const webhookId = integer({ get: 'id', min: 1, required: true, description: 'Id of the webhook.' });

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

function settingsOf({ statuses, user, ...others }: Input<typeof settings>): WebhookSettings {
  return { ...others, username: user, statuses: statuses?.length === 0 ? null : statuses };
}

const withSecret = Type.Object(
  {
    ...webhookFields,
    secret: Type.String({ description: 'By which the receiver verifies what comes; it is told this once.' }),
  },
  { title: 'WebhookWithSecret' },
);

const shownWithSecret = ({ webhook, secret }: WebhookWithSecret) => ({ ...shownWebhook(webhook), secret });

export function webhookEndpoints(administering: Administering) {
  const { store } = administering;
  return [
    ...webhookManagementEndpoints(administering),
    endpoint({
      path: '/api/v1/events',
      methods: ['GET', 'POST'],
      group: 'Webhooks',
      operation: 'pullEvents',
      title: 'Read the events of a webhook',
      description:
        'Gives the events of a webhook again, in their order: after a receiver was away, or to look for gaps in `seq`. Events are kept for 7 days, or until a webhook has a million newer ones. A webhook of the company is read by its administrators, that of a user by this user as well.',
      example: { url: { webhook: 'desk', after: '0' }, json: { webhook: 'desk', after: 0 } },
      credentials: anyMethod,
      parameters: {
        webhook: text({
          get: 'webhook',
          required: true,
          maxLength: 100,
          description: 'The id of the webhook.',
        }),
        after: integer({
          get: 'after',
          default: 0,
          description: 'The number of the last event that is known already.',
        }),
        limit: integer({
          get: 'limit',
          default: 100,
          min: 1,
          cap: 500,
          description: 'How many events, at most 500.',
        }),
      },
      answer: Type.Object({
        events: Type.Array(toldEvent),
        firstSeq: Type.Integer({ description: 'The first number that is kept. Events before it are gone.' }),
        lastSeq: Type.Integer({ description: 'The number of the newest event.' }),
      }),
      errors: ['not_found', 'role_missing'],
      handle: (caller, input) => pullEvents(store, caller, input),
    }),
  ] as const;
}

export function webhookManagementEndpoints(administering: Administering) {
  return [
    ...readingEndpoints(administering),
    ...makingEndpoints(administering),
    ...actingEndpoints(administering),
    ...rotatingEndpoints(administering),
    ...removingEndpoints(administering),
  ] as const;
}

function readingEndpoints(administering: Administering) {
  const { store } = administering;
  return [
    endpoint({
      path,
      methods: ['GET'],
      ...reading,
      operation: 'listWebhooks',
      title: 'List webhooks',
      description:
        'Lists webhooks with how far each is: to administrators those of their company and the callbacks of its jobs, to others their own.',
      example: { url: {} },
      parameters: {
        failing: boolean({
          get: 'failing',
          description: 'True: only those whose receivers do not take what is posted.',
        }),
        ...pageParameters,
      },
      answer: Type.Object({ webhooks: Type.Array(webhookSchema), next: nextOf('webhooks') }),
      errors: ['role_missing'],
      async handle(caller, { failing = false, after, limit }) {
        const page = { failing, after: after?.id ?? 0, limit: limit + 1 };
        const rows = await store.read(listVisibleWebhooks, { visible: visibilityOf(caller), ...page });
        const { items, next } = pageOf(rows, limit, ({ id }) => String(id));
        return { webhooks: items.map(shownWebhook), next };
      },
    }),
    endpoint({
      path: `${path}/{id}`,
      methods: ['GET'],
      ...reading,
      operation: 'getWebhook',
      title: 'Read how a webhook is',
      description: 'Gives a webhook with how far it is, and what waits to be tried again.',
      // That of the demo company.
      example: { url: { id: '2' } },
      parameters: { id: webhookId },
      answer: Type.Object({
        ...webhookFields,
        retries: Type.Integer({ description: 'Posts that wait to be tried again, among the latest 1,000.' }),
        givenUp: Type.Integer({ description: 'Posts that were not taken for a day, among the same.' }),
      }),
      answersVersion: true,
      errors,
      async handle(caller, { id }) {
        const webhook = await visibleWebhook(administering, caller, id);
        const { waiting, givenUp } = await store.read(countRetries, id);
        return { ...shownWebhook(webhook), retries: waiting, givenUp };
      },
    }),
  ] as const;
}

function makingEndpoints(administering: Administering) {
  return [
    endpoint({
      path,
      methods: ['POST'],
      ...settingUp,
      creates: 'id',
      operation: 'createWebhook',
      title: 'Make a webhook',
      description:
        'Has events posted to an address, and tells once by which secret they are signed. Administrators make webhooks of their company, or of one of its users; users make their own. It takes the password, or the portal.',
      example: {
        json: { name: 'shop', url: 'https://receiver.example/shop', events: ['message.status'] },
      },
      parameters: {
        name: ruled(
          text({ required: true, minLength: 1, maxLength: 100, description: 'To tell it from others.' }),
          name,
        ),
        url: { ...urlParameter, required: true },
        events: { ...eventsParameter, required: true },
        ...settings,
      },
      answer: withSecret,
      answersVersion: true,
      errors: [...errors, 'name_taken', 'too_many_webhooks'],
      async handle(caller, { name, url = '', events = [], ...input }, call) {
        const wanted = { name, url, events, ...settingsOf(input) };
        return shownWithSecret(await makeFor(administering, caller, wanted, call));
      },
    }),
    endpoint({
      path: `${path}/{id}`,
      methods: ['PATCH'],
      ...settingUp,
      operation: 'updateWebhook',
      title: 'Change a webhook',
      description:
        'Changes what is given, and leaves the rest. Given to another user, or to all of the company, it starts over under another id, which the answer has, and its events are counted from 1 again. What a provisioning file has set it alone changes.',
      example: { url: { id: '3' }, json: { statuses: ['DELIVERED', 'UNDELIVERABLE'] } },
      parameters: {
        id: webhookId,
        url: urlParameter,
        events: eventsParameter,
        ...settings,
      },
      answer: webhookSchema,
      answersVersion: true,
      takesVersion: true,
      errors: [...errors, 'managed'],
      async handle(caller, { id, url, events, ...input }, call) {
        const change = { id, url, events, ...settingsOf(input) };
        return shownWebhook(await changeFor(administering, caller, change, call));
      },
    }),
  ] as const;
}

function rotatingEndpoints(administering: Administering) {
  return [
    endpoint({
      path: `${path}/{id}/rotate`,
      methods: ['POST'],
      ...settingUp,
      operation: 'rotateWebhookSecret',
      title: 'Give a webhook a new secret',
      description:
        'Makes a new secret and tells it once. What is posted is signed by the old one as well, until the change is finished.',
      example: { url: { id: '3' }, json: {} },
      parameters: { id: webhookId },
      answer: withSecret,
      answersVersion: true,
      errors: [...errors, 'managed'],
      handle: async (caller, { id }) => shownWithSecret(await rotateFor(administering, caller, id)),
    }),
    endpoint({
      path: `${path}/{id}/finish-rotation`,
      methods: ['POST'],
      ...settingUp,
      operation: 'finishWebhookSecretRotation',
      title: 'Finish the change of a secret',
      description: 'The newest secret alone signs what is posted from then on: the receiver has it.',
      example: { url: { id: '3' }, json: {} },
      parameters: { id: webhookId },
      answer: webhookSchema,
      answersVersion: true,
      errors: [...errors, 'managed'],
      handle: async (caller, { id }) => shownWebhook(await finishRotationFor(administering, caller, id)),
    }),
  ] as const;
}

function removingEndpoints(administering: Administering) {
  return [
    endpoint({
      path: `${path}/{id}`,
      methods: ['DELETE'],
      ...reading,
      operation: 'deleteWebhook',
      title: 'Remove a webhook',
      description: 'Nothing more is posted, and what it was still to be told is forgotten.',
      example: { url: { id: '3' } },
      parameters: { id: webhookId },
      answer: Type.Object({ id: Type.String() }),
      takesVersion: true,
      errors: [...errors, 'managed'],
      async handle(caller, { id }, { ifMatch }) {
        await removeFor(administering, caller, id, ifMatch);
        return { id: String(id) };
      },
    }),
  ] as const;
}
