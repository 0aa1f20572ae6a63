/** The endpoints of the management API by which people maintain the groups of an address book. */
import Type from 'typebox';
import { type Caller, numberIn } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { text } from '../../http/parameters/kinds.ts';
import { textList } from '../../http/parameters/lists.ts';
import { nextOf, pageOf, pageParameters } from '../../http/parameters/page.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { objectName } from '../../resources/declaration.ts';
import { ResourceApi } from '../../resources/resource-api.ts';
import type { Context } from '../../storage/context.ts';
import { ofBook } from './book-endpoints.ts';
import { idOf } from './change-contact.ts';
import { book } from './contact-endpoints.ts';
import { groups, type Member, type Members, maxMembers, readGroup } from './groups.ts';
import { visibleBook } from './visible-books.ts';

const endpoint = endpointsFor<Caller>();
const path = '/api/v1/addressbooks/{book}/groups';
const group = 'Address book';

/** Adding more takes several calls. */
const maxItems = 1_000;
const members = (description: string) =>
  textList({
    maxItems,
    maxLength: 100,
    description: `${description} Each is the id of a contact (\`contact 17\`) or a phone number.`,
  });

interface GivenMembers {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/** Ids of contacts are distinguished from numbers by a leading word. */
function membersOf(caller: Caller, field: string, written: readonly string[]): Members {
  return written.map((one) => {
    const id = /^contact (\d{1,16})$/.exec(one)?.[1];
    return id === undefined ? numberIn(caller, field, one) : idOf(id);
  });
}

export function groupEndpoints(administering: Context) {
  const add = members('Who joins.');
  const noFields = { properties: {}, show: () => ({}) };
  const api = new ResourceApi(groups, administering, {
    path,
    group,
    type: 'Group',
    access: ofBook,
    plural: 'groups',
    key: {
      name: 'name',
      description: 'Name of the group.',
      shown: 'The value for `toaddressbookgroups` of `/send`.',
    },
    listed: noFields,
    shown: noFields,
    more: {
      create: { add },
      change: { add, remove: members('Who leaves.') },
      async read(caller, { add, remove }: GivenMembers) {
        return {
          add: add && membersOf(caller, 'add', add),
          remove: remove && membersOf(caller, 'remove', remove),
        };
      },
    },
    list: { description: 'Lists the groups of an address book by name.', example: { url: { book: '11' } } },
    create: {
      description: 'Creates a group that calls can send to by name. Requires the role companyAdmin.',
      example: { url: { book: '11' }, json: { name: 'night shift', add: ['contact 1', '+46 70 174 06 99'] } },
      errors: ['invalid_number'],
    },
    change: {
      description: `Adds or removes members, or renames the group. A group can have at most ${maxMembers} members. Requires the role companyAdmin.`,
      example: { url: { book: '11', name: 'board' }, json: { add: ['+46 70 174 06 98'] } },
      errors: ['invalid_number'],
    },
    remove: {
      description: 'Removes a group; its members stay in the address book. Requires the role companyAdmin.',
      example: { url: { book: '11', name: 'board' } },
    },
  });
  return [api.list(), readEndpoint(administering), api.create(), api.change(), api.remove()] as const;
}

const name = ruled(text({ get: 'name', required: true, description: 'Name of the group.' }), objectName);

/** The group's members are returned in pages. */
function readEndpoint({ store }: Context) {
  return endpoint({
    path: `${path}/{name}`,
    methods: ['GET'],
    group,
    operation: 'getGroup',
    title: 'Read a group',
    description: 'Lists the members of a group in order: contacts and plain numbers.',
    example: { url: { book: '11', name: 'board' } },
    credentials: anyMethod,
    parameters: { book, name, ...pageParameters },
    answer: Type.Object({
      name: Type.String(),
      managed: Type.Boolean({
        description: 'Whether a provisioning file manages the group; only the file can then change it.',
      }),
      members: Type.Array(
        Type.Object({
          member: Type.String({ description: 'The value for `remove`.' }),
          name: Type.Optional(Type.String()),
          phone: Type.Optional(Type.String({ description: 'Absent if the member can’t be sent to.' })),
          contact: Type.Optional(
            Type.String({ description: 'Id of the contact; absent for a plain number.' }),
          ),
        }),
      ),
      next: nextOf('members'),
    }),
    errors: ['not_found'],
    async handle(caller, { book, name = '', after, limit }) {
      const { id: bookId } = await visibleBook(store, caller, book);
      const page = { bookId, name, after: after?.id ?? -1, limit: limit + 1 };
      const found = await store.read(readGroup, page);
      if (found === undefined) throw new ServiceError('not_found', groups.missing(name));
      const { items, next } = pageOf(found.members, limit, ({ place }) => String(place));
      return { name, managed: found.managed, members: items.map(shownMember), next };
    },
  });
}

function shownMember({ person: { rowId, name, phone }, isNumber }: Member) {
  return {
    member: isNumber || rowId === null ? (phone ?? '') : `contact ${rowId}`,
    name: name === '' ? undefined : name,
    phone: phone ?? undefined,
    contact: rowId === null ? undefined : String(rowId),
  };
}
