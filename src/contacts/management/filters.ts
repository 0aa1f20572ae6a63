/** The saved tag filters of an address book. */
import { Resource } from '../../resources/resource.ts';
import { maxFilterLength, normalTagFilter } from '../../wire/tag-filter.ts';
import { inBook } from './visible-books.ts';

const fields = {
  filter: {
    description: 'A tag filter: `role:nurse|doctor;ward:7` matches nurses and doctors of ward 7.',
    minLength: 1,
    maxLength: maxFilterLength,
    codeOfLength: 'invalid_tag_filter',
    rule: normalTagFilter,
  },
} as const;

export const filters = new Resource<typeof fields, string>({
  noun: 'filter',
  plural: 'filters',
  section: 'savedTagFilters',
  table: 'saved_tag_filters',
  scope: inBook,
  isListedByName: true,
  fields,
  acts: { make: 'filter.save', change: 'filter.save', remove: 'filter.remove' },
});
