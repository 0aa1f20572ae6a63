/** The endpoints of the management API by which people find and maintain contacts. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { byUser, noteAct } from '../../audit/audit-log.ts';
import { csvInSlices } from '../../http/answers/sliced-answer.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { defaultCountryCode } from '../../http/parameters/country-code.ts';
import { digits, text } from '../../http/parameters/kinds.ts';
import { languageParameter } from '../../http/parameters/language.ts';
import { objectList } from '../../http/parameters/lists.ts';
import {
  inOrderOfLanguage,
  nextOf,
  textPageParameters,
  writeTextCursor,
} from '../../http/parameters/page.ts';
import { clearable, ruled } from '../../http/parameters/parameter.ts';
import type { Context } from '../../storage/context.ts';
import { theCaller } from '../../storage/verb.ts';
import { headIn } from '../../wire/csv-columns.ts';
import { maxTagLength } from '../../wire/tag-filter.ts';
import { maxContactText, maxTags, tidyEmail, tidyText } from '../contact.ts';
import { termSought } from '../contact-terms.ts';
import { contactPages, csvColumns, csvRow } from '../csv.ts';
import { writtenFilter } from '../selection-parameters.ts';
import { changeContact, idOf, makeContact, removeContact, unknownContact } from './change-contact.ts';
import { countMeeting, findContact, findContactPage, pageByFilter } from './contact-pages.ts';
import { contactSchema, shownContact } from './shown-contact.ts';
import { visibleBook } from './visible-books.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Address book';
const path = '/api/v1/addressbooks/{book}';
const errors = ['not_found'] as const;

export const book = digits({ get: 'book', required: true, description: 'Id of the address book.' });
const id = digits({ get: 'id', required: true, description: 'Id of the contact.' });
const filter = writtenFilter(
  'filter',
  'A tag filter: `role:nurse|doctor;ward:7` matches nurses and doctors of ward 7.',
);

const tag = (what: string) =>
  text({ required: true, minLength: 1, maxLength: maxTagLength, description: `Its ${what}.` });
const written = (get: string, description: string) => text({ get, maxLength: maxContactText, description });

const contactParameters = {
  name: clearable(ruled(written('name', 'Name of the contact.'), tidyText)),
  phone: clearable(written('phone', 'Phone number, in any form.')),
  email: clearable(ruled(written('email', 'E-mail address.'), tidyEmail)),
  app: clearable(ruled(written('app', 'Address in the mobile app.'), tidyText)),
  externalId: clearable(
    ruled(
      text({ get: 'externalId', maxLength: 100, description: 'Id of the contact in your own systems.' }),
      tidyText,
    ),
  ),
  tags: objectList({
    description: 'All tags of the contact.',
    itemName: 'GivenTag',
    maxItems: maxTags,
    fields: { type: tag('type'), value: tag('value') },
  }),
  defaultCountryCode,
} as const;

export function contactEndpoints(administering: Context) {
  return [
    ...listEndpoints(administering),
    ...exportEndpoints(administering),
    ...oneEndpoints(administering),
    ...changeEndpoints(administering),
  ] as const;
}

function listEndpoints(administering: Context) {
  const { store } = administering;
  return [
    endpoint({
      path: `${path}/contacts`,
      methods: ['GET'],
      group,
      operation: 'listContacts',
      title: 'List contacts',
      description: `Lists the contacts of an address book by name: all of them, or those with a name, a word in a name, or a number that begins with a given text. ${inOrderOfLanguage} Those that are found by a text are listed by the words that begin with it, with å and ä like a. With a tag filter, it lists the matching contacts in the order in which they were added. A page may be short or empty: as long as there is a \`next\`, there may be more.`,
      example: { url: { book: '11', q: 'ann' } },
      credentials: anyMethod,
      parameters: {
        book,
        q: text({
          get: 'q',
          maxLength: 100,
          description: 'Beginning of a name, of a word in it, or of a number.',
        }),
        filter,
        ...textPageParameters,
      },
      answer: Type.Object({ contacts: Type.Array(contactSchema), next: nextOf('contacts') }),
      errors: ['not_found', 'invalid_tag_filter'],
      async handle(caller, { book, q = '', filter, after, limit }, { closed: signal, language: preferred }) {
        const { id: bookId } = await visibleBook(store, caller, book);
        const [term, id, begun] = after ?? [];
        const behind = typeof term === 'string' && typeof id === 'number' ? { term, id } : undefined;
        const language = behind === undefined ? preferred : begun === 'sv' ? 'sv' : 'en';
        const owner = theCaller(caller);
        const query = { bookId, owner, sought: termSought(q), language, filter, after: behind, limit };
        const { contacts, next } =
          filter !== undefined && query.sought === ''
            ? await pageByFilter(store, { ...query, filter }, { signal })
            : await store.read(findContactPage, query, { signal });
        return {
          contacts: contacts.map(shownContact),
          next: next && writeTextCursor([next.term, next.id, language]),
        };
      },
    }),
    endpoint({
      path: `${path}/count`,
      methods: ['GET'],
      group,
      operation: 'countContacts',
      title: 'Count a filter’s contacts',
      description: 'Returns how many contacts match a tag filter, and how many of them have a phone number.',
      example: { url: { book: '11', filter: 'role:nurse' } },
      credentials: anyMethod,
      parameters: { book, filter: { ...filter, required: true } },
      answer: Type.Object({ people: Type.Integer(), withPhone: Type.Integer() }),
      errors: ['not_found', 'invalid_tag_filter'],
      async handle(caller, { book, filter = [] }, { closed: signal }) {
        const { id: bookId } = await visibleBook(store, caller, book);
        const owner = theCaller(caller);
        const { people, withPhone } = await countMeeting(store, { bookId, owner, filter }, { signal });
        return { people, withPhone };
      },
    }),
  ] as const;
}

function exportEndpoints(administering: Context) {
  return [
    endpoint({
      path: `${path}/export`,
      methods: ['GET'],
      group,
      operation: 'exportContacts',
      title: 'Export contacts',
      description: 'Returns all contacts of an address book as CSV, in the form that imports accept.',
      example: { url: { book: '11' } },
      credentials: anyMethod,
      parameters: { book, language: languageParameter },
      answer: Type.String({
        description: 'A header line (id, name, phone, email, app, tags), then a line for each contact.',
      }),
      answersCsv: true,
      errors,
      async handle(caller, input, call) {
        const { store, clock } = administering;
        const { id: bookId, name } = await visibleBook(store, caller, input.book);
        const { companyId } = caller;
        await store.write(noteAct, {
          companyId,
          at: clock.now(),
          by: byUser(caller),
          act: 'contacts.export',
          object: `address book ${bookId}`,
        });
        async function* rows() {
          for await (const page of contactPages(store, bookId)) yield page.map(csvRow);
        }
        return csvInSlices(`${name}.csv`, headIn(input.language ?? call.language, csvColumns), rows());
      },
    }),
  ] as const;
}

function oneEndpoints(administering: Context) {
  const { store } = administering;
  return [
    endpoint({
      path: `${path}/contacts`,
      methods: ['POST'],
      group,
      creates: 'id',
      operation: 'createContact',
      title: 'Add a contact',
      needsBody: true,
      description:
        'Adds a person to an address book. A phone number, an e-mail address or an id from your own systems is needed to recognise the person. Requires the role companyAdmin.',
      example: {
        url: { book: '11' },
        json: { name: 'Dan Holm', phone: '+46 70 174 06 23', tags: [{ type: 'role', value: 'porter' }] },
      },
      credentials: anyMethod,
      parameters: { book, ...contactParameters },
      answer: contactSchema,
      answersVersion: true,
      errors: ['not_found', 'role_missing', 'invalid_number', 'taken'],
      handle: async (caller, input) => shownContact(await makeContact(administering, caller, input)),
    }),
    endpoint({
      path: `${path}/contacts/{id}`,
      methods: ['GET'],
      group,
      operation: 'getContact',
      title: 'Read a contact',
      description: 'Returns everything that an address book has about a person.',
      example: { url: { book: '11', id: '1' } },
      credentials: anyMethod,
      parameters: { book, id },
      answer: contactSchema,
      answersVersion: true,
      errors,
      async handle(caller, { book, id }) {
        const { id: bookId } = await visibleBook(store, caller, book);
        const contact = await store.read(findContact, { bookId, id: idOf(id) });
        if (contact === undefined) throw unknownContact(id);
        return shownContact(contact);
      },
    }),
  ] as const;
}

function changeEndpoints(administering: Context) {
  return [
    endpoint({
      path: `${path}/contacts/{id}`,
      methods: ['PATCH'],
      group,
      operation: 'updateContact',
      title: 'Change a contact',
      description:
        'Changes the given fields and keeps the rest. With `If-Match`, the change is refused if someone else has changed the contact; the answer then has the current `contact`.',
      example: { url: { book: '11', id: '1' }, json: { name: 'Anna Berg-Dahl' } },
      credentials: anyMethod,
      parameters: { book, id, ...contactParameters },
      answer: contactSchema,
      answersVersion: true,
      takesVersion: true,
      errors: ['not_found', 'role_missing', 'invalid_number', 'taken', 'managed'],
      errorSchemas: { changed_meanwhile: { contact: contactSchema } },
      handle: async (caller, input, { ifMatch }) =>
        shownContact(await changeContact(administering, caller, input, ifMatch)),
    }),
    endpoint({
      path: `${path}/contacts/{id}`,
      methods: ['DELETE'],
      group,
      operation: 'deleteContact',
      title: 'Remove a contact',
      description: 'Removes a person from an address book, with tags and group memberships.',
      example: { url: { book: '11', id: '3' } },
      credentials: anyMethod,
      parameters: { book, id },
      answer: Type.Object({ id: Type.String() }),
      takesVersion: true,
      errors: ['not_found', 'role_missing', 'managed'],
      async handle(caller, input, { ifMatch }) {
        await removeContact(administering, caller, input, ifMatch);
        return { id: input.id };
      },
    }),
  ] as const;
}
