/** The endpoints of the phone simulator: what went by a simulator carrier, phone by phone, and what the phones answer. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { visibilityOf } from '../../accounts/visibility.ts';
import { byUser } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { integer, text } from '../../http/parameters/kinds.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import type { Ids } from '../../storage/ids.ts';
import { cleanNumber } from '../../wire/phone-number.ts';
import { normaliseText } from '../../wire/sms/normalise.ts';
import { type StatusName, statusNames } from '../message.ts';
import type { Observer } from '../observer.ts';
import type { Sending } from '../sending/send.ts';
import { statusNameSchema } from '../status-name-schema.ts';
import {
  type AnsweredSms,
  type GotSms,
  listSimulatedPhones,
  readSimulatedPhone,
  storeSimulatedAnswer,
} from './store.ts';

export interface Simulating extends Pick<Sending, 'store' | 'clock'> {
  readonly incomingIds: Pick<Ids, 'draw'>;
  readonly observer: Pick<Observer, 'incoming'>;
}

const endpoint = endpointsFor<Caller>();
const group = 'Simulated phones';

const number = ruled(
  text({ get: 'number', required: true, maxLength: 100, description: 'The number of the phone.' }),
  (given) => cleanNumber(given),
);

const limit = integer({
  get: 'limit',
  default: 50,
  min: 1,
  cap: 200,
  description: 'The most items; more than 200 counts as 200.',
});

const iso = (at: number) => new Date(at).toISOString();
const time = Type.String({ description: 'ISO 8601, UTC' });

export function phoneEndpoints(simulating: Simulating) {
  return [phonesEndpoint(simulating), phoneEndpoint(simulating), answerEndpoint(simulating)] as const;
}

function phonesEndpoint({ store }: Simulating) {
  return endpoint({
    path: '/api/v1/simulator/phones',
    methods: ['GET'],
    group,
    operation: 'listSimulatedPhones',
    title: 'List simulated phones',
    description:
      "Lists the phones that the caller's latest 500 SMS were for, as far as a simulator carrier had them, the latest first.",
    example: { url: { limit: '10' } },
    credentials: anyMethod,
    parameters: { limit },
    answer: Type.Object({
      phones: Type.Array(
        Type.Object({
          number: Type.String(),
          from: Type.String({ description: 'Of the latest SMS, as are the others.' }),
          message: Type.String(),
          time,
        }),
      ),
    }),
    errors: ['role_missing'],
    async handle(caller, input) {
      const { companyId } = visibilityOf(caller);
      const phones = await store.read(listSimulatedPhones, {
        companyId,
        userId: caller.userId,
        limit: input.limit,
      });
      return {
        phones: phones.map(({ number: of, sender: from, text: message, at }) => ({
          number: of,
          from,
          message,
          time: iso(at),
        })),
      };
    },
  });
}

function phoneEndpoint({ store }: Simulating) {
  return endpoint({
    path: '/api/v1/simulator/phones/{number}',
    methods: ['GET'],
    group,
    operation: 'getSimulatedPhone',
    title: 'Look at a simulated phone',
    description:
      "Shows the caller's latest SMS to a phone that a simulator carrier had, and what the phone has answered, the latest first.",
    example: { url: { number: '46701740699' } },
    credentials: anyMethod,
    parameters: { number, limit },
    answer: Type.Object({
      messages: Type.Array(
        Type.Object({
          id: Type.String(),
          isAnswer: Type.Boolean({ description: 'Whether the phone has written it.' }),
          from: Type.String(),
          to: Type.String(),
          message: Type.String({ description: 'Its text.' }),
          time,
          status: Type.Optional(statusNameSchema),
          statusCode: Type.Optional(Type.String({ description: 'Of what was sent to it, as is `status`.' })),
        }),
      ),
    }),
    errors: ['role_missing', 'invalid_number'],
    async handle(caller, input) {
      const { companyId } = visibilityOf(caller);
      const query = { companyId, userId: caller.userId, number: input.number, limit: input.limit };
      const { got, answered } = await store.read(readSimulatedPhone, query);
      const messages = [
        ...got.map((sms) => gotSms(input.number, sms)),
        ...answered.map((sms) => answeredSms(input.number, sms)),
      ];
      messages.sort((a, b) => (a.time === b.time ? 0 : a.time < b.time ? 1 : -1));
      return { messages: messages.slice(0, input.limit) };
    },
  });
}

function gotSms(to: string, { id, at, text: message, message: { sender: from, status } }: GotSms) {
  return {
    id: String(id),
    isAnswer: false,
    from,
    to,
    message,
    time: iso(at),
    status: statusNames[status] as StatusName,
    statusCode: String(status),
  };
}

function answeredSms(from: string, { id, at, text: message, to }: AnsweredSms) {
  return { id: String(id), isAnswer: true, from, to, message, time: iso(at) };
}

function answerEndpoint({ store, clock, incomingIds, observer }: Simulating) {
  return endpoint({
    path: '/api/v1/simulator/phones/{number}/answer',
    methods: ['POST'],
    group,
    operation: 'answerFromSimulatedPhone',
    title: 'Have a simulated phone write',
    description:
      "Has a phone send an SMS to a number of ours, as `carillon simulate incoming` does. It has to be one that the caller rents, or where the caller waits for the phone's answer to an SMS that a simulator carrier had; administrators write to any user of their company. Who has a phone write stands in the audit log.",
    example: { url: { number: '46701740699' }, json: { text: 'Yes', to: '46701740605' } },
    credentials: anyMethod,
    parameters: {
      number,
      text: text({
        get: 'text',
        required: true,
        maxLength: 1_000,
        description: 'What the phone writes.',
      }),
      to: ruled(
        text({ get: 'to', required: true, maxLength: 100, description: 'The number that it writes to.' }),
        (given) => cleanNumber(given),
      ),
    },
    answer: Type.Object({ id: Type.String({ description: 'Id of the incoming SMS.' }) }),
    errors: ['not_found', 'role_missing', 'invalid_number'],
    async handle(caller, { number: sender, text: written, to: recipient }) {
      const { companyId, userId } = visibilityOf(caller);
      const id = await incomingIds.draw(1);
      const answered = await store.write(storeSimulatedAnswer, {
        companyId,
        userId,
        by: byUser(caller),
        id,
        sender,
        recipient,
        text: normaliseText(written),
        receivedAt: clock.now(),
      });
      if (answered.kind === 'stored') {
        observer.incoming(answered.carrier, true);
        return { id: String(id) };
      }
      const isMissing = answered.kind === 'noSimulator';
      throw new ServiceError('not_found', { sentence: isMissing ? 'no_simulator' : 'no_reader' });
    },
  });
}
