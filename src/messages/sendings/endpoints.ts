/** Endpoints of the management API for sendings: what one call sent to several people, and who answered. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { visibilityOf } from '../../accounts/visibility.ts';
import { byUser, noteLook } from '../../audit/audit-log.ts';
import { namesOfNumbers } from '../../contacts/names-of-numbers.ts';
import { errorOfFields, ServiceError } from '../../foundation/errors.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { text, word } from '../../http/parameters/kinds.ts';
import { nextOf, pageOf, pageParameters } from '../../http/parameters/page.ts';
import type { Context } from '../../storage/context.ts';
import { parseScheduleTime } from '../../wire/schedule-time.ts';
import { parseMessageId, type StatusName, statusNames } from '../message.ts';
import { statusNameSchema } from '../status-name-schema.ts';
import { canceledPerStep, cancelOfSending, rescheduleSending } from './acts.ts';
import { type PersonOfSending, readPeopleOfSending } from './people.ts';
import {
  listSendings,
  type Meaning,
  meanings,
  readSending,
  type SendingState,
  sendingStates,
  stateOf,
  type VisibleSending,
} from './sending.ts';
import { sendingFields, sendingSchema, shownSending } from './shown-sending.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Sendings';

const parameters = {
  id: text({
    get: 'id',
    required: true,
    maxLength: 20,
    description: 'Id of the sending, or of any of its SMS.',
  }),
};
/** The SMS to two people of the examples of /send. */
const example = { url: { id: '1000000002' } };

export function sendingsEndpoints(services: Context) {
  return [listing(services), reading(services), listingPeople(services), ...acting(services)] as const;
}

function listing({ store }: Context) {
  return endpoint({
    path: '/api/v1/sendings',
    methods: ['GET'],
    group,
    operation: 'listSendings',
    title: 'List sendings',
    description:
      'Lists what calls of `/send` sent to several people, latest first: how much of it was delivered, and who answered. Users see their own sendings, administrators all of the company. A page may be short: as long as there is a `next`, there are more.',
    example: { url: { limit: '10' } },
    credentials: anyMethod,
    parameters: pageParameters,
    answer: Type.Object({ sendings: Type.Array(sendingSchema), next: nextOf('sendings') }),
    errors: ['role_missing'],
    async handle(caller, { after, limit }, call) {
      const query = { ...visibilityOf(caller), after, limit, callerId: caller.userId };
      const { sendings, hasMore } = await store.read(listSendings, query, { signal: call.closed });
      const last = sendings.at(-1);
      return {
        sendings: sendings.map((one) => shownSending(one, caller.userId)),
        next: hasMore && last !== undefined ? `${last.createdAt}.${last.id}` : undefined,
      };
    },
  });
}

const noSending = (id: string) =>
  new ServiceError('not_found', { sentence: 'none_such', noun: 'sending', id });

async function find({ store }: Context, caller: Caller, id: string): Promise<VisibleSending> {
  const messageId = parseMessageId(id);
  const visible = visibilityOf(caller);
  const found = messageId === undefined ? null : await store.read(readSending, { ...visible, id: messageId });
  if (found === null) throw noSending(id);
  return found;
}

/** Looking at what another user sent, and at what was answered, is recorded in the audit log. */
async function lookAt(services: Context, caller: Caller, id: string): Promise<VisibleSending> {
  const sending = await find(services, caller, id);
  if (sending.userId !== caller.userId)
    await services.store.write(noteLook, {
      companyId: caller.companyId,
      at: services.clock.now(),
      by: byUser(caller),
      act: 'sending.look',
      object: String(sending.id),
      details: { sentence: 'of_user', user: sending.username },
    });
  return sending;
}

function reading(services: Context) {
  return endpoint({
    path: '/api/v1/sendings/{id}',
    methods: ['GET'],
    group,
    operation: 'getSending',
    title: 'Read a sending',
    description:
      'Returns a sending with its text. The audit log records administrators who view another user’s sending.',
    example,
    credentials: anyMethod,
    parameters,
    answer: Type.Object({
      ...sendingFields,
      message: Type.String({ description: 'Text as the call gave it, before anything was replaced.' }),
    }),
    errors: ['not_found', 'role_missing'],
    async handle(caller, { id }) {
      const sending = await lookAt(services, caller, id);
      return { ...shownSending(sending, sending.userId), message: sending.text };
    },
  });
}

const person = Type.Object(
  {
    id: Type.String({ description: 'Id of the SMS.' }),
    to: Type.String(),
    name: Type.Optional(
      Type.String({
        description: 'Name of the contact with this number in an address book that the caller may read.',
      }),
    ),
    status: statusNameSchema,
    state: Type.Unsafe<SendingState>({ type: 'string', enum: [...sendingStates] }),
    changed: Type.String({ description: 'When the status changed (ISO 8601, UTC).' }),
    meaning: Type.Unsafe<Meaning>({ type: 'string', enum: [...meanings] }),
    answers: Type.Integer({ description: 'How many SMS answered.' }),
    answer: Type.Optional(Type.String({ description: 'Text of the latest answer, while it is stored.' })),
    answered: Type.Optional(Type.String({ description: 'When it came (ISO 8601, UTC).' })),
  },
  { title: 'PersonOfSending' },
);

function listingPeople(services: Context) {
  return endpoint({
    path: '/api/v1/sendings/{id}/people',
    methods: ['GET'],
    group,
    operation: 'listPeopleOfSending',
    title: 'List the people of a sending',
    description:
      'Lists the recipients in the order of the call, each with the state of the SMS and the latest answer. The audit log records administrators who view another user’s sending.',
    example,
    credentials: anyMethod,
    parameters: {
      ...parameters,
      state: word(sendingStates, { get: 'state', description: 'Only SMS in this state.' }),
      meaning: word(meanings, { get: 'meaning', description: 'Only people who answered this.' }),
      ...pageParameters,
    },
    answer: Type.Object({ people: Type.Array(person), next: nextOf('people') }),
    errors: ['not_found', 'role_missing'],
    async handle(caller, { id, state, meaning, after, limit }, call) {
      const sending = await lookAt(services, caller, id);
      const afterId = Math.max(sending.id - 1, after?.id ?? 0);
      const lastId = sending.id + sending.messages - 1;
      const { companyId, userId: callerId } = caller;
      const query = { companyId, callerId, afterId, lastId, state, meaning, limit: limit + 1 };
      const rows = await services.store.read(readPeopleOfSending, query, { signal: call.closed });
      const { items, next } = pageOf(rows, limit, (row) => String(row.id));
      const numbers = items.map(({ recipient }) => recipient);
      const names = await namesOfNumbers(services.store, callerId, numbers);
      return { people: items.map((row) => shownPerson(row, names.get(row.recipient))), next };
    },
  });
}

function shownPerson(row: PersonOfSending, name: string | undefined) {
  const { id, recipient: to, status, changedAt, meaning, answers, text: answer, answeredAt } = row;
  return {
    id: String(id),
    to,
    name,
    status: statusNames[status] as StatusName,
    state: stateOf(status),
    changed: new Date(changedAt).toISOString(),
    meaning,
    answers,
    answer: answer ?? undefined,
    answered: answeredAt === null ? undefined : new Date(answeredAt).toISOString(),
  };
}

function acting(services: Context) {
  return [
    endpoint({
      path: '/api/v1/sendings/{id}/cancel',
      methods: ['POST'],
      group,
      operation: 'cancelSending',
      title: 'Cancel a sending',
      description:
        'Cancels all SMS of a sending that no carrier has yet, as canceling each would, and returns the sending: `totals` says how many are canceled. Users can cancel their own sendings, administrators any of the company.',
      example: { ...example, json: {} },
      credentials: anyMethod,
      parameters,
      answer: sendingSchema,
      errors: ['not_found', 'role_missing'],
      async handle(caller, { id }) {
        requireRole(caller, 'send', 'companyAdmin');
        const { store, clock } = services;
        const { username, session } = caller;
        const found = await find(services, caller, id);
        const act = { ...visibilityOf(caller), id: found.id, username, session };
        for (let canceled: number | null = canceledPerStep; canceled === canceledPerStep; )
          canceled = await store.write(cancelOfSending, { ...act, now: clock.now() });
        return shownSending(await find(services, caller, id), caller.userId);
      },
    }),
    endpoint({
      path: '/api/v1/sendings/{id}/reschedule',
      methods: ['POST'],
      group,
      operation: 'rescheduleSending',
      title: 'Send a sending at another time',
      description:
        'Changes the send time of all SMS of a sending that wait for it; their validity starts then. If one of them cannot be sent at that time, none is changed. Users can reschedule their own sendings, administrators any of the company.',
      example: { ...example, json: {} },
      credentials: anyMethod,
      parameters: {
        ...parameters,
        scheduleTime: text({
          get: 'scheduleTime',
          maxLength: 50,
          description: 'Send time, ISO 8601 with zone. Omitted: unchanged.',
        }),
      },
      answer: sendingSchema,
      errors: ['not_found', 'too_late', 'no_pool_number', 'invalid_time', 'role_missing'],
      async handle(caller, { id, scheduleTime }) {
        requireRole(caller, 'send', 'companyAdmin');
        const { store, clock } = services;
        const { username, session } = caller;
        const found = await find(services, caller, id);
        if (scheduleTime === undefined) return shownSending(found, caller.userId);
        const now = clock.now();
        const time = parseScheduleTime(scheduleTime, now);
        if (!time.ok) throw errorOfFields(time, 'scheduleTime');
        const act = { ...visibilityOf(caller), id: found.id, username, session };
        const outcome = await store.write(rescheduleSending, { ...act, now, time: time.value });
        if (outcome === 'notFound') throw noSending(id);
        if (outcome === 'tooLate') throw new ServiceError('too_late', { sentence: 'sending_not_scheduled' });
        if (outcome === 'numberTaken')
          throw new ServiceError('no_pool_number', { sentence: 'sending_number_taken' });
        return shownSending(await find(services, caller, id), caller.userId);
      },
    }),
  ] as const;
}
