/** Writes a CSV file of all messages that a search finds, one page at a time, and records who exported them. */
import type { Caller } from '../../accounts/caller.ts';
import { visibilityOf } from '../../accounts/visibility.ts';
import { byUser, noteAct } from '../../audit/audit-log.ts';
import type { Language } from '../../foundation/language.ts';
import { statusesInSwedish } from '../../foundation/sentences/words.ts';
import { csvInSlices } from '../../http/answers/sliced-answer.ts';
import type { Input } from '../../http/parameters/parameter.ts';
import type { Context } from '../../storage/context.ts';
import type { CsvRow } from '../../wire/csv.ts';
import { cellIn, headIn, wordIn } from '../../wire/csv-columns.ts';
import { statusNames } from '../message.ts';
import { type filterParameters, type Searched, search } from './search.ts';
import { listedMessage, messageFields } from './shown-message.ts';

/** The fields of a message that lists show, with the time first. */
const columns = [
  'accepted',
  ...Object.keys(messageFields).filter((name) => name !== 'accepted'),
] as readonly (keyof typeof messageFields)[];

const pageLength = 200;

type Filter = Input<typeof filterParameters>;

export async function exportMessages(
  { store, clock }: Context,
  caller: Caller,
  filter: Filter,
  language: Language,
) {
  const { companyId } = visibilityOf(caller);
  const now = clock.now();
  const found = await search(store, caller, filter);
  const page = (after: { readonly time: number; readonly id: number } | undefined) =>
    found.page({ after, limit: pageLength });
  const first = await page(undefined);
  await store.write(noteAct, {
    companyId,
    at: now,
    by: byUser(caller),
    act: 'message.export',
    object: 'messages',
    details: shownFilter(filter, found.searched),
  });
  async function* rows(): AsyncGenerator<readonly CsvRow[]> {
    for (let found = first; ; found = await page(found.next)) {
      yield found.messages.map((message) => {
        const shown = listedMessage(message);
        return columns.map((column) => shownCell(language, column, shown[column]));
      });
      if (found.next === null) return;
    }
  }
  const heads = headIn(
    language,
    columns.map((column) => column.toLowerCase()),
  );
  return csvInSlices(`messages ${new Date(now).toISOString().slice(0, 10)}.csv`, heads, rows());
}

function shownCell(language: Language, column: string, value: string | number | boolean | undefined): string {
  const cell = cellIn(language, value);
  return column === 'status' ? wordIn(language, statusesInSwedish, cell) : cell;
}

/**
 * For the audit log, with parameter names: `status=EXPIRED, since=2026-11-23T00:00:00.000Z`. Words of texts are left out, as
 * texts are.
 */
function shownFilter(
  { status, since, until, q, words, ...others }: Filter,
  searched: Searched | undefined,
): string {
  const isByWords = searched?.as === 'words' || words !== undefined;
  const shown = {
    q: isByWords ? undefined : q,
    words: isByWords ? '…' : undefined,
    ...others,
    status: status?.map((code) => statusNames[code]),
    since: since === undefined ? undefined : new Date(since).toISOString(),
    until: until === undefined ? undefined : new Date(until).toISOString(),
  };
  return Object.entries(shown)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}
