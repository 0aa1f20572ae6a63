/** The parameters that select recipients from the address book, each declared once for all endpoints that use them. */
import Type from 'typebox';
import type { Result } from '../foundation/result.ts';
import type { Faults } from '../http/parameters/faults.ts';
import { textList } from '../http/parameters/lists.ts';
import { declare, type Parameter } from '../http/parameters/parameter.ts';
import { decodeText } from '../http/parameters/url-values.ts';
import {
  maxFilterLength,
  maxFilterParts,
  maxFilterValues,
  maxTagLength,
  parseTagFilter,
  readTagFilter,
  type TagFilter,
} from '../wire/tag-filter.ts';

/** A group may have tens of thousands of members, each of whom is looked up. */
const maxGroups = 100;
/** A filter may be named more than once. */
const maxSavedFilters = 100;

export const selectionParameters = {
  toaddressbookcustomtagfilter: {
    ...writtenFilter(
      'A',
      'Tag filter of recipients in the default address book: `role:nurse|doctor;ward:7` selects those who have the role nurse or doctor and belong to ward 7.',
    ),
    schemaName: 'RecipientTagFilter',
  },
  toaddressbooktagfilterjson: {
    ...jsonFilter('The same filter as JSON. A call takes at most one filter, including saved filters.'),
    schemaName: 'RecipientTagFilterParts',
  },
  toaddressbooksavedtagfilters: textList({
    schemaName: 'SavedTagFilterNames',
    get: 'S',
    maxItems: maxSavedFilters,
    description: 'Name of a saved filter of the default address book; at most one.',
  }),
  toaddressbookgroups: textList({
    schemaName: 'RecipientGroups',
    get: 'G',
    maxItems: maxGroups,
    description: 'Names of groups of the default address book.',
  }),
} as const;

/** In string notation. */
export function writtenFilter(get: string, description: string): Parameter<TagFilter | undefined> {
  const schema = Type.String({ maxLength: maxFilterLength });
  return declare<{ description: string }, TagFilter>(
    { description },
    {
      schema,
      urlNames: [{ name: get, list: false, schema }],
      fromJson(json, field, faults) {
        if (typeof json === 'string') return orFault(parseTagFilter(json), field, faults);
        faults.add(field, 'invalid_type', 'must be a string such as `role:nurse|doctor;ward:7`.');
        return undefined;
      },
      fromUrl(values, faults) {
        const raw = values.get(get) ?? '';
        const written = raw === '' ? undefined : decodeText(raw, get, 'utf-8', faults);
        return written === undefined ? undefined : orFault(parseTagFilter(written), get, faults);
      },
    },
  );
}

/** In JSON notation, which has no form in a URL. An empty list means no filter, as an empty string does. */
export function jsonFilter(description: string): Parameter<TagFilter | undefined> {
  const tag = Type.String({ maxLength: maxTagLength });
  return declare<{ description: string }, TagFilter>(
    { description },
    {
      schema: Type.Array(
        Type.Object(
          { tagtype: tag, tagvalues: Type.Array(tag, { maxItems: maxFilterValues }) },
          { title: 'TagFilterPart', required: ['tagtype', 'tagvalues'] },
        ),
        { maxItems: maxFilterParts },
      ),
      urlNames: [],
      fromJson(json, field, faults) {
        if (Array.isArray(json) && json.length === 0) return undefined;
        return orFault(readTagFilter(json), field, faults);
      },
      fromUrl: () => undefined,
    },
  );
}

function orFault(filter: Result<TagFilter>, field: string, faults: Faults): TagFilter | undefined {
  if (filter.ok) return filter.value;
  faults.addFault(field, filter);
  return undefined;
}
