/**
 * The endpoints of the phone simulator: what was sent through a simulator carrier, phone by phone, and what the phones
 * answer.
 */
import Type from 'typebox';
import { type Caller, numberIn } from '../../accounts/caller.ts';
import { visibilityOf } from '../../accounts/visibility.ts';
import { byUser } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { text } from '../../http/parameters/kinds.ts';
import { nextOf, pageOf, pageParameters } from '../../http/parameters/page.ts';
import type { PersonSecret } from '../../opt-outs/person-digest.ts';
import type { Ids } from '../../storage/ids.ts';
import { normaliseText } from '../../wire/sms/normalise.ts';
import { newest, type SentText } from '../conversations/both-ways.ts';
import { threadPageParameters, writePlace } from '../conversations/thread-page.ts';
import { type StatusName, statusNames } from '../message.ts';
import type { Observer } from '../observer.ts';
import type { Sending } from '../sending/send.ts';
import { statusNameSchema } from '../status-name-schema.ts';
import { type AnsweredText, listSimulatedPhones, readSimulatedPhone, storeSimulatedAnswer } from './store.ts';

export interface Simulating extends Pick<Sending, 'store' | 'clock'> {
  readonly incomingIds: Pick<Ids, 'draw'>;
  readonly personSecret: PersonSecret;
  readonly observer: Pick<Observer, 'incoming'>;
}

const endpoint = endpointsFor<Caller>();
const group = 'Simulated phones';

const number = text({
  get: 'number',
  required: true,
  maxLength: 100,
  description: 'The number of the phone.',
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
      "Lists the phones that the caller's latest 500 SMS through a simulator carrier were sent to, latest first.",
    example: { url: { limit: '10' } },
    credentials: anyMethod,
    parameters: pageParameters,
    answer: Type.Object({
      phones: Type.Array(
        Type.Object({
          number: Type.String(),
          from: Type.String({
            description: 'Sender of the latest SMS; the other fields describe this SMS too.',
          }),
          message: Type.String(),
          time,
        }),
      ),
      next: nextOf('phones'),
    }),
    errors: ['role_missing'],
    async handle(caller, { after, limit }, call) {
      const { companyId } = visibilityOf(caller);
      const query = { companyId, userId: caller.userId, after, limit: limit + 1 };
      const found = await store.read(listSimulatedPhones, query, { signal: call.closed });
      const { items, next } = pageOf(found, limit, ({ at, id }) => `${at}.${id}`);
      return {
        phones: items.map(({ number: of, sender: from, text: message, at }) => ({
          number: of,
          from,
          message,
          time: iso(at),
        })),
        next,
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
      "Returns the caller's SMS to a phone through a simulator carrier, and the phone's answers, latest first. A page may be short, or even empty: as long as there is a `next`, there may be more.",
    example: { url: { number: '46701740699' } },
    credentials: anyMethod,
    parameters: { number, ...threadPageParameters },
    answer: Type.Object({
      messages: Type.Array(
        Type.Object({
          id: Type.String(),
          isAnswer: Type.Boolean({ description: 'Whether the phone sent it.' }),
          from: Type.String(),
          to: Type.String(),
          message: Type.String({ description: 'Text of the SMS.' }),
          time,
          status: Type.Optional(statusNameSchema),
          statusCode: Type.Optional(
            Type.String({ description: 'Code of the status; present only for SMS sent to the phone.' }),
          ),
        }),
      ),
      next: nextOf('SMS'),
    }),
    errors: ['role_missing', 'invalid_number'],
    async handle(caller, { number: given, after = newest, limit }, call) {
      const number = numberIn(caller, 'number', given);
      const { companyId } = visibilityOf(caller);
      const query = { companyId, userId: caller.userId, number, after, limit };
      const { messages, next } = await store.read(readSimulatedPhone, query, { signal: call.closed });
      return {
        messages: messages.map((sms) => ('message' in sms ? gotSms(number, sms) : answeredSms(number, sms))),
        next: writePlace(next),
      };
    },
  });
}

function gotSms(to: string, { id, at, text: message, message: { sender: from, status } }: SentText) {
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

function answeredSms(from: string, { id, at, text: message, to }: AnsweredText) {
  return { id: String(id), isAnswer: true, from, to, message, time: iso(at) };
}

function answerEndpoint({ store, clock, incomingIds, personSecret, observer }: Simulating) {
  return endpoint({
    path: '/api/v1/simulator/phones/{number}/answer',
    methods: ['POST'],
    group,
    operation: 'answerFromSimulatedPhone',
    title: 'Send an SMS from a simulated phone',
    description:
      "Makes a phone send an SMS to one of our numbers, as `carillon simulate incoming` does. The caller must rent the number, or be waiting on it for the phone's answer to an SMS sent through a simulator carrier; administrators may write to any user of their company. The audit log records who did this.",
    example: { url: { number: '46701740699' }, json: { text: 'Yes', to: '46701740605' } },
    credentials: anyMethod,
    parameters: {
      number,
      text: text({
        get: 'text',
        required: true,
        maxLength: 1_000,
        description: 'The text.',
      }),
      to: text({
        get: 'to',
        required: true,
        maxLength: 100,
        description: 'The number that the phone writes to.',
      }),
    },
    answer: Type.Object({ id: Type.String({ description: 'Id of the incoming SMS.' }) }),
    errors: ['not_found', 'role_missing', 'invalid_number'],
    async handle(caller, { number, text: written, to }) {
      const sender = numberIn(caller, 'number', number);
      const recipient = numberIn(caller, 'to', to);
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
        personSecret,
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
