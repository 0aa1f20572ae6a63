/** Writes a CSV file of the audit log, one page at a time, and records who exported it. */
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { channelsInSwedish, wordsOfAct } from '../audit/act-words.ts';
import { type AuditFilter, byUser, type FoundEntry, noteAct, searchAudit } from '../audit/audit-log.ts';
import type { Language } from '../foundation/language.ts';
import { inSwedish } from '../foundation/sentences.ts';
import { csvInSlices } from '../http/answers/sliced-answer.ts';
import type { Context } from '../storage/context.ts';
import type { CsvRow } from '../wire/csv.ts';
import { headIn, wordIn } from '../wire/csv-columns.ts';

const columns = ['time', 'username', 'channel', 'act', 'object', 'details'];
const pageLength = 200;

function cellsOf(entry: FoundEntry, language: Language): CsvRow {
  const { at, username, channel, act, object, details, detailsValues } = entry;
  const said = (language === 'sv' && detailsValues && inSwedish(detailsValues)) || details;
  const by = wordIn(language, channelsInSwedish, channel);
  const did = language === 'en' ? act : wordsOfAct(act, language);
  return [new Date(at).toISOString(), username ?? '', by, did, object, said];
}

export async function exportAudit(
  { store, clock }: Context,
  caller: Caller,
  filter: AuditFilter,
  language: Language,
) {
  requireRole(caller, 'companyAdmin');
  const { companyId } = caller;
  const page = (behind: { readonly at: number; readonly id: number } | null) =>
    store.read(searchAudit, { companyId, filter, behind, limit: pageLength });
  // The file does not contain its own export.
  const first = await page(null);
  const now = clock.now();
  await store.write(noteAct, {
    companyId,
    at: now,
    by: byUser(caller),
    act: 'audit.export',
    object: 'audit log',
    details: shownFilter(filter),
  });
  async function* rows(): AsyncGenerator<readonly CsvRow[]> {
    for (let found = first; ; found = await page(found.next)) {
      yield found.rows.map((entry) => cellsOf(entry, language));
      if (found.next === null) return;
    }
  }
  return csvInSlices(
    `audit log ${new Date(now).toISOString().slice(0, 10)}.csv`,
    headIn(language, columns),
    rows(),
  );
}

/** For the audit log, with parameter names: `username=anna, since=2026-11-23T00:00:00.000Z`. */
function shownFilter({ username, acts, object, since, until }: AuditFilter): string {
  const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());
  return Object.entries({ username, object, act: acts?.join(' '), since: iso(since), until: iso(until) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}
