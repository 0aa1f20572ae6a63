/** The e-mail senders of a company as a CSV file, with the names that calls use, so that a file can be read in again. */
import type { Caller } from '../../accounts/caller.ts';
import { byUser, noteAct } from '../../audit/audit-log.ts';
import type { Language } from '../../foundation/language.ts';
import { csvInSlices } from '../../http/answers/sliced-answer.ts';
import type { Context } from '../../storage/context.ts';
import type { CsvRow } from '../../wire/csv.ts';
import { cellIn, headIn } from '../../wire/csv-columns.ts';
import { requireEmailAdmin } from '../senders/administer-senders.ts';
import { settingNames } from '../senders/sender-entry.ts';
import { emailSenders, type ListedSender } from './listed-sender.ts';

const pageLength = 500;

const columns = ['email', 'blocked', 'payingUser', ...settingNames];

export async function exportSenders(
  { store, clock }: Context,
  caller: Caller,
  among: { readonly q: string | undefined },
  language: Language,
) {
  requireEmailAdmin(caller);
  const { companyId } = caller;
  await store.write(noteAct, {
    companyId,
    at: clock.now(),
    by: byUser(caller),
    act: 'email.sender.export',
    object: 'e-mail senders',
  });
  async function* pages(): AsyncGenerator<readonly CsvRow[]> {
    let after: string | undefined;
    for (;;) {
      const page = await store.read(emailSenders.list, {
        scopeId: companyId,
        among,
        after,
        limit: pageLength,
      });
      yield page.map((row) => csvRow(row, language));
      if (page.length < pageLength) return;
      after = page.at(-1)?.key;
    }
  }
  return csvInSlices('email-senders.csv', headIn(language, columns), pages());
}

function csvRow(row: ListedSender, language: Language): CsvRow {
  const { key, blocked, payingUser } = row;
  const cells = settingNames.map((name) => cellIn(language, row[name]));
  return [key, cellIn(language, blocked), payingUser, ...cells];
}
