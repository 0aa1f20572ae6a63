/** Finds the phone numbers that filters and groups select in a user's default address book (API: /send, rule 4). */
import { ServiceError } from '../foundation/errors.ts';
import { quoted } from '../foundation/result.ts';
import type { Store } from '../storage/store.ts';
import type { TagFilter } from '../wire/tag-filter.ts';
import { type Selected, selectNumbers } from './store.ts';

/** What a call gives of the parameters that select from the address book. */
export interface SelectionInput {
  readonly toaddressbookcustomtagfilter: TagFilter | undefined;
  readonly toaddressbooktagfilterjson: TagFilter | undefined;
  readonly toaddressbooksavedtagfilters: readonly string[] | undefined;
  readonly toaddressbookgroups: readonly string[] | undefined;
}

/** A selection as it was understood: the same in whatever notation it came. */
export interface Selection {
  readonly filter: TagFilter | undefined;
  readonly savedFilters: readonly string[];
  readonly groups: readonly string[];
}

/** Every group is looked up by itself: this many names cost little. */
const maxGroups = 100;

/** Undefined: the call selects nothing from the address book. Throws when it has more than one filter. */
export function selectionOf(input: SelectionInput): Selection | undefined {
  const { toaddressbookcustomtagfilter: written, toaddressbooktagfilterjson: json } = input;
  const savedFilters = [...new Set(input.toaddressbooksavedtagfilters)];
  const groups = [...new Set(input.toaddressbookgroups)];
  const filters = (written === undefined ? 0 : 1) + (json === undefined ? 0 : 1) + savedFilters.length;
  if (filters === 0 && groups.length === 0) return undefined;
  if (filters > 1) {
    throw new ServiceError(
      'conflicting_parameters',
      `The call has ${filters} tag filters; one is the most, be it custom, JSON or saved. Groups may be added to it.`,
    );
  }
  if (groups.length > maxGroups) {
    throw new ServiceError(
      'invalid_value',
      `The call names ${groups.length} groups; ${maxGroups} is the most.`,
    );
  }
  return { filter: written ?? json, savedFilters, groups };
}

export interface SelectedRecipients {
  /** Where faults of its recipients are told; filters before groups. */
  readonly sources: readonly { readonly field: string; readonly numbers: readonly string[] }[];
  /** Contacts passed over because they have no phone number; counted only when nobody was selected. */
  readonly withoutPhone: number;
}

/** At most `limit` numbers by the filter, and as many by each group; one may come several times. */
export async function selectRecipients(
  store: Store,
  userId: number,
  selection: Selection,
  limit: number,
): Promise<SelectedRecipients> {
  const selected = await store.read(selectNumbers, { ...selection, userId, limit });
  if (selected.kind !== 'selected') throw refusal(selected);
  const isSaved = selection.savedFilters.length > 0;
  const filterField = isSaved ? 'toaddressbooksavedtagfilters' : 'toaddressbookcustomtagfilter';
  return {
    sources: [
      { field: filterField, numbers: selected.byFilters },
      { field: 'toaddressbookgroups', numbers: selected.byGroups },
    ],
    withoutPhone: selected.withoutPhone,
  };
}

function refusal(selected: Exclude<Selected, { readonly kind: 'selected' }>): ServiceError {
  if (selected.kind === 'noDefaultBook') {
    return new ServiceError(
      'no_address_book',
      'The account has no default address book to find recipients in. The operator sets it in the provisioning file.',
    );
  }
  const { what, name, known } = selected;
  const noun = what === 'filter' ? 'saved tag filter' : 'group';
  const others = known.length === 0 ? 'it has none' : `it has ${known.map(quoted).join(', ')}`;
  return new ServiceError(
    what === 'filter' ? 'unknown_tag_filter' : 'unknown_group',
    `The default address book has no ${noun} ${quoted(name)}: ${others}.`,
  );
}
