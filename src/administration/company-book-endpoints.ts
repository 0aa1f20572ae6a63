/** The endpoints of the management API by which administrators make, change and remove their company's address books. */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { maxUsernameLength, maxUsersOfCompany } from '../accounts/user-records.ts';
import { removeAllContacts } from '../contacts/change-contacts.ts';
import { visibleBook } from '../contacts/management/visible-books.ts';
import { ServiceError } from '../foundation/errors.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { boolean, digits, text } from '../http/parameters/kinds.ts';
import { textList } from '../http/parameters/lists.ts';
import { ruled } from '../http/parameters/parameter.ts';
import { allowed, objectName } from '../resources/declaration.ts';
import type { Context } from '../storage/context.ts';
import { announceHint } from '../storage/hints.ts';
import {
  beginBookRemoval,
  type CompanyBook,
  changeCompanyBook,
  endBookRemoval,
  findCompanyBook,
  makeCompanyBook,
  maxBooksOfCompany,
  maxCounted,
  missingBook,
} from './company-book.ts';

const endpoint = endpointsFor<Caller>();
const path = '/api/v1/addressbooks';
const common = { group: 'Address book', credentials: anyMethod } as const;

const book = digits({ get: 'book', required: true, description: 'Id of the address book.' });
const users = (description: string) =>
  textList({ maxItems: maxUsersOfCompany, maxLength: maxUsernameLength, description });
const nameOf = <Required extends boolean>(required: Required) =>
  ruled(text({ required, maxLength: 100, description: 'Name of the address book.' }), objectName);
const rights = {
  readers: users('User names of all who may read it; administrators may in any case.'),
  defaultOf: users('Those of the readers whose calls look for filters and groups in it.'),
} as const;

const shown = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    readers: Type.Optional(Type.Array(Type.String(), { description: 'Shown to administrators.' })),
    defaultOf: Type.Optional(Type.Array(Type.String(), { description: 'Shown to administrators.' })),
    contacts: Type.Integer({ description: `Counted no further than to ${maxCounted + 1}.` }),
    managed: Type.Boolean({
      description: 'Whether a provisioning file has it; only the file can then rename or remove it.',
    }),
    managedKeys: Type.Array(Type.String(), {
      description: 'Keys set by a provisioning file; only that file can change them.',
    }),
    version: Type.String({ description: 'Changes with the name and the readers.' }),
  },
  { title: 'AddressBook' },
);

function shownBook({ id, name, readers, contacts, isManaged, version }: CompanyBook, { roles }: Caller) {
  const isAdministrator = roles.has('companyAdmin');
  const defaultOf = [...readers].filter(([, isDefault]) => isDefault).map(([username]) => username);
  return {
    id: String(id),
    name,
    readers: isAdministrator ? [...readers.keys()] : undefined,
    defaultOf: isAdministrator ? defaultOf : undefined,
    contacts,
    managed: isManaged,
    managedKeys: isManaged ? ['name'] : [],
    version,
  };
}

export function companyBookEndpoints(services: Context) {
  return [makeEndpoint(services), readEndpoint(services), ...changeEndpoints(services)] as const;
}

function actingIn({ clock }: Context, caller: Caller) {
  requireRole(caller, 'companyAdmin');
  const { companyId, username, session } = caller;
  return { companyId, username, session, now: clock.now() };
}

function makeEndpoint(services: Context) {
  const { store } = services;
  return endpoint({
    path,
    methods: ['POST'],
    ...common,
    creates: 'id',
    operation: 'createAddressBook',
    title: 'Create an address book',
    description: `Creates an empty address book. A company can have at most ${maxBooksOfCompany}. Requires the role companyAdmin.`,
    example: { json: { name: 'Ward 7', readers: ['demo'] } },
    parameters: { name: nameOf(true), ...rights },
    answer: shown,
    answersVersion: true,
    errors: ['role_missing', 'taken', 'managed', 'too_many_books'],
    async handle(caller, change) {
      const by = actingIn(services, caller);
      const made = allowed(await store.write(makeCompanyBook, { by, change }));
      announceHint(store, caller.companyId, 'addressbooks');
      return shownBook(made, caller);
    },
  });
}

function readEndpoint({ store }: Context) {
  return endpoint({
    path: `${path}/{book}`,
    methods: ['GET'],
    ...common,
    operation: 'getAddressBook',
    title: 'Read an address book',
    description: 'Returns an address book; `/contacts` lists who is in it.',
    example: { url: { book: '11' } },
    parameters: { book },
    answer: shown,
    answersVersion: true,
    errors: ['not_found'],
    async handle(caller, { book }) {
      const { id } = await visibleBook(store, caller, book);
      const found = await store.read(findCompanyBook, { companyId: caller.companyId, id });
      if (found === null) throw new ServiceError('not_found', missingBook(id));
      return shownBook(found, caller);
    },
  });
}

function changeEndpoints(services: Context) {
  const { store } = services;
  return [
    endpoint({
      path: `${path}/{book}`,
      methods: ['PATCH'],
      ...common,
      operation: 'updateAddressBook',
      title: 'Change an address book',
      description:
        'Renames an address book, or replaces the list of those who may read it or whose default it is; a user has one default at most. Requires the role companyAdmin.',
      example: { url: { book: '11' }, json: { readers: ['demo'], defaultOf: ['demo'] } },
      parameters: { book, name: nameOf(false), ...rights },
      answer: shown,
      answersVersion: true,
      takesVersion: true,
      errors: ['not_found', 'role_missing', 'taken', 'managed'],
      async handle(caller, { book, ...change }, { ifMatch }) {
        const { id } = await visibleBook(store, caller, book);
        const order = { by: actingIn(services, caller), id, change, ifMatch };
        const changed = allowed(await store.write(changeCompanyBook, order));
        announceHint(store, caller.companyId, 'addressbooks');
        return shownBook(changed, caller);
      },
    }),
    endpoint({
      path: `${path}/{book}`,
      methods: ['DELETE'],
      ...common,
      operation: 'deleteAddressBook',
      title: 'Remove an address book',
      description:
        'Removes an address book with its groups, filters and, if told so, contacts; nobody but administrators can read it meanwhile. If the call is interrupted, repeat it. Not for a user’s default. Requires the role companyAdmin.',
      example: { url: { book: '12' } },
      parameters: {
        book,
        withContacts: boolean({ get: 'withContacts', description: 'Whether its contacts go with it.' }),
      },
      answer: Type.Object({ id: Type.String(), name: Type.String() }),
      takesVersion: true,
      errors: ['not_found', 'role_missing', 'managed', 'in_use'],
      async handle(caller, { book, withContacts = false }, { ifMatch }) {
        const { id } = await visibleBook(store, caller, book);
        const by = actingIn(services, caller);
        const { name, contacts } = allowed(
          await store.write(beginBookRemoval, { by, id, withContacts, ifMatch }),
        );
        if (contacts > 0) {
          // In steps, each of which holds the store's writer only shortly.
          await removeAllContacts(store, id);
          const refused = await store.write(endBookRemoval, { by, id });
          if (refused !== null) allowed(refused);
        }
        announceHint(store, caller.companyId, 'addressbooks');
        return { id: String(id), name };
      },
    }),
  ] as const;
}
