/** A tag filter as calls give it, in the notation in which jobs and their types keep it. */
import { type Result, success } from '../../foundation/result.ts';
import { formatTagFilter, parseTagFilter } from '../../wire/tag-filter.ts';

export function tagFilter(written: string): Result<string> {
  const parsed = parseTagFilter(written);
  return parsed.ok ? success(formatTagFilter(parsed.value)) : parsed;
}
