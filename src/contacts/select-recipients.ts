/** Finds the phone numbers that filters and groups select in a user's default address book (API: /send, rule 4). */

import { errorOfFields, type ServiceError } from '../foundation/errors.ts';
import { fault } from '../foundation/result.ts';
import type { ReadOptions, Store } from '../storage/store.ts';
import { type ReadOwner, theCaller } from '../storage/verb.ts';
import type { TagFilter } from '../wire/tag-filter.ts';
import { type BookQuery, findNames, type UnknownNames, unknownNameFault } from './address-book.ts';
import { meeting } from './filter-pages.ts';

/** The call's parameters that select from the address book. */
export interface SelectionInput {
  readonly toaddressbookcustomtagfilter: TagFilter | undefined;
  readonly toaddressbooktagfilterjson: TagFilter | undefined;
  readonly toaddressbooksavedtagfilters: readonly string[] | undefined;
  readonly toaddressbookgroups: readonly string[] | undefined;
}

type FilterField = Exclude<keyof SelectionInput, 'toaddressbookgroups'>;

/** A selection after parsing. */
export interface Selection {
  /** Where the filter was given, in either notation; undefined when there is none. */
  readonly filterField: FilterField | undefined;
  readonly filter: TagFilter | undefined;
  readonly savedFilters: readonly string[];
  readonly groups: readonly string[];
}

/** Undefined when the call selects nothing from the address book. Throws when it has more than one filter. */
export function selectionOf(input: SelectionInput): Selection | undefined {
  const { toaddressbookcustomtagfilter: written, toaddressbooktagfilterjson: json } = input;
  const savedFilters = unique(input.toaddressbooksavedtagfilters);
  const groups = unique(input.toaddressbookgroups);
  const given = filterFields.filter((field) => (input[field]?.length ?? 0) > 0);
  const [filterField] = given;
  if (filterField === undefined && groups.length === 0) return undefined;
  const filters = (written === undefined ? 0 : 1) + (json === undefined ? 0 : 1) + savedFilters.length;
  if (filters > 1) {
    throw errorOfFields(fault('conflicting_parameters', { sentence: 'filters_given', filters }), ...given);
  }
  return { filterField, filter: written ?? json, savedFilters, groups };
}

function unique(names: readonly string[] | undefined): readonly string[] {
  return names === undefined ? [] : [...new Set(names)];
}

const filterFields: readonly FilterField[] = [
  'toaddressbookcustomtagfilter',
  'toaddressbooktagfilterjson',
  'toaddressbooksavedtagfilters',
];
const groupsField = 'toaddressbookgroups';

export interface SelectedRecipients {
  /** The fields under which faults of the recipients are reported; filters come before groups. */
  readonly sources: readonly { readonly field: string; readonly numbers: readonly string[] }[];
  /** Contacts skipped because they have no phone number; counted only when no one was selected. */
  readonly withoutPhone: number;
}

/** Returns at most `limit` numbers from the filters, and as many others from the groups, without duplicates. */
export async function selectRecipients(
  store: Store,
  caller: ReadOwner,
  selection: Selection,
  { limit, signal }: ReadOptions & { readonly limit: number },
): Promise<SelectedRecipients> {
  const { filterField } = selection;
  const selected = await selectNumbers(store, { ...theCaller(caller), ...selection, limit }, { signal });
  if (selected.kind !== 'selected') throw refusalOf(selected, filterField);
  return {
    sources: [
      { field: filterField ?? groupsField, numbers: selected.byFilters },
      { field: groupsField, numbers: selected.byGroups },
    ],
    withoutPhone: selected.withoutPhone,
  };
}

export interface SelectionQuery extends ReadOwner {
  readonly filter: TagFilter | undefined;
  /** Names of saved filters, whose selections are united. */
  readonly savedFilters: readonly string[];
  readonly groups: readonly string[];
  /** The maximum number of phone numbers returned per filter, and for the groups together. */
  readonly limit: number;
}

type Selected =
  | {
      readonly kind: 'selected';
      /** Phone numbers without duplicates, in the order of the contacts' ids. */
      readonly byFilters: readonly string[];
      /** The other numbers without duplicates, in the order of the groups and of their members. */
      readonly byGroups: readonly string[];
      /** Selected contacts without a phone number; counted only when no one else was selected. */
      readonly withoutPhone: number;
    }
  | UnknownNames;

/** The numbers that filters and groups select in the user's default book. */
export async function selectNumbers(
  store: Store,
  { companyId, userId, filter, savedFilters, groups, limit }: SelectionQuery,
  options?: ReadOptions,
): Promise<Selected> {
  const owner = { companyId, userId };
  const named = await store.read(findNames, { ...owner, savedFilters, groups, limit }, options);
  if (named.kind !== 'known') return named;
  const { bookId, members } = named;
  let { withoutPhone } = named;
  const byFilters = new Set<string>();
  for (const one of [...(filter === undefined ? [] : [filter]), ...named.savedFilters]) {
    const found = await numbersMeeting(store, { bookId, owner, filter: one }, limit, options);
    for (const number of found.numbers) byFilters.add(number);
    if (found.numbers.size === 0) withoutPhone += found.withoutPhone;
  }
  const byGroups = members.filter((number) => !byFilters.has(number));
  return { kind: 'selected', byFilters: [...byFilters], byGroups, withoutPhone };
}

/** People who share a phone count as one recipient. */
async function numbersMeeting(
  store: Store,
  wanted: BookQuery & { readonly filter: TagFilter },
  limit: number,
  options: ReadOptions | undefined,
) {
  const numbers = new Set<string>();
  let withoutPhone = 0;
  for await (const met of meeting(store, wanted, options)) {
    for (const { phone } of met) {
      if (phone === null) withoutPhone += 1;
      else if (numbers.size < limit) numbers.add(phone);
    }
    if (numbers.size === limit) break;
  }
  return { numbers, withoutPhone };
}

function refusalOf(selected: UnknownNames, filterField: FilterField | undefined): ServiceError {
  if (selected.kind === 'noDefaultBook') {
    const error =
      'The account has no default address book to find recipients in. Ask the operator to set one in the provisioning file.';
    return errorOfFields({ code: 'no_address_book', error }, filterField ?? groupsField);
  }
  const field = selected.what === 'filter' ? 'toaddressbooksavedtagfilters' : groupsField;
  return errorOfFields(unknownNameFault(selected), field);
}
