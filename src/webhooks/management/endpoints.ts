/**
 * The endpoints of webhooks: those of the resource; those that switch one off and on, test it, show each try to post, post
 * again, or change its secret; and the one by which a receiver closes a gap itself.
 */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { byUser, noteLook } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { anyMethod, passwordOnly } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { integer, text } from '../../http/parameters/kinds.ts';
import { nextOf, pageOf, pageParameters } from '../../http/parameters/page.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { parseTime } from '../../wire/schedule-time.ts';
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
import { pullEvents, pulledEvent } from './pull-events.ts';
import {
  type Administering,
  count,
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
    api.remove(),
    endpoint({
      path: '/api/v1/events',
      methods: ['GET', 'POST'],
      group,
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
        'Nothing is posted there until it is enabled, nor posted again. What happens meanwhile is counted, and not kept.',
      example: { ...example, json: {} },
      handle: switchedBy(disableEndpoint),
    }),
    endpoint({
      ...switched,
      path: `${path}/enable` as const,
      operation: 'enableWebhook',
      title: 'Enable a webhook again',
      description:
        'Events are posted there again, what waits first: after the webhook was disabled, or at once where its receiver had failed.',
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
        'Posts an event `webhook.test` to it, behind what waits. How it went is told by the try that has its number.',
      example: { ...example, json: {} },
      answer: Type.Object({ seq: Type.Integer({ description: 'The number of the event.' }) }),
      errors: [...errors, 'webhook_disabled'],
      async handle(caller, input) {
        const webhook = await api.find(caller, input.id);
        const seq = await store.write(queueTest, actOn(administering, caller, webhook));
        if (seq !== null) return { seq };
        throw new ServiceError(
          'webhook_disabled',
          `Nothing is posted to the webhook ${webhook.name}: ${webhook.active ? 'it is disabled' : 'it is not active'}. No test was made.`,
        );
      },
    }),
  ] as const;
}

/** An event as it is posted. */
const toldEvent = Type.Object(
  {
    type: Type.String({ description: 'As `message.status`.' }),
    timestamp: Type.String({ description: 'When it happened (ISO 8601, UTC).' }),
    seq: Type.Integer({ description: 'Its number among the events of the webhook: these have no holes.' }),
    data: Type.Object({}, { description: 'What is told, as it is posted.' }),
  },
  { title: 'Event' },
);

const attemptFields = {
  number: Type.String({ description: 'Of the tries to post to this webhook.' }),
  time: time('When'),
  firstSeq: count('The number of the first event that was posted.'),
  events: count('How many were.'),
  tries: count('Which try of these events it was, from 1 on.'),
  address: Type.Optional(Type.String({ description: 'That was connected to.' })),
  statusCode: Type.Optional(Type.Integer({ description: 'Of HTTP; absent: nothing was answered.' })),
  error: Type.Optional(Type.String({ description: 'Why nothing was answered.' })),
  milliseconds: count('That it took.'),
  answer: Type.String({ description: 'What was answered: the first 200 characters.' }),
};

const number = integer({ get: 'number', min: 1, required: true, description: 'Number of the try.' });

function attemptEndpoints(administering: Administering, api: WebhookApi) {
  const { store } = administering;
  const read = { group, credentials: anyMethod, methods: ['GET'] as const };
  return [
    endpoint({
      ...read,
      path: `${path}/attempts` as const,
      operation: 'listWebhookAttempts',
      title: 'List the tries to post to a webhook',
      description: 'Lists each try of the last 7 days with how it went, the latest first.',
      example,
      parameters: { id, ...pageParameters },
      answer: Type.Object({
        attempts: Type.Array(Type.Object(attemptFields, { title: 'ListedWebhookAttempt' })),
        next: nextOf('tries'),
      }),
      errors,
      async handle(caller, input) {
        const { after, limit } = input;
        const { key: endpointId } = await api.find(caller, input.id);
        const before = after?.id ?? Number.MAX_SAFE_INTEGER;
        const rows = await store.read(listAttempts, { endpointId, before, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, (attempt) => String(attempt.number));
        return { attempts: items.map((attempt) => shownAttempt(attempt)), next };
      },
    }),
    endpoint({
      ...read,
      path: `${path}/attempts/{number}` as const,
      operation: 'getWebhookAttempt',
      title: 'Read one try with what was posted',
      description:
        'Gives the events of a try as they were posted, as far as they are still kept, and the first 2 kB of what was answered. Whoever looks at what somebody else was sent is in the audit log.',
      example: { url: { id: '3', number: '1' } },
      parameters: { id, number },
      answer: Type.Object({ ...attemptFields, posted: Type.Array(toldEvent) }, { title: 'WebhookAttempt' }),
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
            object: `${webhook.name}, try ${input.number}`,
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
    error: error ?? undefined,
    milliseconds: durationMs,
    answer: answer.slice(0, answerLength).replace(/[\uD800-\uDBFF]$/, ''),
  };
}

const replayed = Type.Object(
  {
    events: Type.Integer({
      description: 'How many are posted again, at most ten posts a second; 0: nothing is kept of that time.',
    }),
  },
  { title: 'StartedReplay' },
);

function noAttempt(number: number): ServiceError {
  return new ServiceError('not_found', `Nothing is kept of the try ${number} of this webhook.`);
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
    const sentence = 'Events are being posted to this webhook again already. Nothing else was begun.';
    throw new ServiceError('replay_under_way', sentence);
  };
  return [
    endpoint({
      ...acting,
      path: `${path}/replay` as const,
      operation: 'replayWebhookEvents',
      title: 'Post the events of a time again',
      description:
        'Posts what happened in a time again, beside what is new. What is not taken is tried again, for a day.',
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
      title: 'Post the events of a try again',
      description: 'Posts again what one try had, as far as it is still kept.',
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
    errors: [...errors, 'managed'] as const,
  };
  return [
    endpoint({
      ...rotating,
      path: `${path}/rotate`,
      operation: 'rotateWebhookSecret',
      title: 'Give a webhook a new secret',
      description:
        'Makes a new secret and tells it once. What is posted is signed by the old one as well, until the change is finished.',
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
      title: 'Finish the change of a secret',
      description: 'The newest secret alone signs what is posted from then on: the receiver has it.',
      answer: api.one,
      handle: async (caller, { id }) => api.show(await api.changeBy(caller, id, { secret: null })),
    }),
  ] as const;
}
