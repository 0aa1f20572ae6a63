/** The messaging endpoints: sending, statuses and incoming SMS. */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { boolean, integer, text } from '../http/parameters/kinds.ts';
import { numberList } from '../http/parameters/lists.ts';
import { ignoredWith } from '../http/parameters/parameter.ts';
import { readIncoming, readSingleIncoming } from './incoming/incoming.ts';
import { acceptedMessage, sendCall } from './sending/endpoints.ts';
import {
  holderParameters,
  maxIds,
  ofEmptyIds,
  sendParameters,
  substitutionOf,
} from './sending/parameters.ts';
import { type Sending, send } from './sending/send.ts';
import { sendErrors } from './sending/send-errors.ts';
import { readSingleStatus, readStatuses } from './status.ts';
import { statusNameSchema } from './status-name-schema.ts';

const endpoint = endpointsFor<Caller>();
const messaging = '/restsms/svcrest';

const statusRecord = Type.Object(
  {
    to: Type.String(),
    from: Type.String(),
    id: Type.String(),
    status: statusNameSchema,
    statuscode: Type.String({ description: 'The code of the status, 0 to 15.' }),
    conversation: Type.String(),
    time: Type.String({ description: 'When the status changed, in milliseconds since the epoch.' }),
  },
  { title: 'MessageStatus' },
);

const incomingRecord = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    id: Type.String(),
    message: Type.String(),
    conversation: Type.String(),
    resptoid: Type.String({ description: 'Id of the SMS that this one answers.' }),
    origmess: Type.String({ description: 'Text of the SMS that this one answers, if requested.' }),
    time: Type.String({ description: 'When it was received, in milliseconds since the epoch.' }),
  },
  { title: 'IncomingSms' },
);

const notfound = Type.Array(Type.String(), {
  description: 'The given ids that do not belong to SMS of the caller.',
});

const page = {
  maxnum: ignoredWith(
    ['id'],
    integer({
      get: 'N',
      default: 100,
      min: 1,
      cap: 10_000,
      description:
        'Maximum number of items to return; more than 10000 counts as 10000. Ignored if ids are given.',
    }),
  ),
  markasread: boolean({ get: 'R', default: true, description: 'Marks the returned items as read.' }),
};

function canRead(caller: Caller): void {
  requireRole(caller, 'send', 'jobs', 'companyAdmin');
}

export function messageEndpoints(sending: Sending) {
  return [...sendEndpoints(sending), ...statusEndpoints(sending), ...incomingEndpoints(sending)] as const;
}

function sendEndpoints(sending: Sending) {
  return [
    endpoint({
      path: `${messaging}/send` as const,
      methods: ['GET', 'POST'],
      group: 'Sending',
      operation: 'sendSms',
      needsBody: true,
      title: 'Send SMS',
      description:
        'Sends one SMS to each recipient, now or at a given time. The answer comes when all accepted messages are stored durably.',
      example: {
        url: { T: ['46701740699'], M8: 'Hello from Carillon' },
        json: { to: ['+46 70 174 06 99'], message: 'Hello from Carillon' },
      },
      credentials: anyMethod,
      ...sendCall(sending),
    }),
    endpoint({
      path: `${messaging}/send/single` as const,
      methods: ['POST'],
      group: 'Sending',
      operation: 'sendSingleSms',
      title: 'Send one SMS',
      description: 'Sends one SMS, described by a flat JSON object.',
      example: { json: { to: '46701740699', message: 'Dear NAME', holder1: 'NAME', subst1: 'Anna' } },
      credentials: anyMethod,
      parameters: {
        to: text({ required: true, description: 'Phone number of the recipient.' }),
        ...sendParameters,
        ...holderParameters,
      },
      answer: Type.Required(acceptedMessage),
      errors: sendErrors,
      isIdempotent: true,
      async handle(caller, input, call) {
        const { to, ...rest } = input;
        const subst = substitutionOf(input);
        const recipients =
          subst === undefined ? { to: [to], tosubst: [] } : { to: [], tosubst: [{ to, subst }] };
        const sent = await send(sending, caller, { ...rest, ...recipients }, call.idempotencyKey);
        const [only] = sent.accepted as [(typeof sent.accepted)[number]];
        return { to: only.to, id: only.id, parts: String(only.parts) };
      },
    }),
  ] as const;
}

function statusEndpoints({ store }: Sending) {
  return [
    endpoint({
      path: `${messaging}/status` as const,
      methods: ['GET', 'POST'],
      group: 'Statuses',
      operation: 'queryStatuses',
      title: 'Read statuses',
      description:
        'Returns the statuses of the given SMS or, without ids, all statuses that have changed since they were last read, oldest change first.',
      example: { url: { R: 'F' }, json: { markasread: false } },
      credentials: anyMethod,
      parameters: {
        id: numberList({
          get: 'I',
          maxItems: maxIds,
          description: `Ids of the SMS. Without ids, unread statuses are returned. ${ofEmptyIds}`,
        }),
        ...page,
      },
      answer: Type.Object({ statuses: Type.Array(statusRecord), notfound }),
      errors: ['role_missing'],
      async handle(caller, input, call) {
        canRead(caller);
        const { statuses, notfound } = await readStatuses(store, caller, input, call);
        return { statuses: [...statuses], notfound: [...notfound] };
      },
    }),
    endpoint({
      path: `${messaging}/status/single` as const,
      methods: ['POST'],
      group: 'Statuses',
      operation: 'querySingleStatus',
      title: 'Read one status',
      description: 'Returns the status of one SMS or, without an id, the oldest unread status change.',
      example: { json: { id: '1000000001', markasread: false } },
      credentials: anyMethod,
      parameters: {
        id: text({ description: 'Id of the SMS.' }),
        markasread: boolean({ default: true, description: 'Marks the status as read.' }),
      },
      answer: statusRecord,
      errors: ['role_missing', 'not_found'],
      handle(caller, input) {
        canRead(caller);
        return readSingleStatus(store, caller, input);
      },
    }),
  ] as const;
}

function incomingEndpoints({ store }: Sending) {
  return [
    endpoint({
      path: `${messaging}/incoming` as const,
      methods: ['GET', 'POST'],
      group: 'Incoming SMS',
      operation: 'queryIncomingSms',
      title: 'Read incoming SMS',
      description:
        "Returns SMS sent to the caller's numbers: those with the given ids or, without ids, unread SMS, oldest first.",
      example: { url: { R: 'F' }, json: { markasread: false } },
      credentials: anyMethod,
      parameters: {
        id: numberList({
          get: 'I',
          maxItems: maxIds,
          description: `Ids of incoming SMS. Without ids, unread SMS are returned. ${ofEmptyIds}`,
        }),
        ...page,
        getoriginal: boolean({
          get: 'G',
          default: false,
          description: 'Adds to each SMS the text of the SMS that it answers.',
        }),
        latest: boolean({
          get: 'L',
          default: false,
          description: 'Returns the latest unread SMS first instead of the oldest.',
        }),
      },
      answer: Type.Object({ incoming: Type.Array(incomingRecord), notfound }),
      errors: ['role_missing'],
      async handle(caller, input, call) {
        canRead(caller);
        const { incoming, notfound } = await readIncoming(store, caller, input, call);
        return { incoming: [...incoming], notfound: [...notfound] };
      },
    }),
    endpoint({
      path: `${messaging}/incoming/single` as const,
      methods: ['POST'],
      group: 'Incoming SMS',
      operation: 'querySingleIncomingSms',
      title: 'Read one incoming SMS',
      description: 'Returns one incoming SMS or, without an id, the oldest (or latest) unread SMS.',
      example: { json: { markasread: false } },
      credentials: anyMethod,
      parameters: {
        id: text({ description: 'Id of the incoming SMS.' }),
        markasread: boolean({ default: true, description: 'Marks it as read.' }),
        getoriginal: boolean({ default: false, description: 'Adds the text of the SMS that it answers.' }),
        latest: boolean({
          default: false,
          description: 'Returns the latest unread SMS first instead of the oldest.',
        }),
      },
      answer: incomingRecord,
      errors: ['role_missing', 'not_found'],
      handle(caller, input) {
        canRead(caller);
        return readSingleIncoming(store, caller, input);
      },
    }),
  ] as const;
}
