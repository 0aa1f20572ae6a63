/** Endpoints of the management API for conversations: who has answered, what was said, and how to reply. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { fault, type Result, success } from '../../foundation/result.ts';
import { inEnglish } from '../../foundation/sentences.ts';
import { errorContent } from '../../http/answers/error-response.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { defaultCountryCode } from '../../http/parameters/country-code.ts';
import { boolean, integer, text, word } from '../../http/parameters/kinds.ts';
import { nextOf, pageParameters, textPageParameters, writeTextCursor } from '../../http/parameters/page.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { countryCodeOf, hasDecimals, isCountryCode, withoutSeparators } from '../../wire/phone-number.ts';
import { simulatedSchema } from '../management/shown-message.ts';
import { type StatusName, statusNames } from '../message.ts';
import { boundsOfMessage } from '../sending/parameters.ts';
import type { Sending } from '../sending/send.ts';
import { sendErrors } from '../sending/send-errors.ts';
import { statusNameSchema } from '../status-name-schema.ts';
import type { ReceivedText, SentText } from './both-ways.ts';
import {
  assigned,
  type Conversation,
  type ConversationAct,
  type ListedConversation,
} from './conversation.ts';
import {
  assign,
  type ConversationSearch,
  change,
  colleagues,
  list,
  type Named,
  show,
} from './read-conversations.ts';
import { reply } from './reply.ts';
import { threadPageParameters, writePlace } from './thread-page.ts';

export interface Conversing extends Sending {
  /** Called after a change to a conversation, to notify everyone who is viewing it. */
  readonly changed: () => void;
}

const endpoint = endpointsFor<Caller>();
const group = 'Conversations';

const id = text({ get: 'id', required: true, maxLength: 20, description: 'Id of the conversation.' });

const shown = {
  id: Type.String(),
  number: Type.String({ description: 'Our number that the phone wrote to.' }),
  phone: Type.String({ description: 'Number of the phone; a name if a service wrote.' }),
  name: Type.String({
    description:
      "Name of the contact with that number in the caller's default address book; otherwise empty.",
  }),
  username: Type.String({ description: 'The user the conversation belongs to.' }),
  runId: Type.Optional(
    Type.Integer({ description: 'Run of a saved job that the latest answer belongs to.' }),
  ),
  last: Type.String({ description: 'When the latest SMS was sent or received (ISO 8601, UTC)' }),
  unread: Type.Integer({
    description:
      'Number of SMS received since the conversation was last marked as read, without answers that a run took as YES or NO.',
  }),
  archived: Type.Boolean(),
  assignee: Type.Optional(Type.String({ description: 'The user the conversation is assigned to.' })),
  version: Type.String({
    description: 'Changes with every SMS and every change of the conversation.',
  }),
};

const listed = {
  ...shown,
  lastText: Type.Optional(
    Type.String({ description: 'Text of the latest SMS; absent in conversations of other users.' }),
  ),
  isOurs: Type.Boolean({ description: 'Whether we sent the latest SMS.' }),
};

const threadMessage = Type.Object(
  {
    id: Type.String(),
    isOurs: Type.Boolean({ description: 'Whether we sent the SMS.' }),
    time: Type.String({ description: 'When it was accepted or received (ISO 8601, UTC)' }),
    message: Type.String({ description: 'Text of the SMS.' }),
    status: Type.Optional(statusNameSchema),
    statusCode: Type.Optional(Type.String({ description: 'Code of the status; present only for sent SMS.' })),
    parts: Type.Optional(Type.Integer({ description: 'Number of SMS parts; present only for sent SMS.' })),
    simulated: simulatedSchema,
  },
  { title: 'ConversationMessage' },
);

export function conversationEndpoints(conversing: Conversing) {
  return [
    listEndpoint(conversing),
    threadEndpoint(conversing),
    ...changingEndpoints(conversing),
    ...assigningEndpoints(conversing),
    replyEndpoint(conversing),
  ] as const;
}

function searchOf(given: string): Result<ConversationSearch> {
  const number = withoutSeparators(given).replace(/^00/, '');
  if (/^[0-9]{3,15}$/.test(number) && !hasDecimals(given)) return success({ prefix: number });
  return /\p{L}/u.test(given)
    ? success({ name: given })
    : fault('invalid_value', { sentence: 'conversation_search' });
}

const switchedOff = { default: false } as const;

function listEndpoint(conversing: Conversing) {
  return endpoint({
    path: '/api/v1/conversations',
    methods: ['GET'],
    group,
    operation: 'listConversations',
    title: 'List conversations',
    description:
      'Lists conversations with phones that have written to one of our numbers, latest SMS first. Users see their own conversations, administrators all conversations of the company.',
    example: { url: { limit: '10' } },
    credentials: anyMethod,
    parameters: {
      unread: boolean({ get: 'unread', ...switchedOff, description: 'Only conversations with unread SMS.' }),
      archived: boolean({
        get: 'archived',
        ...switchedOff,
        description: 'Archived conversations instead of the others.',
      }),
      mine: boolean({
        get: 'mine',
        ...switchedOff,
        description: "Only the caller's own conversations, even for administrators.",
      }),
      assigned: word(assigned, {
        get: 'assigned',
        description:
          'Only conversations assigned to the caller (`me`) or to no one (`nobody`). A page may be short although more follow. With a search, only its first 500 results are considered.',
      }),
      search: ruled(
        text({
          get: 'search',
          maxLength: 100,
          description:
            'The phone’s number or its beginning, in any form; or the beginning of a name, or of a word in it, in the default address book.',
        }),
        searchOf,
      ),
      defaultCountryCode,
      ...pageParameters,
    },
    answer: Type.Object({
      conversations: Type.Array(Type.Object(listed, { title: 'ListedConversation' })),
      next: nextOf('conversations'),
    }),
    errors: ['role_missing'],
    async handle(caller, { search, defaultCountryCode, ...input }, call) {
      const countryCode = countryCodeOf(caller, defaultCountryCode) ?? '';
      const { conversations, next } = await list(
        conversing,
        caller,
        {
          ...input,
          search:
            search !== undefined && 'prefix' in search && isCountryCode(countryCode)
              ? { prefix: search.prefix.replace(/^0/, countryCode) }
              : search,
        },
        call.closed,
      );
      return { conversations: conversations.map(listedConversation), next };
    },
  });
}

function threadEndpoint(conversing: Conversing) {
  return endpoint({
    path: '/api/v1/conversations/{id}',
    methods: ['GET'],
    group,
    operation: 'getConversation',
    title: 'Read a conversation',
    description:
      'Returns a conversation with its messages in both directions, latest first, and whether it can be answered. Nothing is marked as read. Users can read their own conversations, administrators all conversations of the company, which the audit log records once in ten minutes.',
    example: { url: { id: '1' } },
    credentials: anyMethod,
    parameters: { id, ...threadPageParameters },
    answer: Type.Object({
      ...shown,
      noReply: Type.Optional(
        Type.String({ description: 'Why it can’t be answered from its number any more; absent if it can.' }),
      ),
      noReplyValues: errorContent.values,
      messages: Type.Array(threadMessage),
      next: nextOf('messages'),
    }),
    answersVersion: true,
    errors: ['not_found', 'role_missing'],
    async handle(caller, { id, ...page }, call) {
      const { conversation, way, messages, next } = await show(conversing, caller, id, page, call.closed);
      return {
        ...shownConversation(conversation),
        noReply: way.kind === 'none' ? inEnglish(way.why) : undefined,
        noReplyValues: way.kind === 'none' ? way.why : undefined,
        messages: messages.map(shownMessage),
        next: writePlace(next),
      };
    },
  });
}

function changingEndpoints(conversing: Conversing) {
  const act = <const Path extends string>(
    path: Path,
    verb: ConversationAct,
    operation: string,
    title: string,
    description: string,
  ) =>
    endpoint({
      path,
      methods: ['POST'],
      group,
      operation,
      title,
      description,
      example: { url: { id: '1' }, json: {} },
      credentials: anyMethod,
      parameters: { id },
      answer: Type.Object(shown, { title: 'Conversation' }),
      answersVersion: true,
      takesVersion: true,
      errors: ['not_found', 'role_missing'],
      async handle(caller, { id }, { ifMatch }) {
        const conversation = await change(conversing, caller, { id, ifMatch }, verb);
        conversing.changed();
        return shownConversation(conversation);
      },
    });
  return [
    act(
      '/api/v1/conversations/{id}/read',
      'read',
      'markConversationRead',
      'Mark a conversation as read',
      'Marks a conversation as read by people. Programs that read through `/incoming` have their own marks, which do not change.',
    ),
    act(
      '/api/v1/conversations/{id}/archive',
      'archive',
      'archiveConversation',
      'Archive a conversation',
      'Archives a conversation and marks it as read. It comes back when the phone writes again.',
    ),
    act(
      '/api/v1/conversations/{id}/unarchive',
      'unarchive',
      'unarchiveConversation',
      'Unarchive a conversation',
      'Takes a conversation out of the archive.',
    ),
  ] as const;
}

function assigningEndpoints(conversing: Conversing) {
  return [
    endpoint({
      path: '/api/v1/conversations/{id}/colleagues',
      methods: ['GET'],
      group,
      operation: 'listConversationColleagues',
      title: 'List possible assignees of a conversation',
      description:
        'Lists the people a conversation may be assigned to, by name: its user, and administrators of the company. A page may be short, or even empty: as long as there is a `next`, there may be more.',
      example: { url: { id: '1' } },
      credentials: anyMethod,
      parameters: { id, ...textPageParameters },
      answer: Type.Object({
        colleagues: Type.Array(Type.Object({ username: Type.String() })),
        next: nextOf('colleagues'),
      }),
      errors: ['not_found', 'role_missing'],
      async handle(caller, { id, after, limit }) {
        const page = { id, after: String(after?.[0] ?? ''), limit };
        const { usernames, next } = await colleagues(conversing, caller, page);
        return {
          colleagues: usernames.map((username) => ({ username })),
          next: next === null ? undefined : writeTextCursor([next]),
        };
      },
    }),
    endpoint({
      path: '/api/v1/conversations/{id}/assign',
      methods: ['POST'],
      group,
      operation: 'assignConversation',
      title: 'Assign a conversation',
      description:
        'Assigns a conversation to its user or to a company administrator. Who sees it and who pays for answers does not change.',
      example: { url: { id: '1' }, json: { user: '' } },
      credentials: anyMethod,
      parameters: {
        id,
        user: text({
          get: 'user',
          default: '',
          maxLength: 200,
          description: 'User name of the assignee; empty: no one.',
        }),
      },
      answer: Type.Object(shown, { title: 'Conversation' }),
      answersVersion: true,
      takesVersion: true,
      errors: ['not_found', 'role_missing'],
      async handle(caller, { id, user }, { ifMatch }) {
        const wanted = { id, user: user === '' ? null : user, ifMatch };
        const conversation = await assign(conversing, caller, wanted);
        conversing.changed();
        return shownConversation(conversation);
      },
    }),
  ] as const;
}

function replyEndpoint(conversing: Conversing) {
  return endpoint({
    path: '/api/v1/conversations/{id}/reply',
    methods: ['POST'],
    group,
    operation: 'replyToConversation',
    title: 'Answer in a conversation',
    description:
      'Sends an SMS to the phone from the number that it wrote to. For a number of the reply pool, the lease is renewed, so the next answer comes back to the conversation; if the number now serves another conversation with the phone, nothing is sent. An administrator answers on behalf of the conversation’s user, who pays; the audit log records who wrote the SMS.',
    example: { url: { id: '1' }, json: { message: 'Thank you!' } },
    credentials: anyMethod,
    parameters: {
      id,
      message: text({
        get: 'message',
        required: true,
        ...boundsOfMessage,
        description: 'Text of the SMS.',
      }),
      validMinutes: integer({
        get: 'validMinutes',
        default: 1_440,
        min: 1,
        max: 10_080,
        description: 'Minutes during which delivery is attempted.',
      }),
    },
    answer: Type.Object({
      to: Type.String({ description: 'The phone number, digits only.' }),
      id: Type.String({ description: 'Id of the SMS.' }),
      parts: Type.String({ description: 'Number of SMS parts, in digits.' }),
    }),
    errors: ['not_found', 'conversation_over', ...sendErrors],
    isIdempotent: true,
    async handle(caller, input, call) {
      const sent = await reply(conversing, caller, input, call.idempotencyKey);
      conversing.changed();
      return { ...sent, parts: String(sent.parts) };
    },
  });
}

const iso = (at: number) => new Date(at).toISOString();

function shownConversation(conversation: Named<Conversation>) {
  const { id, number, phone, name, username, runId, lastAt, unread, archived, assignee, version } =
    conversation;
  return {
    id: String(id),
    number,
    phone,
    name,
    username,
    runId: runId ?? undefined,
    last: iso(lastAt),
    unread,
    archived: archived === 1,
    assignee: assignee ?? undefined,
    version: String(version),
  };
}

function listedConversation(conversation: Named<ListedConversation>) {
  const { lastText, isOurs } = conversation;
  return {
    ...shownConversation(conversation),
    lastText: lastText ?? undefined,
    isOurs: isOurs === 1,
  };
}

function shownMessage(sms: ReceivedText | SentText) {
  const { id, at, text } = sms;
  const common = { id: String(id), isOurs: 'message' in sms, time: iso(at), message: text };
  if (!('message' in sms)) return common;
  const { status, parts, simulated } = sms.message;
  return {
    ...common,
    status: statusNames[status] as StatusName,
    statusCode: String(status),
    parts,
    simulated: simulated === 1 || undefined,
  };
}
