/** Address books in a provisioning file. They may have many contacts, which are written separately. */
import { isDeepStrictEqual } from 'node:util';
import {
  type BookRecord,
  bookKeyOf,
  changeBooks,
  createBooks,
  readBooks,
  removeBooks,
} from '../../contacts/book-records.ts';
import {
  type ContactChange,
  keyOf,
  ListedContacts,
  type Tag,
  tidyEmail,
  tidyPhone,
  tidyTags,
  tidyText,
} from '../../contacts/contact.ts';
import type { Edit } from '../../foundation/edit.ts';
import { cleanNumber } from '../../wire/phone-number.ts';
import type { Fault, Place } from '../../yaml/fault.ts';
import {
  flag,
  list,
  map,
  needed,
  object,
  optional,
  plainText,
  type Read,
  ruled,
  text,
} from '../../yaml/fields.ts';
import type { Tree } from '../../yaml/tree.ts';
import { givenId, name, remove, tagFilter } from '../objects/fields.ts';
import { type Kind, namedIn } from '../objects/kind.ts';
import { line } from '../objects/line.ts';
import { type Planned, planned } from '../objects/planned.ts';

/** A value that the file sets or removes. */
interface Removable<Value> {
  /** Undefined when the value is to be removed. */
  readonly value: Value | undefined;
  readonly place: Place;
}

/** Contacts, filters and groups that the file does not name stay as they are. */
export interface AddressBookPlan extends Planned {
  readonly company: string;
  readonly name: string;
  readonly id: number | undefined;
  readonly contacts: readonly ContactPlan[];
  /** In string notation, by name. */
  readonly savedTagFilters: ReadonlyMap<string, Removable<string>>;
  /** Members by group name: numbers as digits, and contacts in the form `contact 9001`. */
  readonly groups: ReadonlyMap<string, Removable<readonly string[]>>;
}

interface ContactPlan {
  readonly change: ContactChange;
  readonly place: Place;
}

const phone = ruled((written) => tidyPhone(written));

/** Tag types, each with one value or a list of values. */
const tags: Read<readonly Tag[]> = (tree, faults) => {
  const read = map(tagValues)(tree, faults);
  if (read === undefined) return undefined;
  const all = [...read].flatMap(([type, values]) => values.map((value) => ({ type, value })));
  const tidy = tidyTags(all);
  if (tidy.ok) return tidy.value;
  faults.push({ place: tree.place, sentence: tidy.error });
  return undefined;
};

const tagValue = text();

function tagValues(tree: Tree, faults: Fault[]): readonly string[] | undefined {
  if (tree.kind === 'list' || tree.kind === 'nothing') return list(tagValue)(tree, faults);
  const value = tagValue(tree, faults);
  return value === undefined ? undefined : [value];
}

const contactFields = object({
  id: optional(name, undefined),
  name: optional(ruled(tidyText), ''),
  phone: optional(phone, ''),
  email: optional(ruled(tidyEmail), ''),
  app: optional(ruled(tidyText), ''),
  tags: optional(tags, []),
  remove,
});

const contact: Read<ContactPlan> = (tree, faults) => {
  const faultsBefore = faults.length;
  const read = contactFields(tree, faults);
  if (read === undefined) return undefined;
  const { id, name, phone, email, app, tags, remove, place } = read;
  const change: ContactChange = { externalId: id, name, phone, email, app, tags, remove };
  if (keyOf(change) === undefined && faults.length === faultsBefore) {
    faults.push({ place, sentence: 'needs an "id", a "phone" or an "email", to recognise it by' });
  }
  return { change, place };
};

const savedTagFilter: Read<Removable<string>> = (tree, faults) =>
  removable(tree, faults, (value) => tagFilter(value, faults));

const contactMember = object({ contact: needed(name, '') });

const memberPhone = ruled((written) => cleanNumber(written));

/** A number, or `{ contact: 9001 }`; stored as digits, or as `contact 9001`. */
const member: Read<string> = (tree, faults) => {
  if (tree.kind !== 'map') return memberPhone(tree, faults);
  const read = contactMember(tree, faults);
  return read && `contact ${read.contact}`;
};

const group: Read<Removable<readonly string[]>> = (tree, faults) =>
  removable(tree, faults, (value) => {
    const members = list(member)(value, faults);
    return members && [...new Set(members)];
  });

const removal = object({ remove: needed(flag, false) });

/** The value, or `{ remove: true }`. */
function removable<Value>(
  tree: Tree,
  faults: Fault[],
  read: (tree: Tree) => Value | undefined,
): Removable<Value> | undefined {
  const { place } = tree;
  if (tree.kind === 'map') {
    const removed = removal(tree, faults);
    if (removed?.remove === false)
      faults.push({ place, sentence: 'must have a value, or be { remove: true }' });
    return removed && { value: undefined, place };
  }
  const value = read(tree);
  return value === undefined ? undefined : { value, place };
}

/** Names follow the same rule as in calls: they have no leading or trailing spaces. */
function named<Value>(read: Read<Value>): Read<ReadonlyMap<string, Value>> {
  return (tree, faults) => {
    for (const [key, { place }] of tree.kind === 'map' ? tree.entries : []) {
      const rule = plainText(100)(key);
      if ('wrong' in rule) faults.push({ place, sentence: `the name ${rule.wrong}` });
      else if (key !== key.trim())
        faults.push({ place, sentence: 'the name must not begin or end with a space' });
    }
    return map(read)(tree, faults);
  };
}

const bookFields = planned({
  name: needed(name, ''),
  id: optional(givenId, undefined),
  contacts: optional(list(contact), []),
  savedTagFilters: optional(named(savedTagFilter), new Map()),
  groups: optional(named(group), new Map()),
  remove,
});

const addressBook: Read<Omit<AddressBookPlan, 'company'>> = (tree, faults) => {
  const read = bookFields(tree, faults);
  if (read === undefined) return undefined;
  faults.push(...twins(read.contacts));
  // Each entry is set by its name; the book's other entries are left as they are.
  const entries = (['savedTagFilters', 'groups'] as const).flatMap((field) =>
    [...read[field]].flatMap(([name, { value, place }]) =>
      value === undefined ? [] : [[`${field}.${name}`, place]],
    ),
  );
  return { ...read, fieldPlaces: { ...read.fieldPlaces, ...Object.fromEntries(entries) } };
};

/** Finds entries of one book that mean the same contact. */
function twins(contacts: readonly ContactPlan[]): readonly Fault[] {
  const listed = new ListedContacts<Place>();
  return contacts.flatMap(({ change, place }) => {
    const twin = listed.add(change, place);
    if (twin === undefined) return [];
    const sentence = twin.what.startsWith('id ')
      ? `this id appears twice in the book, first at ${twin.place.path}`
      : `this phone number or e-mail address appears twice in the book, first at ${twin.place.path}; people who share it each need an id`;
    return [{ place, sentence }];
  });
}

export const addressBooks: Kind<AddressBookPlan, BookRecord> = {
  section: 'addressBooks',
  within: 'company',
  noun: 'this address book',
  read: addressBook,
  keyField: 'name',
  keyOf: bookKeyOf,
  ids: { noun: 'address book' },
  load: (reading, scope) =>
    readBooks(reading, {
      companies: namedIn(scope, 'companies').keys,
      ids: namedIn(scope, 'addressBooks').ids,
    }),
  after: (asked, before) => ({
    id: before?.id ?? asked.id,
    name: asked.name,
    company: asked.company,
    savedTagFilters: entriesAfter(asked.savedTagFilters, before?.savedTagFilters),
    groups: entriesAfter(asked.groups, before?.groups),
  }),
  describe: (edits) =>
    edits.map((edit) => {
      const { name, company } = (edit.after ?? edit.before) as BookRecord;
      return line(withCounts(edit), `address book ${name} in ${company}`);
    }),
  create: createBooks,
  change: changeBooks,
  remove: removeBooks,
};

/** Entries that the file does not name stay as they are. */
function entriesAfter<Value>(
  asked: ReadonlyMap<string, Removable<Value>>,
  before: Readonly<Record<string, Value>> = {},
): Readonly<Record<string, Value>> {
  const after = new Map(Object.entries(before));
  for (const [name, { value }] of asked) {
    if (value === undefined) after.delete(name);
    else after.set(name, value);
  }
  return Object.fromEntries(after);
}

/** Lists filters and groups by name. Members are people, so they are counted rather than named. */
function withCounts({ before, after }: Edit<BookRecord>): Edit<object> {
  const names = (field: 'savedTagFilters' | 'groups') => [
    ...new Set([...Object.keys(before?.[field] ?? {}), ...Object.keys(after?.[field] ?? {})]),
  ];
  const groups = names('groups');
  const hasChanged = (name: string) => !isDeepStrictEqual(before?.groups[name], after?.groups[name]);
  const flat = (book: BookRecord | undefined, when: string) =>
    book && {
      id: book.id,
      name: book.name,
      company: book.company,
      ...Object.fromEntries(
        names('savedTagFilters').map((name) => [`filter ${name}`, book.savedTagFilters[name]]),
      ),
      ...Object.fromEntries(
        groups.map((name) => [`group ${name}`, counted(book.groups[name], hasChanged(name) ? when : '')]),
      ),
    };
  return { before: flat(before, ''), after: flat(after, before === undefined ? '' : ' now') };
}

function counted(members: readonly string[] | undefined, when: string): string | undefined {
  if (members === undefined) return undefined;
  return `${members.length} ${members.length === 1 ? 'member' : 'members'}${when}`;
}
