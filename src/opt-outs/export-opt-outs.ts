/** The opt-outs of a company as a CSV file that can be read in again. */
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { byUser, noteAct } from '../audit/audit-log.ts';
import type { Language } from '../foundation/language.ts';
import { categoriesInSwedish, sourcesInSwedish } from '../foundation/sentences/words.ts';
import { csvInSlices } from '../http/answers/sliced-answer.ts';
import type { CsvRow } from '../wire/csv.ts';
import { headIn, wordIn } from '../wire/csv-columns.ts';
import type { OptOutServices } from './import-opt-outs.ts';
import { type FoundOptOuts, type OptOut, type OptOutSearch, searchOptOuts } from './opt-out.ts';

const columns = ['number', 'category', 'since', 'source', 'word', 'proof', 'to', 'addedBy'];
const pageLength = 200;

export type OptOutFilter = Pick<OptOutSearch, 'phone' | 'category' | 'source' | 'since' | 'until'>;

/** Opt-outs of erased people have no number and are left out. */
export async function exportOptOuts(
  { store, clock, secret }: Omit<OptOutServices, 'turns'>,
  caller: Caller,
  filter: OptOutFilter,
  language: Language,
) {
  requireRole(caller, 'companyAdmin');
  const { companyId } = caller;
  const at = clock.now();
  const by = byUser(caller);
  await store.write(noteAct, { companyId, at, by, act: 'optout.export', object: 'opt-outs' });
  async function* rows(): AsyncGenerator<readonly CsvRow[]> {
    for (let behind: FoundOptOuts['next'] = null; ; ) {
      const search = { ...filter, companyId, secret, behind, limit: pageLength };
      const found: FoundOptOuts = await store.read(searchOptOuts, search);
      yield found.rows.filter(({ erased }) => !erased).map((one) => cellsOf(one, language));
      if (found.next === null) return;
      behind = found.next;
    }
  }
  return csvInSlices(
    `opt-outs ${new Date(at).toISOString().slice(0, 10)}.csv`,
    headIn(language, columns),
    rows(),
  );
}

function cellsOf(
  { phone, category, since, source, word, proof, number, addedBy }: OptOut,
  language: Language,
): CsvRow {
  const what = wordIn(language, categoriesInSwedish, category);
  const from = wordIn(language, sourcesInSwedish, source);
  return [phone, what, new Date(since).toISOString(), from, word, proof, number, addedBy ?? ''];
}
