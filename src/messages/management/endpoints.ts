/** Endpoints of the management API that show messages and act on them. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { namesOfNumbers } from '../../contacts/names-of-numbers.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { integer, text } from '../../http/parameters/kinds.ts';
import { languageParameter } from '../../http/parameters/language.ts';
import { nextOf } from '../../http/parameters/page.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { cancel } from '../operator/cancel.ts';
import { readMessage } from '../operator/inspect.ts';
import { sendErrors } from '../sending/send-errors.ts';
import { statusNameSchema } from '../status-name-schema.ts';
import { exportMessages } from './export-messages.ts';
import { type Resending, resend } from './resend.ts';
import { filterParameters, type Searched, search, searchParameters, statusCode } from './search.ts';
import { listedMessage, messageFields, shownMessage, shownMessageFields } from './shown-message.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Messages';

const id = text({ get: 'id', required: true, maxLength: 20, description: 'Id of the SMS.' });

export function managementEndpoints(sending: Resending) {
  return [...readingEndpoints(sending), ...actingEndpoints(sending)] as const;
}

const listedFields = {
  ...messageFields,
  name: Type.Optional(
    Type.String({
      description: 'Name of the contact with this number in an address book that the caller may read.',
    }),
  ),
};

const searchedSchema = Type.Object(
  {
    as: Type.Unsafe<Searched['as']>({
      type: 'string',
      enum: ['number', 'id', 'from', 'name', 'words'],
      description: 'What it was taken for.',
    }),
    value: Type.String({ description: 'The value in the form that SMS have it: a number as digits.' }),
    numbers: Type.Optional(
      Type.Integer({ description: 'For a name: the number of people whose SMS are searched for.' }),
    ),
    more: Type.Optional(
      Type.Boolean({ description: 'For a name: true if further people have it, whose SMS are left out.' }),
    ),
  },
  {
    title: 'Searched',
    description: 'How `q` was understood, or what else was searched for; absent for filters alone.',
  },
);

function readingEndpoints(sending: Resending) {
  return [
    endpoint({
      path: '/api/v1/messages',
      methods: ['GET'],
      group,
      operation: 'listMessages',
      title: 'Search messages',
      description:
        'Lists SMS without their texts, latest first: all, or those matching every given condition. Users see their own SMS, administrators all SMS of the company. A page may be short or empty: as long as there is a `next`, there may be more.',
      example: { url: { limit: '2' } },
      credentials: anyMethod,
      parameters: searchParameters,
      answer: Type.Object({
        messages: Type.Array(Type.Object(listedFields, { title: 'ListedMessage' })),
        next: nextOf('messages'),
        searched: Type.Optional(searchedSchema),
      }),
      errors: ['not_found', 'role_missing', 'invalid_number', 'invalid_time'],
      async handle(caller, { after, limit, ...filter }, call) {
        const { searched, page } = await search(sending.store, caller, filter);
        const { messages, next } = await page({ after, limit }, call.closed);
        const numbers = messages.map(({ recipient }) => recipient);
        const names = await namesOfNumbers(sending.store, caller.userId, numbers);
        return {
          messages: messages.map((message) => ({
            ...listedMessage(message),
            name: names.get(message.recipient),
          })),
          next: next === null ? undefined : `${next.time}.${next.id}`,
          searched,
        };
      },
    }),
    endpoint({
      path: '/api/v1/messages.csv',
      methods: ['GET'],
      group,
      operation: 'exportMessages',
      title: 'Export messages',
      description:
        'Returns all messages that a search finds, without their texts, as a CSV file. The audit log records the export.',
      example: { url: { since: '2026-01-01T00:00:00Z' } },
      credentials: anyMethod,
      parameters: { ...filterParameters, language: languageParameter },
      answer: Type.String({ description: 'A header line, then a line for each message.' }),
      answersCsv: true,
      errors: ['not_found', 'role_missing', 'invalid_number', 'invalid_time'],
      handle: (caller, { language, ...filter }, call) =>
        exportMessages(sending, caller, filter, language ?? call.language),
    }),
    endpoint({
      path: '/api/v1/messages/{id}',
      methods: ['GET'],
      group,
      operation: 'getMessage',
      title: 'Read one message with its timeline',
      description:
        'Returns everything known about an SMS: its text, its history, the reason for its status, and what can be done. Users can read their own SMS, administrators all SMS of the company; the audit log records what administrators read.',
      example: { url: { id: '1000000001' } },
      credentials: anyMethod,
      parameters: { id, language: languageParameter },
      answer: Type.Object(shownMessageFields, { title: 'Message' }),
      errors: ['not_found', 'role_missing'],
      handle: async (caller, input, call) =>
        shownMessage(await readMessage(sending, caller, input.id), input.language ?? call.language),
    }),
  ] as const;
}

function actingEndpoints(sending: Resending) {
  return [
    endpoint({
      path: '/api/v1/messages/{id}/cancel',
      methods: ['POST'],
      group,
      operation: 'cancelMessage',
      title: 'Cancel a message',
      description:
        'Cancels an SMS that no carrier has yet: a scheduled SMS becomes CANCELED, a queued SMS DELETED. Its quota is returned, unless a carrier may already have some or all of the SMS, for example while it waits for a retry. Users can cancel their own SMS, administrators any SMS of the company.',
      example: { url: { id: '1000000001' }, json: {} },
      credentials: anyMethod,
      parameters: { id },
      answer: Type.Object({ id: Type.String(), status: statusNameSchema }),
      errors: ['not_found', 'too_late', 'role_missing'],
      handle: async (caller, input) => ({
        id: input.id,
        status: await cancel(sending.store, sending.clock, input.id, caller),
      }),
    }),
    endpoint({
      path: '/api/v1/messages/{id}/resend',
      methods: ['POST'],
      group,
      operation: 'resendMessage',
      title: 'Send a message again',
      description:
        "Sends the text of an SMS once more to the same number, with the same sender, conversation and cost centre, as a new SMS that the caller pays for. If the original was sent from a number of the reply pool, so is the new SMS. Receipts for the new SMS don't go back by e-mail, even if the original came by e-mail, and messages of a run of a saved job can't be sent again.",
      example: { url: { id: '1000000001' }, json: {} },
      credentials: anyMethod,
      parameters: {
        id,
        validMinutes: integer({
          default: 1_440,
          min: 1,
          max: 10_080,
          description: 'Minutes during which delivery is attempted.',
        }),
        scheduleTime: text({
          maxLength: 50,
          description: 'Send time, ISO 8601 with zone; default: now.',
        }),
        ifStatus: ruled(
          text({
            maxLength: 30,
            description:
              'The status that the SMS had when somebody decided to send it again: if it has another by now, nothing is sent (`too_late`). If somebody has sent it again in this way within 24 hours, the answer is that of the first call.',
          }),
          statusCode,
        ),
      },
      answer: Type.Object({
        to: Type.String({ description: 'The phone number, digits only.' }),
        id: Type.String({ description: 'Id of the new SMS.' }),
        parts: Type.String({ description: 'Number of SMS parts, in digits.' }),
      }),
      errors: ['not_found', 'too_late', ...sendErrors],
      isIdempotent: true,
      async handle(caller, input, call) {
        const sent = await resend(sending, caller, input, call.idempotencyKey);
        return { ...sent, parts: String(sent.parts) };
      },
    }),
  ] as const;
}
