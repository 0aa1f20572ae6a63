/** Writes edits in the order that links between the objects ask for, and tells the nodes what they no longer may believe. */

import { lockLeaving } from '../accounts/company-records.ts';
import { forgetSetKeys } from '../accounts/set-keys.ts';
import { lockEmailSenders } from '../email/senders/entry-records.ts';
import { changed, created, type Edit, removed } from '../foundation/edit.ts';
import { raiseNews } from '../storage/news.ts';
import type { Transaction } from '../storage/verb.ts';
import { type Edits, kinds, ofKind } from './kind-list.ts';
import { namedIn, type Scope } from './objects/kind.ts';

/** What others could change while a file is checked and applied. SQLite has one writer. */
export async function lockForCheck(transaction: Transaction, scope: Scope): Promise<void> {
  const leaving = {
    usernames: namedIn(scope, 'users').removed,
    companies: namedIn(scope, 'companies').removed,
  };
  await lockLeaving(transaction, leaving);
  const { keys: emails } = namedIn(scope, 'emailSenders');
  if (emails.length + leaving.usernames.length + leaving.companies.length > 0)
    await lockEmailSenders(transaction);
}

/**
 * New objects come after those that they refer to. All else goes the other way: who refers to an object lets go of it
 * before it leaves, and users are changed before companies, as everywhere, so that no two transactions deadlock.
 */
export async function writeEdits(transaction: Transaction, edits: Edits): Promise<void> {
  const kept = kinds.map((kind) => ({ kind, edits: ofKind<Edit<object>>(edits, kind) }));
  const edited = kept.filter((one) => one.edits.length > 0);
  for (const { kind, edits } of edited) {
    const fresh = created(edits);
    if (fresh.length > 0) await kind.create(transaction, fresh);
  }
  for (const { kind, edits } of [...edited].reverse()) {
    const changes = changed(edits);
    if (changes.length > 0) {
      await kind.change(
        transaction,
        changes.map(({ after }) => after),
        changes.map(({ before }) => before),
      );
    }
    const gone = removed(edits);
    if (gone.length === 0) continue;
    await kind.remove(transaction, gone);
    await forgetSetKeys(
      transaction,
      gone.map((item) => ({ kind: kind.section, object: kind.keyOf(item) })),
    );
  }
  for (const topic of new Set(edited.flatMap(({ kind }) => kind.news ?? [])))
    await raiseNews(transaction, topic);
}
