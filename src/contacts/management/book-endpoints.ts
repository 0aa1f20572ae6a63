/** The endpoints of the management API that show address books, their tags, and keep their saved filters. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { managedError } from '../../accounts/set-keys.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { quoted } from '../../foundation/result.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { text } from '../../http/parameters/kinds.ts';
import { nextOf, pageOf, textPageParameters, writeTextCursor } from '../../http/parameters/page.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { formatTagFilter, maxFilterLength } from '../../wire/tag-filter.ts';
import { writtenFilter } from '../selection-parameters.ts';
import { listTagPage } from '../tag-store.ts';
import { book } from './contact-endpoints.ts';
import { bookName } from './entry-name.ts';
import { changeFilter, type FilterChange, listFilters } from './filter-store.ts';
import { tagFields } from './shown-contact.ts';
import { type Administering, changeOfBook, visibleBook, visibleBooks } from './visible-books.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Address book';
const path = '/api/v1/addressbooks';

const savedFilter = {
  name: Type.String({ description: 'What `toaddressbooksavedtagfilters` of `/send` takes.' }),
  filter: Type.String({ description: 'In string notation.' }),
};
const managed = Type.Boolean({ description: 'A provisioning file has set it, and alone changes it.' });

export function bookEndpoints(administering: Administering) {
  return [
    ...listEndpoints(administering),
    ...filterListEndpoints(administering),
    ...filterEndpoints(administering),
    ...filterRemovalEndpoints(administering),
  ] as const;
}

function listEndpoints({ store }: Administering) {
  return [
    endpoint({
      path,
      methods: ['GET'],
      group,
      operation: 'listAddressBooks',
      title: 'List address books',
      description:
        'Lists the address books that the account may read: for administrators those of their company, for others those that the operator lets them read.',
      example: { url: {} },
      credentials: anyMethod,
      parameters: {},
      answer: Type.Object({
        addressbooks: Type.Array(
          Type.Object({
            id: Type.String(),
            name: Type.String(),
            isdefault: Type.Boolean({
              description: 'Filters and groups of what the account sends are looked up in it.',
            }),
          }),
        ),
      }),
      async handle(caller) {
        const books = await visibleBooks(store, caller);
        return {
          addressbooks: books.map(({ id, name, isDefault }) => ({
            id: String(id),
            name,
            isdefault: isDefault,
          })),
        };
      },
    }),
    endpoint({
      path: `${path}/{book}/tags`,
      methods: ['GET'],
      group,
      operation: 'listTags',
      title: 'List tags',
      description:
        'Lists the tags that somebody has, by type and value, each with the number of contacts that have it.',
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

function filterListEndpoints({ store }: Administering) {
  return [
    endpoint({
      path: `${path}/{book}/filters`,
      methods: ['GET'],
      group,
      operation: 'listFilters',
      title: 'List saved filters',
      description: 'Lists the saved tag filters of an address book by name.',
      example: { url: { book: '11' } },
      credentials: anyMethod,
      parameters: { book, ...textPageParameters },
      answer: Type.Object({
        filters: Type.Array(Type.Object({ ...savedFilter, managed }, { title: 'ListedFilter' })),
        next: nextOf('filters'),
      }),
      errors: ['not_found'],
      async handle(caller, { book, after, limit }) {
        const { id: bookId } = await visibleBook(store, caller, book);
        const behind = after?.[0] === undefined ? undefined : String(after[0]);
        const rows = await store.read(listFilters, { bookId, after: behind, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, ({ name }) => writeTextCursor([name]));
        return { filters: [...items], next };
      },
    }),
  ] as const;
}

const name = ruled(text({ get: 'name', required: true, description: 'Name of the filter.' }), bookName);
const was = text({
  get: 'was',
  maxLength: maxFilterLength,
  description:
    'The filter as it was when the change was decided on: it is refused where somebody else has changed it since. Left out, it is made in any case.',
});
const filter = {
  ...writtenFilter('filter', 'A tag filter: `role:nurse|doctor;ward:7` is for nurses and doctors of ward 7.'),
  required: true,
};

function filterEndpoints(administering: Administering) {
  return [
    endpoint({
      path: `${path}/{book}/filters`,
      methods: ['POST'],
      group,
      operation: 'createFilter',
      title: 'Save a filter',
      description: 'Saves a tag filter under a name, by which it can be sent to. Administrators do.',
      example: { url: { book: '11' }, json: { name: 'ward 7', filter: 'ward:7' } },
      credentials: anyMethod,
      parameters: { book, name, filter },
      answer: Type.Object(savedFilter, { title: 'Filter' }),
      errors: ['not_found', 'role_missing', 'invalid_tag_filter', 'taken', 'managed'],
      handle: (caller, { book, name = '', filter }) =>
        save(administering, caller, book, { name, isNew: true, filter: written(filter), was: undefined }),
    }),
    endpoint({
      path: `${path}/{book}/filters/{name}`,
      methods: ['POST'],
      group,
      operation: 'updateFilter',
      title: 'Change a saved filter',
      description: 'Gives a saved filter another meaning. Administrators do.',
      example: { url: { book: '11', name: 'nurses' }, json: { filter: 'role:nurse|assistant' } },
      credentials: anyMethod,
      parameters: { book, name, filter, was },
      answer: Type.Object(savedFilter, { title: 'Filter' }),
      errors: ['not_found', 'role_missing', 'invalid_tag_filter', 'managed', 'changed_meanwhile'],
      handle: (caller, { book, name = '', filter, was }) =>
        save(administering, caller, book, { name, isNew: false, filter: written(filter), was }),
    }),
  ] as const;
}

function filterRemovalEndpoints(administering: Administering) {
  return [
    endpoint({
      path: `${path}/{book}/filters/{name}`,
      methods: ['DELETE'],
      group,
      operation: 'deleteFilter',
      title: 'Remove a saved filter',
      description: 'Removes a saved filter, and none of the contacts that it meets. Administrators do.',
      example: { url: { book: '11', name: 'ward 7' } },
      credentials: anyMethod,
      parameters: { book, name },
      answer: Type.Object({ name: Type.String() }),
      errors: ['not_found', 'role_missing', 'managed'],
      async handle(caller, { book, name = '' }) {
        const gone = { name, isNew: false, filter: undefined, was: undefined };
        await change(administering, caller, book, gone);
        return { name };
      },
    }),
  ] as const;
}

function written(filter: Parameters<typeof formatTagFilter>[0] | undefined): string {
  return formatTagFilter(filter ?? []);
}

type OneFilter = Pick<FilterChange, 'name' | 'isNew' | 'was' | 'filter'>;

async function save(
  administering: Administering,
  caller: Caller,
  book: string,
  one: OneFilter & { readonly filter: string },
) {
  await change(administering, caller, book, one);
  return { name: one.name, filter: one.filter };
}

async function change(
  administering: Administering,
  caller: Caller,
  book: string,
  one: OneFilter,
): Promise<void> {
  const by = await changeOfBook(administering, caller, book);
  const outcome = await administering.store.write(changeFilter, { ...by, ...one });
  const what = `saved filter ${quoted(one.name)}`;
  if (outcome === 'managed') throw managedError(`The ${what}`);
  if (outcome === 'notFound') throw new ServiceError('not_found', `The address book has no ${what}.`);
  if (outcome === 'taken')
    throw new ServiceError('taken', `The address book has a ${what} already. Nothing was changed.`);
  if (outcome === 'changedMeanwhile')
    throw new ServiceError(
      'changed_meanwhile',
      `Somebody else has changed the ${what} meanwhile. Look at what it is now, and decide anew. Nothing was changed.`,
    );
}
