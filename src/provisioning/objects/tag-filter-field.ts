/** A tag filter in a provisioning file, in string notation. */
import { success } from '../../foundation/result.ts';
import { formatTagFilter, parseTagFilter } from '../../wire/tag-filter.ts';
import { type Read, ruled } from '../../yaml/fields.ts';

export const tagFilter: Read<string> = ruled((written) => {
  const filter = parseTagFilter(written);
  return filter.ok ? success(formatTagFilter(filter.value)) : filter;
});
