/** The endpoints through which users read address books (API: address book). */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { passwordOnly } from '../http/credentials/credentials.ts';
import { type Endpoint, endpointsFor } from '../http/endpoints/endpoint.ts';
import { integer } from '../http/parameters/kinds.ts';
import type { Store } from '../storage/store.ts';
import { listAddressBooks } from './address-book.ts';
import { importEndpoints } from './import/endpoints.ts';
import type { ImportContext } from './import/import-contacts.ts';
import { bookEndpoints } from './management/book-endpoints.ts';
import { contactEndpoints } from './management/contact-endpoints.ts';
import { groupEndpoints } from './management/group-endpoints.ts';
import { listTags } from './tags.ts';

const endpoint = endpointsFor<Caller>();
const prefix = '/addressbook/svcaddressbook';

const listedBook = Type.Object(
  {
    id: Type.Integer({ description: 'Id of the address book.' }),
    name: Type.String({ description: 'Name of the address book.' }),
  },
  { title: 'QueriedAddressBook' },
);

const tagValue = Type.Object(
  {
    value: Type.String({ description: 'A tag value.' }),
    count: Type.Integer({ description: 'Number of contacts with the tag.' }),
  },
  { title: 'QueriedTagValue' },
);

const tagType = Type.Object(
  {
    type: Type.String({ description: 'The tag type.' }),
    typecount: Type.Integer({ description: 'Sum of the counts of its values.' }),
    values: Type.Array(tagValue),
  },
  { title: 'QueriedTagType' },
);

/** The endpoints of the management API. */
export function contactManagementEndpoints(importing: ImportContext) {
  return [
    ...bookEndpoints(importing),
    ...contactEndpoints(importing),
    ...groupEndpoints(importing),
    ...importEndpoints(importing),
  ] as const;
}

export function addressBookEndpoints(store: Store): readonly Endpoint<Caller>[] {
  return [
    endpoint({
      path: `${prefix}/listaddressbooks`,
      methods: ['GET', 'POST'],
      group: 'Address book',
      operation: 'queryAddressBooks',
      title: 'List address books',
      description:
        'Returns the address books that the account may read. If there are none, the answer is 401 without a body.',
      example: { json: {} },
      credentials: passwordOnly,
      parameters: {},
      answer: Type.Object({ addressbooks: Type.Array(listedBook, { description: 'Never empty.' }) }),
      silent401: true,
      async handle({ userId }) {
        const books = await listAddressBooks(store, userId);
        return { addressbooks: books.map(({ id, name }) => ({ id, name })) };
      },
    }),
    endpoint({
      path: `${prefix}/listtags`,
      methods: ['GET', 'POST'],
      group: 'Address book',
      operation: 'queryTags',
      title: 'List tags',
      description: 'Returns the tag types and values of an address book, each with its number of contacts.',
      example: { url: { A: '11' }, json: { addressbookid: 11 } },
      credentials: passwordOnly,
      parameters: {
        addressbookid: integer({
          get: 'A',
          description: 'Id of the address book; default: the account’s default address book.',
        }),
      },
      answer: Type.Object({
        addressbookid: Type.Integer({ description: 'Id of the address book.' }),
        addressbookname: Type.String({ description: 'Name of the address book.' }),
        tags: Type.Array(tagType, { description: 'One per tag type, in alphabetical order.' }),
      }),
      errors: ['not_found'],
      async handle(caller, { addressbookid }) {
        const { book, tags } = await listTags(store, caller, addressbookid);
        return { addressbookid: book.id, addressbookname: book.name, tags };
      },
    }),
  ];
}
