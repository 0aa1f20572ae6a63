/**
 * Endpoints of the management API for one person, known by a phone number, across all rooms: exporting and erasing the
 * person's data.
 */
import Type from 'typebox';
import { type Caller, numberIn } from '../accounts/caller.ts';
import { contactFields, shownContact } from '../contacts/management/shown-contact.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { text } from '../http/parameters/kinds.ts';
import { nextOf, pageParameters } from '../http/parameters/page.ts';
import type { PersonState } from '../jobs/run/run.ts';
import { listedMessage, messageFields } from '../messages/management/shown-message.ts';
import {
  type OptOut,
  type OptOutCategory,
  optOutCategories,
  readOptOutsOfNumber,
} from '../opt-outs/opt-out.ts';
import { type Erasure, erase, type PeopleServices } from './erasure.ts';
import { exportPerson, readPerson, readReceived, readSent } from './person.ts';
import { keepers } from './search-left.ts';

const endpoint = endpointsFor<Caller>();
const group = 'People';
const example = { url: { number: '46701740699' } };

const number = text({
  get: 'number',
  required: true,
  maxLength: 100,
  description: 'Phone number with country code: `46701740699`.',
});

const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC)` });
const iso = (at: number) => new Date(at).toISOString();

const states = ['waiting', 'asked', 'unreachable', 'yes', 'no'] as const satisfies readonly PersonState[];

const erasureFields = {
  requested: time('When it was requested'),
  username: Type.Optional(Type.String({ description: 'User who requested it.' })),
  done: Type.Optional(time('When it was completed; absent while it is in progress')),
  erased: Type.Integer({ description: 'Rows removed or blanked so far.' }),
  optOuts: Type.Integer({
    description: 'Opt-outs that hold on: a digest has taken the place of the number, and the proof is gone.',
  }),
  kept: Type.Array(
    Type.Object({
      by: Type.Unsafe<(typeof keepers)[number]>({ type: 'string', enum: [...keepers] }),
      count: Type.Integer(),
    }),
    {
      description:
        'What still needs or contains the number. A message, run or batch is erased once the number is no longer needed for it; a template, saved job or setting keeps the number until someone changes it.',
    },
  ),
};

function shownErasure(
  { requestedAt, username, doneAt, erased, kept }: Erasure,
  optOuts: readonly Pick<OptOut, 'erased'>[],
) {
  return {
    requested: iso(requestedAt),
    username: username ?? undefined,
    erased,
    optOuts: optOuts.filter((one) => one.erased).length,
    done: doneAt === null ? undefined : iso(doneAt),
    kept: keepers.flatMap((by) => (kept[by] === undefined ? [] : [{ by, count: kept[by] }])),
  };
}

export function personEndpoints(services: PeopleServices) {
  return [
    personEndpoint(services),
    sentEndpoint(services),
    receivedEndpoint(services),
    exportEndpoint(services),
    eraseEndpoint(services),
  ] as const;
}

function personEndpoint(services: PeopleServices) {
  return endpoint({
    path: '/api/v1/people/{number}',
    methods: ['GET'],
    group,
    operation: 'getPerson',
    title: 'Look up a phone number',
    description:
      'Returns the contacts with a number, in address books that the caller may read, and the conversations with it: users see their own conversations, administrators all conversations of the company.',
    example,
    credentials: anyMethod,
    parameters: { number },
    answer: Type.Object({
      contacts: Type.Array(
        Type.Object({ ...contactFields, addressBook: Type.String(), addressBookName: Type.String() }),
      ),
      conversations: Type.Array(
        Type.Object({
          id: Type.String(),
          number: Type.String({ description: 'Our number.' }),
          username: Type.String(),
          last: time('When the latest SMS was sent or received'),
          unread: Type.Integer(),
        }),
        { description: 'The latest 50.' },
      ),
      moreConversations: Type.Boolean({
        description:
          'Whether there are earlier conversations: `search` of `GET /api/v1/conversations` finds them; with `archived`, it finds archived conversations.',
      }),
      optOuts: Type.Array(
        Type.Object({
          category: Type.Unsafe<OptOutCategory>({ type: 'string', enum: [...optOutCategories] }),
          since: time('Since when'),
        }),
        { description: 'What the person does not want from the company, latest first.' },
      ),
      nearMisses: Type.Array(
        Type.Object({
          id: Type.String({ description: 'Id of the SMS.' }),
          time: time('When it came'),
          optsOut: Type.Optional(
            Type.Boolean({ description: 'What somebody has decided; absent until then.' }),
          ),
        }),
        { description: 'The latest ten SMS that may mean an opt-out; only for administrators.' },
      ),
      erasure: Type.Optional(
        Type.Object(erasureFields, {
          title: 'Erasure',
          description: 'Latest erasure of the number; only for administrators.',
        }),
      ),
    }),
    errors: ['invalid_number', 'role_missing'],
    async handle(caller, input) {
      const of = numberIn(caller, 'number', input.number);
      const found = await readPerson(services, caller, of);
      const { contacts, conversations, moreConversations, optOuts, nearMisses, erasure } = found;
      return {
        contacts: contacts.map(({ book, ...contact }) => ({
          ...shownContact(contact),
          addressBook: String(book.id),
          addressBookName: book.name,
        })),
        conversations: conversations.map(({ id, lastAt, ...conversation }) => ({
          ...conversation,
          id: String(id),
          last: iso(lastAt),
        })),
        moreConversations,
        optOuts: optOuts.map(({ category, since }) => ({ category, since: iso(since) })),
        nearMisses: nearMisses.map(({ incomingId, at, optsOut }) => ({
          id: String(incomingId),
          time: iso(at),
          optsOut: optsOut ?? undefined,
        })),
        erasure: erasure === null ? undefined : shownErasure(erasure, optOuts),
      };
    },
  });
}

function sentEndpoint(services: PeopleServices) {
  return endpoint({
    path: '/api/v1/people/{number}/sent',
    methods: ['GET'],
    group,
    operation: 'listSentToPerson',
    title: 'List what was sent to a phone number',
    description:
      'Lists SMS to a number without their texts, latest first, each with its batch or job run. A page may be short or empty: as long as there is a `next`, there may be more.',
    example: { url: { ...example.url, limit: '10' } },
    credentials: anyMethod,
    parameters: { number, ...pageParameters },
    answer: Type.Object({
      sent: Type.Array(
        Type.Object({
          ...messageFields,
          batchName: Type.Optional(Type.String({ description: 'Name of the batch; absent if it has none.' })),
          run: Type.Optional(
            Type.Object(
              {
                id: Type.String(),
                name: Type.String(),
                state: Type.Unsafe<PersonState>({ type: 'string', enum: [...states] }),
              },
              { description: 'The job run that it belongs to, and the person’s answer.' },
            ),
          ),
        }),
      ),
      next: nextOf('SMS'),
    }),
    errors: ['invalid_number', 'role_missing'],
    async handle(caller, { number: given, after, limit }) {
      const page = { number: numberIn(caller, 'number', given), after, limit };
      const { messages, next } = await readSent(services, caller, page);
      return {
        sent: messages.map(({ run, batchName, ...message }) => ({
          ...listedMessage(message),
          batchName,
          run: run && { id: String(run.runId), name: run.name, state: run.state },
        })),
        next: next === null ? undefined : `${next.time}.${next.id}`,
      };
    },
  });
}

function receivedEndpoint(services: PeopleServices) {
  return endpoint({
    path: '/api/v1/people/{number}/received',
    methods: ['GET'],
    group,
    operation: 'listReceivedFromPerson',
    title: 'List what a phone number sent',
    description:
      'Lists SMS from a phone, including answers to jobs, latest first. The text is given only for SMS that the caller received.',
    example: { url: { ...example.url, limit: '10' } },
    credentials: anyMethod,
    parameters: { number, ...pageParameters },
    answer: Type.Object({
      received: Type.Array(
        Type.Object({
          id: Type.String(),
          to: Type.String({ description: 'Our number.' }),
          time: time('When it was received'),
          username: Type.String({ description: 'User who received it.' }),
          message: Type.Optional(
            Type.String({ description: 'Text of the SMS; absent if another user received it.' }),
          ),
          runId: Type.Optional(Type.String({ description: 'The job run that it answers.' })),
        }),
      ),
      next: nextOf('SMS'),
    }),
    errors: ['invalid_number', 'role_missing'],
    async handle(caller, { number: given, after, limit }) {
      const page = { number: numberIn(caller, 'number', given), after, limit };
      const { items, next } = await readReceived(services, caller, page);
      return {
        received: items.map(({ id, number: to, at, username, userId, text: message, runId }) => ({
          id: String(id),
          to,
          time: iso(at),
          username,
          message: userId === caller.userId ? message : undefined,
          runId: runId === null ? undefined : String(runId),
        })),
        next,
      };
    },
  });
}

function exportEndpoint(services: PeopleServices) {
  return endpoint({
    path: '/api/v1/people/{number}/export',
    methods: ['GET'],
    group,
    operation: 'exportPerson',
    title: 'Export everything about a phone number',
    description:
      'Returns everything that the company has about a number, with texts, as JSON lines, for a person who requests their data (GDPR, article 15). Requires the role companyAdmin. The audit log records the export.',
    example,
    credentials: anyMethod,
    parameters: { number },
    answer: Type.String({
      description:
        'One JSON object per line; `kind` is `contact`, `optOut`, `nearMiss`, `conversation`, `sent` or `received`.',
    }),
    answersLines: true,
    errors: ['invalid_number', 'role_missing'],
    handle: (caller, input) => exportPerson(services, caller, numberIn(caller, 'number', input.number)),
  });
}

function eraseEndpoint(services: PeopleServices) {
  return endpoint({
    path: '/api/v1/people/{number}/erase',
    methods: ['POST'],
    group,
    operation: 'erasePerson',
    title: 'Erase everything about a phone number',
    description:
      'For a person who requests erasure (GDPR, article 17). Removes contacts, messages in both directions, conversations and answers; waiting messages are cancelled, and data that a carrier or run still needs is removed once it is no longer needed. Usage figures stay, and opt-outs hold on, with a digest in the place of the number. The call returns at once; `GET /api/v1/people/{number}` reports progress. The erasure is done when a search of everything that the company keeps finds the number nowhere; calling again starts the search at once. An erasure can’t be undone. Requires the role companyAdmin.',
    example: { url: { number: '46701740600' }, json: {} },
    credentials: anyMethod,
    parameters: { number },
    answer: Type.Object(erasureFields, { title: 'Erasure' }),
    errors: ['invalid_number', 'role_missing', 'managed'],
    async handle(caller, input) {
      const phone = numberIn(caller, 'number', input.number);
      const erasure = await erase(services, caller, phone);
      const { store, secret } = services;
      const { companyId } = caller;
      return shownErasure(erasure, await store.read(readOptOutsOfNumber, { companyId, phone, secret }));
    },
  });
}
