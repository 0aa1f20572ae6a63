/** The endpoints of the management API by which people keep the groups of an address book. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { managedError } from '../../accounts/set-keys.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { quoted } from '../../foundation/result.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { text } from '../../http/parameters/kinds.ts';
import { textList } from '../../http/parameters/lists.ts';
import {
  nextOf,
  pageOf,
  pageParameters,
  textPageParameters,
  writeTextCursor,
} from '../../http/parameters/page.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import { cleanNumber } from '../../wire/phone-number.ts';
import { idOf } from './change-contact.ts';
import { book } from './contact-endpoints.ts';
import { bookName } from './entry-name.ts';
import {
  changeGroup,
  type GroupChange,
  type GroupOutcome,
  listGroups,
  type Member,
  type Members,
  maxMembers,
  readGroup,
  removeGroup,
} from './group-store.ts';
import { type Administering, changeOfBook, visibleBook } from './visible-books.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Address book';
const path = '/api/v1/addressbooks/{book}/groups';

const name = ruled(text({ get: 'name', required: true, description: 'Name of the group.' }), bookName);
const managed = Type.Boolean({ description: 'A provisioning file has set it, and alone changes it.' });
const changed = Type.Object(
  {
    name: Type.String({ description: 'What `toaddressbookgroups` of `/send` takes.' }),
  },
  { title: 'ChangedGroup' },
);

/** More are added by several calls. */
const maxItems = 1_000;
const members = (description: string) =>
  textList({
    maxItems,
    maxLength: 100,
    description: `${description} Each is the id of a contact (\`contact 17\`) or a phone number.`,
  });

/** Ids of contacts stand apart from numbers by their word. */
function membersOf(written: readonly string[] = []): Members {
  return written.map((one) => {
    const id = /^contact (\d{1,16})$/.exec(one)?.[1];
    if (id !== undefined) return idOf(id);
    const number = cleanNumber(one);
    if (!number.ok) throw new ServiceError('invalid_number', number.error);
    return number.value;
  });
}

export function groupEndpoints(administering: Administering) {
  return [...readingEndpoints(administering), ...changingEndpoints(administering)] as const;
}

function readingEndpoints({ store }: Administering) {
  return [
    endpoint({
      path,
      methods: ['GET'],
      group,
      operation: 'listGroups',
      title: 'List groups',
      description: 'Lists the groups of an address book by name.',
      example: { url: { book: '11' } },
      credentials: anyMethod,
      parameters: { book, ...textPageParameters },
      answer: Type.Object({
        groups: Type.Array(Type.Object({ name: Type.String(), managed }, { title: 'ListedGroup' })),
        next: nextOf('groups'),
      }),
      errors: ['not_found'],
      async handle(caller, { book, after, limit }) {
        const { id: bookId } = await visibleBook(store, caller, book);
        const behind = after?.[0] === undefined ? undefined : String(after[0]);
        const rows = await store.read(listGroups, { bookId, after: behind, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, ({ name }) => writeTextCursor([name]));
        return { groups: [...items], next };
      },
    }),
    endpoint({
      path: `${path}/{name}`,
      methods: ['GET'],
      group,
      operation: 'getGroup',
      title: 'Read a group',
      description:
        'Lists the members of a group in their order: contacts, and numbers that stand there as they are.',
      example: { url: { book: '11', name: 'board' } },
      credentials: anyMethod,
      parameters: { book, name, ...pageParameters },
      answer: Type.Object({
        name: Type.String(),
        managed,
        members: Type.Array(
          Type.Object({
            member: Type.String({ description: 'What `remove` takes.' }),
            name: Type.Optional(Type.String()),
            phone: Type.Optional(Type.String({ description: 'Absent: this member cannot be sent to.' })),
            contact: Type.Optional(
              Type.String({ description: 'Id of the contact; absent for a number of nobody’s.' }),
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
        if (found === undefined) throw unknownGroup(name);
        const { items, next } = pageOf(found.members, limit, ({ place }) => String(place));
        return { name, managed: found.managed, members: items.map(shownMember), next };
      },
    }),
  ] as const;
}

function shownMember({ person: { rowId, name, phone }, isNumber }: Member) {
  return {
    member: isNumber || rowId === null ? (phone ?? '') : `contact ${rowId}`,
    name: name === '' ? undefined : name,
    phone: phone ?? undefined,
    contact: rowId === null ? undefined : String(rowId),
  };
}

const changeErrors = ['not_found', 'role_missing', 'taken', 'managed', 'invalid_number'] as const;

function changingEndpoints(administering: Administering) {
  return [
    endpoint({
      path,
      methods: ['POST'],
      group,
      operation: 'createGroup',
      title: 'Make a group',
      description: 'Makes a group, to which can be sent by its name. Administrators do.',
      example: { url: { book: '11' }, json: { name: 'night shift', add: ['contact 1', '+46 70 174 06 99'] } },
      credentials: anyMethod,
      parameters: { book, name, add: members('Its members.') },
      answer: changed,
      errors: changeErrors,
      handle: (caller, { book, name = '', add }) =>
        write(administering, caller, book, {
          name,
          isNew: true,
          rename: undefined,
          add: membersOf(add),
          remove: membersOf(),
        }),
    }),
    endpoint({
      path: `${path}/{name}`,
      methods: ['POST'],
      group,
      operation: 'updateGroup',
      title: 'Change a group',
      description: `Adds members to a group, takes others out, or gives it another name. A group has at most ${maxMembers} members. Administrators do.`,
      example: { url: { book: '11', name: 'board' }, json: { add: ['contact 1'] } },
      credentials: anyMethod,
      parameters: {
        book,
        name,
        rename: ruled(text({ get: 'rename', description: 'Its new name.' }), bookName),
        add: members('Who joins.'),
        remove: members('Who leaves.'),
      },
      answer: changed,
      errors: changeErrors,
      handle: (caller, { book, name = '', rename, add, remove }) =>
        write(administering, caller, book, {
          name,
          isNew: false,
          rename,
          add: membersOf(add),
          remove: membersOf(remove),
        }),
    }),
    endpoint({
      path: `${path}/{name}`,
      methods: ['DELETE'],
      group,
      operation: 'deleteGroup',
      title: 'Remove a group',
      description: 'Removes a group, and none of its members. Administrators do.',
      example: { url: { book: '11', name: 'board' } },
      credentials: anyMethod,
      parameters: { book, name },
      answer: changed,
      errors: ['not_found', 'role_missing', 'managed'],
      async handle(caller, { book, name = '' }) {
        const by = await changeOfBook(administering, caller, book);
        refuseUnlessWritten(await administering.store.write(removeGroup, { ...by, name }), name);
        return { name };
      },
    }),
  ] as const;
}

async function write(
  administering: Administering,
  caller: Caller,
  book: string,
  change: Pick<GroupChange, 'name' | 'isNew' | 'rename' | 'add' | 'remove'>,
) {
  const by = await changeOfBook(administering, caller, book);
  const outcome = await administering.store.write(changeGroup, { ...by, ...change });
  const name = change.rename ?? change.name;
  refuseUnlessWritten(outcome, outcome === 'taken' ? name : change.name);
  return { name };
}

function unknownGroup(name: string): ServiceError {
  return new ServiceError('not_found', `The address book has no group ${quoted(name)}.`);
}

function refuseUnlessWritten(outcome: GroupOutcome, name: string): void {
  const what = `group ${quoted(name)}`;
  switch (outcome) {
    case 'written':
      return;
    case 'notFound':
      throw unknownGroup(name);
    case 'managed':
      throw managedError(`The ${what}`);
    case 'taken':
      throw new ServiceError('taken', `The address book has a ${what} already. Nothing was changed.`);
    case 'unreachable':
      throw new ServiceError(
        'invalid_value',
        'A member needs a phone number or an id of your own, by which the group knows it. Nothing was changed.',
      );
    case 'tooMany':
      throw new ServiceError(
        'invalid_value',
        `A group has at most ${maxMembers} members. Nothing was changed.`,
      );
  }
}
