/**
 * The endpoints of webhooks: those of the resource, those that disable and enable a webhook, test it, list its
 * attempts, post again or change its secret, and the endpoint through which a receiver itself closes a gap.
 */

import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { byUser, noteLook } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { shownError } from '../../foundation/sentences.ts';
import { errorContent } from '../../http/answers/error-response.ts';
import { anyMethod, passwordOnly } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { integer, text } from '../../http/parameters/kinds.ts';
import { nextOf, pageOf, pageParameters } from '../../http/parameters/page.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { parseTime } from '../../wire/schedule-time.ts';
import { rotateCallbackSecret } from '../callback-url.ts';
import { eventTypes, newSecret, placeOfCallbackUrlSecret } from '../endpoint.ts';
import type { Attempt } from '../sending/sending-store.ts';
import type { Webhook } from '../webhook.ts';
import {
  beginReplay,
  disableEndpoint,
  enableEndpoint,
  findAttempt,
  listAttempts,
  queueTest,
  replayAttempt,
} from './administration-store.ts';
import { postedEvent } from './posted-bodies.ts';
import { pullEvents, pulledEvent } from './pull-events.ts';
import {
  type Administering,
  count,
  eventType,
  webhookId as id,
  sealed,
  secretOf,
  secretProperties,
  time,
  type WebhookApi,
  webhookApi,
} from './webhook-api.ts';

const endpoint = endpointsFor<Caller>();
const path = '/api/v1/webhooks/{id}';
const group = 'Webhooks';
const errors = ['not_found', 'role_missing'] as const;
const acting = { group, credentials: anyMethod, methods: ['POST'] as const };
const example = { url: { id: '3' } };

export function webhookEndpoints(administering: Administering) {
  const api = webhookApi(administering);
  return [
    api.list(),
    api.get(),
    api.create(),
    api.change(),
    ...switchingEndpoints(administering, api),
    ...attemptEndpoints(administering, api),
    ...replayEndpoints(administering, api),
    ...rotatingEndpoints(administering, api),
    ...callbackSecretEndpoints(administering),
    api.remove(),
    endpoint({
      path: '/api/v1/events',
      methods: ['GET', 'POST'],
      group,
      operation: 'pullEvents',
      title: 'Read the events of a webhook',
      description:
        'Returns the events of a webhook in order, for example after an outage of the receiver, or to fill gaps in `seq`. Events are kept for 7 days, or until a webhook has a million newer events. Administrators can read the events of all webhooks of the company, users those of their own.',
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
          description: 'Number of the last event that you already have.',
        }),
        limit: integer({
          get: 'limit',
          default: 100,
          min: 1,
          cap: 500,
          description: 'Maximum number of events to return, up to 500.',
        }),
      },
      answer: Type.Object({
        events: Type.Array(postedEvent),
        firstSeq: Type.Integer({ description: 'Number of the oldest event still kept.' }),
        lastSeq: Type.Integer({ description: 'Number of the newest event.' }),
      }),
      errors: ['not_found', 'role_missing'],
      handle: (caller, input) => pullEvents(administering.store, caller, input),
    }),
  ] as const;
}

function actOn({ clock }: Administering, caller: Caller, { key }: Webhook) {
  return { endpointId: key, now: clock.now(), by: byUser(caller) };
}

function switchingEndpoints(administering: Administering, api: WebhookApi) {
  const { store } = administering;
  const switchedBy =
    (verb: typeof disableEndpoint | typeof enableEndpoint) =>
    async (caller: Caller, { id }: { readonly id: number }) => {
      await store.write(verb, actOn(administering, caller, await api.find(caller, id)));
      return api.show(await api.find(caller, id));
    };
  const switched = { ...acting, parameters: { id }, answer: api.one, answersVersion: true, errors };
  return [
    endpoint({
      ...switched,
      path: `${path}/disable` as const,
      operation: 'disableWebhook',
      title: 'Disable a webhook',
      description:
        'Nothing is posted or replayed until the webhook is enabled. Events in the meantime are counted but not kept.',
      example: { ...example, json: {} },
      handle: switchedBy(disableEndpoint),
    }),
    endpoint({
      ...switched,
      path: `${path}/enable` as const,
      operation: 'enableWebhook',
      title: 'Enable a webhook',
      description:
        'Resumes posting at once, waiting events first, whether the webhook was disabled or its receiver had failed.',
      example: { ...example, json: {} },
      handle: switchedBy(enableEndpoint),
    }),
    endpoint({
      ...acting,
      path: `${path}/test` as const,
      parameters: { id },
      operation: 'testWebhook',
      title: 'Test a webhook',
      description:
        'Posts an event `webhook.test` after the waiting events. The attempt that posted the event shows the result.',
      example: { ...example, json: {} },
      answer: Type.Object({ seq: Type.Integer({ description: 'Number of the event.' }) }),
      errors: [...errors, 'webhook_disabled'],
      async handle(caller, input) {
        const webhook = await api.find(caller, input.id);
        const seq = await store.write(queueTest, actOn(administering, caller, webhook));
        if (seq !== null) return { seq };
        const sentence = webhook.active ? 'webhook_disabled' : 'webhook_inactive';
        throw new ServiceError('webhook_disabled', { sentence, webhook: webhook.name });
      },
    }),
  ] as const;
}

const attemptFields = {
  number: Type.String({ description: 'Number of the attempt at this webhook.' }),
  time: time('When it was made'),
  firstSeq: count('Number of the first event that was posted.'),
  events: count('Number of events posted.'),
  tries: count('How many attempts to post these events had been made, including this one.'),
  address: Type.Optional(Type.String({ description: 'Address that the connection went to.' })),
  statusCode: Type.Optional(Type.Integer({ description: 'HTTP status; absent: no answer.' })),
  error: Type.Optional(Type.String({ description: 'Why there was no answer.' })),
  errorValues: errorContent.values,
  milliseconds: count('How long the attempt took, in milliseconds.'),
  answer: Type.String({ description: 'First 200 characters of the answer.' }),
};

const number = integer({ get: 'number', min: 1, required: true, description: 'Number of the attempt.' });

function attemptEndpoints(administering: Administering, api: WebhookApi) {
  const { store } = administering;
  const read = { group, credentials: anyMethod, methods: ['GET'] as const };
  return [
    endpoint({
      ...read,
      path: `${path}/attempts` as const,
      operation: 'listWebhookAttempts',
      title: 'List a webhook’s attempts',
      description: 'Lists the attempts of the last 7 days with their results, latest first.',
      example,
      parameters: { id, ...pageParameters },
      answer: Type.Object({
        attempts: Type.Array(
          Type.Object(
            { ...attemptFields, event: Type.Optional(eventType) },
            { title: 'ListedWebhookAttempt' },
          ),
        ),
        next: nextOf('attempts'),
      }),
      errors,
      async handle(caller, input) {
        const { after, limit } = input;
        const { key: endpointId } = await api.find(caller, input.id);
        const before = after?.id ?? Number.MAX_SAFE_INTEGER;
        const rows = await store.read(listAttempts, { endpointId, before, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, (attempt) => String(attempt.number));
        return {
          attempts: items.map((attempt) => ({
            ...shownAttempt(attempt),
            event: attempt.type === null ? undefined : eventTypes[attempt.type],
          })),
          next,
        };
      },
    }),
    endpoint({
      ...read,
      path: `${path}/attempts/{number}` as const,
      operation: 'getWebhookAttempt',
      title: 'Read an attempt and its events',
      description:
        'Returns the events of an attempt as posted, if they are still kept, and the first 2 kB of the answer. When someone views events of another user, the audit log records it.',
      example: { url: { id: '3', number: '1' } },
      parameters: { id, number },
      answer: Type.Object({ ...attemptFields, posted: Type.Array(postedEvent) }, { title: 'WebhookAttempt' }),
      errors,
      async handle(caller, input) {
        const webhook = await api.find(caller, input.id);
        const found = await store.read(findAttempt, { endpointId: webhook.key, number: input.number });
        if (found === null) throw noAttempt(input.number);
        if (webhook.user !== caller.userId)
          await store.write(noteLook, {
            companyId: caller.companyId,
            at: administering.clock.now(),
            by: byUser(caller),
            act: 'webhook.look',
            object: `${webhook.name}, attempt ${input.number}`,
          });
        const { attempt, events } = found;
        return { ...shownAttempt(attempt, attempt.answer.length), posted: events.map(pulledEvent) };
      },
    }),
  ] as const;
}

const listedAnswerLength = 200;

function shownAttempt(attempt: Attempt, answerLength = listedAnswerLength) {
  const { number, at, firstSeq, events, tries, address, status, error, durationMs, answer } = attempt;
  return {
    number: String(number),
    time: new Date(at).toISOString(),
    firstSeq,
    events,
    tries,
    address: address ?? undefined,
    statusCode: status ?? undefined,
    ...shownError(error),
    milliseconds: durationMs,
    answer: answer.slice(0, answerLength).replace(/[\uD800-\uDBFF]$/, ''),
  };
}

const replayed = Type.Object(
  {
    events: Type.Integer({
      description:
        'Number of events to be posted again, in at most ten posts a second; 0: no events are kept from that time.',
    }),
  },
  { title: 'StartedReplay' },
);

function noAttempt(number: number): ServiceError {
  return new ServiceError('not_found', { sentence: 'none_such', noun: 'stored attempt', id: number });
}

const instant = (name: string, description: string) =>
  ruled(
    text({ get: name, maxLength: 50, required: true, description: `${description} (ISO 8601 with zone).` }),
    parseTime,
  );

function replayEndpoints(administering: Administering, api: WebhookApi) {
  const { store } = administering;
  const begun = (events: number | null) => {
    if (events !== null) return { events };
    const sentence = 'Events are already being replayed to this webhook. No other replay was started.';
    throw new ServiceError('replay_under_way', sentence);
  };
  return [
    endpoint({
      ...acting,
      path: `${path}/replay` as const,
      operation: 'replayWebhookEvents',
      title: 'Replay the events of a period',
      description:
        'Posts the events of a period again, alongside new events. Failed posts are retried for a day.',
      example: {
        ...example,
        json: { from: '2026-01-01T00:00Z', to: '2026-01-02T00:00Z' },
      },
      parameters: { id, from: instant('from', 'The beginning'), to: instant('to', 'The end') },
      answer: replayed,
      errors: [...errors, 'replay_under_way', 'invalid_time'],
      async handle(caller, { id, from, to }) {
        const act = actOn(administering, caller, await api.find(caller, id));
        return begun(await store.write(beginReplay, { ...act, from, to }));
      },
    }),
    endpoint({
      ...acting,
      path: `${path}/attempts/{number}/replay` as const,
      operation: 'replayWebhookAttempt',
      title: 'Replay the events of an attempt',
      description: 'Posts the events of one attempt again, if they are still kept.',
      example: { url: { id: '3', number: '1' }, json: {} },
      parameters: { id, number },
      answer: replayed,
      errors: [...errors, 'replay_under_way'],
      async handle(caller, { id, number }) {
        const act = actOn(administering, caller, await api.find(caller, id));
        const events = await store.write(replayAttempt, { ...act, number });
        if (events === undefined) throw noAttempt(number);
        return begun(events);
      },
    }),
  ] as const;
}

function rotatingEndpoints({ sealing }: Administering, api: WebhookApi) {
  const rotating = {
    group,
    credentials: passwordOnly,
    methods: ['POST'] as const,
    parameters: { id },
    example: { url: { id: '3' }, json: {} },
    answersVersion: true,
    errors: [...errors, 'managed', 'of_callback_url'] as const,
  };
  return [
    endpoint({
      ...rotating,
      path: `${path}/rotate`,
      operation: 'rotateWebhookSecret',
      title: 'Give a webhook a new secret',
      description:
        'Creates a new secret and returns it once. Posts are signed with the old secret too until the change is finished.',
      answer: Type.Object({ ...api.one.properties, ...secretProperties }, { title: 'WebhookWithSecret' }),
      async handle(caller, { id }) {
        const secret = sealed(sealing, await api.find(caller, id));
        const webhook = await api.changeBy(caller, id, { secret });
        return { ...api.show(webhook), ...secretOf(sealing, webhook) };
      },
    }),
    endpoint({
      ...rotating,
      path: `${path}/finish-rotation`,
      operation: 'finishWebhookSecretRotation',
      title: 'Finish a change of secret',
      description:
        'From now on, only the newest secret signs posts. Make this call once the receiver has the new secret.',
      answer: api.one,
      handle: async (caller, { id }) => api.show(await api.changeBy(caller, id, { secret: null })),
    }),
  ] as const;
}

/** The secret of a user's callback URLs, which is there before the first call that names one. */
function callbackSecretEndpoints({ store, clock, sealing }: Administering) {
  const ofSecret = { group, credentials: passwordOnly, methods: ['POST'] as const, parameters: {} };
  const place = '/api/v1/webhooks/callback-secret';
  const secrets = Type.Integer({ description: 'Number of secrets that sign posts: 2 during a change.' });
  const actOf = ({ companyId, userId, username, session }: Caller) => {
    const now = clock.now();
    return { companyId, userId, username, session, now };
  };
  return [
    endpoint({
      ...ofSecret,
      path: `${place}/rotate`,
      operation: 'rotateCallbackSecret',
      title: 'Give your callback URLs a new secret',
      description:
        'Creates the secret that signs what is posted to each `callbackurl` of your calls, and returns it once. The former secret signs too until the change is finished.',
      example: { json: {} },
      answer: Type.Object({ ...secretProperties, secrets }, { title: 'CallbackSecret' }),
      errors: ['role_missing'],
      async handle(caller) {
        requireRole(caller, 'send');
        const secret = newSecret();
        const sealed = sealing.seal(secret, placeOfCallbackUrlSecret(caller.userId));
        return {
          secret,
          secrets: await store.write(rotateCallbackSecret, { ...actOf(caller), secret: sealed }),
        };
      },
    }),
    endpoint({
      ...ofSecret,
      path: `${place}/finish-rotation`,
      operation: 'finishCallbackSecretRotation',
      title: 'Finish a change of the secret of your callback URLs',
      description: 'From now on, only the newest secret signs. Make this call once the receivers have it.',
      example: { json: {} },
      answer: Type.Object({ secrets }, { title: 'FinishedCallbackSecret' }),
      errors: ['role_missing'],
      async handle(caller) {
        requireRole(caller, 'send');
        return { secrets: await store.write(rotateCallbackSecret, { ...actOf(caller), secret: null }) };
      },
    }),
  ] as const;
}
