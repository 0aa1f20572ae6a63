/** The endpoints of the management API that show address books and their tags, and manage their saved filters. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import {
  inOrderOfLanguage,
  nameCursor,
  namePageParameters,
  nextOf,
  pageOf,
  textPageParameters,
  writeTextCursor,
} from '../../http/parameters/page.ts';
import type { Access } from '../../resources/api-declaration.ts';
import { ResourceApi } from '../../resources/resource-api.ts';
import type { Context } from '../../storage/context.ts';
import { listTagPage } from '../tags.ts';
import { book } from './contact-endpoints.ts';
import { filters } from './filters.ts';
import { tagFields } from './shown-contact.ts';
import { changeOfBook, describeBooks, visibleBook, visibleBooks } from './visible-books.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Address book';
const path = '/api/v1/addressbooks';

/** Users who may read an address book can see its contents; only administrators can change them. */
export const ofBook = {
  parameters: { book },
  readErrors: ['not_found'],
  writeErrors: ['not_found', 'role_missing'],
  reads: async ({ store }, caller, given) => (await visibleBook(store, caller, given.book)).id,
  writes: async (services, caller, given) => (await changeOfBook(services, caller, given.book)).bookId,
} satisfies Access<{ book: typeof book }>;

export function bookEndpoints(administering: Context) {
  return [...listEndpoints(administering), ...filterEndpoints(administering)] as const;
}

function listEndpoints({ store }: Context) {
  return [
    endpoint({
      path,
      methods: ['GET'],
      group,
      operation: 'listAddressBooks',
      title: 'List address books',
      description: `Lists the address books that the account may read: for administrators all address books of the company, for others those that the operator allows. ${inOrderOfLanguage}`,
      example: { url: {} },
      credentials: anyMethod,
      parameters: namePageParameters,
      answer: Type.Object({
        addressBooks: Type.Array(
          Type.Object({
            id: Type.String(),
            name: Type.String(),
            isDefault: Type.Boolean({
              description: 'Whether calls of the account look for filters and groups in this address book.',
            }),
            readerCount: Type.Optional(
              Type.Integer({
                description: 'How many users may read it, besides administrators, who see this.',
              }),
            ),
            managed: Type.Optional(
              Type.Boolean({ description: 'Whether a provisioning file has it. For administrators.' }),
            ),
          }),
        ),
        next: nextOf('address books'),
      }),
      async handle(caller, { after, limit }, { language }) {
        const from = after ?? { language };
        const rows = await visibleBooks(store, caller, { from, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, nameCursor(from));
        const { companyId, roles } = caller;
        const books = items.map(({ id, name }) => ({ id, name }));
        const described = roles.has('companyAdmin')
          ? await store.read(describeBooks, { companyId, books })
          : [];
        return {
          addressBooks: items.map((one, at) => ({
            ...one,
            id: String(one.id),
            readerCount: described[at]?.readerCount,
            managed: described[at]?.managed,
          })),
          next,
        };
      },
    }),
    endpoint({
      path: `${path}/{book}/tags`,
      methods: ['GET'],
      group,
      operation: 'listTags',
      title: 'List tags',
      description: 'Lists the tags in use, by type and value, each with its number of contacts.',
      example: { url: { book: '11' } },
      credentials: anyMethod,
      parameters: { book, ...textPageParameters },
      answer: Type.Object({
        tags: Type.Array(Type.Object({ ...tagFields, contacts: Type.Integer() }, { title: 'CountedTag' })),
        next: nextOf('tags'),
      }),
      errors: ['not_found'],
      async handle(caller, { book, after, limit }) {
        const { id: bookId } = await visibleBook(store, caller, book);
        const [type, value] = (after ?? []).map(String);
        const behind = type === undefined || value === undefined ? undefined : { type, value };
        const rows = await store.read(listTagPage, { bookId, after: behind, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, ({ type, value }) => writeTextCursor([type, value]));
        return { tags: items.map(({ type, value, count }) => ({ type, value, contacts: count })), next };
      },
    }),
  ] as const;
}

/** Saved filters are names for tag filters, to which messages can be sent. */
function filterEndpoints(administering: Context) {
  const api = new ResourceApi(filters, administering, {
    path: `${path}/{book}/filters`,
    group,
    type: 'Filter',
    access: ofBook,
    plural: 'filters',
    key: {
      name: 'name',
      description: 'Name of the filter.',
      shown: 'The value for `toaddressbooksavedtagfilters` of `/send`.',
    },
    listed: filterShape,
    shown: filterShape,
    list: {
      description: 'Lists the saved tag filters of an address book by name.',
      example: { url: { book: '11' } },
    },
    get: { description: 'Returns a saved tag filter.', example: { url: { book: '11', name: 'nurses' } } },
    create: {
      description: 'Saves a tag filter under a name that calls can send to. Requires the role companyAdmin.',
      example: { url: { book: '11' }, json: { name: 'ward 7', filter: 'ward:7' } },
    },
    change: {
      description: 'Changes or renames a saved filter. Requires the role companyAdmin.',
      example: { url: { book: '11', name: 'nurses' }, json: { filter: 'role:nurse|assistant' } },
    },
    remove: {
      description: 'Removes a saved filter; its contacts stay. Requires the role companyAdmin.',
      example: { url: { book: '11', name: 'ward 7' } },
    },
  });
  return [api.list(), api.create(), api.get(), api.change(), api.remove()] as const;
}

const filterShape = {
  properties: { filter: Type.String({ description: 'In string notation.' }) },
  show: ({ filter }: { readonly filter: string }) => ({ filter }),
};
