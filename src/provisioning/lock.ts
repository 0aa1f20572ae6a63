/** Locks on PostgreSQL what others could change while a file is checked and applied. SQLite has one writer. */
import { oneOf, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';

/**
 * Two nodes that apply a file at once would both find an object missing and both create it: the second waits until the
 * first has committed (any number that nothing else locks).
 */
export async function lockOutOtherFiles(transaction: Transaction): Promise<void> {
  if (transaction.dialect === 'sqlite') return;
  await transaction.all(sql`SELECT pg_advisory_xact_lock(7166014333)`);
}

interface LockedScope {
  readonly removedUsers: readonly string[];
  readonly removedCompanies: readonly string[];
  readonly emails: readonly string[];
}

/**
 * What refers to a user or company that goes is committed before the check, and seen by it; what comes later finds it
 * gone. Nobody sets or unsets an e-mail sender from the check on: one that is paid for by a user who goes would go too,
 * without a word, and its domain's entry decide in its place. Users come first, as in `lockAccounts` of e-mail senders.
 */
export async function lockForCheck(transaction: Transaction, scope: LockedScope): Promise<void> {
  if (transaction.dialect === 'sqlite') return;
  const { removedUsers, removedCompanies, emails } = scope;
  const removes = removedUsers.length + removedCompanies.length > 0;
  if (removes) {
    const companies = sql`SELECT id FROM companies WHERE name ${oneOf('text', removedCompanies)}`;
    await transaction.all(
      sql`SELECT id FROM users WHERE username ${oneOf('text', removedUsers)} OR company_id IN (${companies})
          ORDER BY id FOR UPDATE`,
    );
    await transaction.all(sql`${companies} ORDER BY id FOR UPDATE`);
  }
  // Readers do not wait for it: mail finds its entry all the while.
  if (removes || emails.length > 0)
    await transaction.all(sql`LOCK TABLE email_senders IN SHARE ROW EXCLUSIVE MODE`);
}
