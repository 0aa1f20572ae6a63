/** The endpoints of the management API that show each try to post to a webhook, try it, and post again. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { byUser, noteLook } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { integer, text } from '../../http/parameters/kinds.ts';
import { nextOf, pageOf, pageParameters } from '../../http/parameters/page.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { parseTime } from '../../wire/schedule-time.ts';
import { type Administering, actOn, visibleWebhook } from './administer-webhooks.ts';
import {
  beginReplay,
  disableEndpoint,
  enableEndpoint,
  findAttempt,
  listAttempts,
  queueTest,
  replayAttempt,
} from './administration-store.ts';
import { pulledEvent } from './pull-events.ts';
import { attemptFields, shownAttempt, shownWebhook, toldEvent, webhookSchema } from './shown-webhook.ts';

const endpoint = endpointsFor<Caller>();
const path = '/api/v1/webhooks/{id}';
const errors = ['not_found', 'role_missing'] as const;
const group = 'Webhooks';
const acting = { group, credentials: anyMethod, methods: ['POST'] as const };

const id = integer({ get: 'id', min: 1, required: true, description: 'Id of the webhook.' });
const number = integer({ get: 'number', min: 1, required: true, description: 'Number of the try.' });
const example = { url: { id: '3' } };

const replayed = Type.Object(
  {
    events: Type.Integer({
      description: 'How many are posted again, at most ten posts a second; 0: nothing is kept of that time.',
    }),
  },
  { title: 'StartedReplay' },
);

export function actingEndpoints(administering: Administering) {
  return [
    ...switchingEndpoints(administering),
    ...attemptEndpoints(administering),
    ...replayEndpoints(administering),
  ] as const;
}

function switchingEndpoints(administering: Administering) {
  const { store } = administering;
  const switchedBy =
    (verb: typeof disableEndpoint | typeof enableEndpoint) =>
    async (caller: Caller, { id: webhookId }: { readonly id: number }) => {
      const webhook = await visibleWebhook(administering, caller, webhookId);
      await store.write(verb, actOn(administering, caller, webhook));
      return shownWebhook(await visibleWebhook(administering, caller, webhookId));
    };
  const switched = { ...acting, parameters: { id }, answer: webhookSchema, answersVersion: true, errors };
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
        const webhook = await visibleWebhook(administering, caller, input.id);
        const seq = await store.write(queueTest, actOn(administering, caller, webhook));
        if (seq !== null) return { seq };
        throw new ServiceError(
          'webhook_disabled',
          `Nothing is posted to the webhook ${webhook.name}: ${webhook.active === 0 ? 'it is not active' : 'it is disabled'}. No test was made.`,
        );
      },
    }),
  ] as const;
}

function attemptEndpoints(administering: Administering) {
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
        const { id: endpointId } = await visibleWebhook(administering, caller, input.id);
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
        const webhook = await visibleWebhook(administering, caller, input.id);
        const found = await store.read(findAttempt, { endpointId: webhook.id, number: input.number });
        if (found === null) throw noAttempt(input.number);
        if (webhook.userId !== caller.userId)
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

function noAttempt(number: number): ServiceError {
  return new ServiceError('not_found', `Nothing is kept of the try ${number} of this webhook.`);
}

const time = (name: string, description: string) =>
  ruled(
    text({ get: name, maxLength: 50, required: true, description: `${description} (ISO 8601 with zone).` }),
    parseTime,
  );

function replayEndpoints(administering: Administering) {
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
      parameters: { id, from: time('from', 'The beginning'), to: time('to', 'The end') },
      answer: replayed,
      errors: [...errors, 'replay_under_way', 'invalid_time'],
      async handle(caller, { id, from, to }) {
        const act = actOn(administering, caller, await visibleWebhook(administering, caller, id));
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
        const act = actOn(administering, caller, await visibleWebhook(administering, caller, id));
        const events = await store.write(replayAttempt, { ...act, number });
        if (events === undefined) throw noAttempt(number);
        return begun(events);
      },
    }),
  ] as const;
}
