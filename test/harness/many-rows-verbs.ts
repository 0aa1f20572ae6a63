/** Verbs that insert at once as many rows as callers could create one by one, to test the limits on them. */
import { getOrCreateKey, type NewKey } from '../../src/accounts/api-keys.ts';
import { putEntry } from '../../src/email/senders/store.ts';
import { type Sql, sql } from '../../src/storage/sql.ts';
import { singleWriteVerb } from '../../src/storage/verb.ts';

const numbersTo = (last: number, first = 1): Sql => sql`
  WITH RECURSIVE series (i) AS (SELECT CAST(${first} AS INTEGER) UNION ALL SELECT i + 1 FROM series WHERE i < CAST(${last} AS INTEGER))`;

/** Keys named `key 1`, `key 2` and so on, with those ids. */
export const putKeys = singleWriteVerb(
  'test.putKeys',
  async (transaction, { userId, keys }: { readonly userId: number; readonly keys: number }) => {
    await transaction.run(sql`
      INSERT INTO api_keys (id, user_id, name, generation, created_at) ${numbersTo(keys)}
      SELECT i, CAST(${userId} AS BIGINT), 'key ' || i, 1, 1 FROM series`);
  },
);

interface Listed {
  readonly companyId: number;
  readonly payingUserId: number;
  readonly entries: number;
}

/** Entries for the addresses `1@many.shared.example`, `2@many.shared.example`, and so on. */
export const putEntries = singleWriteVerb(
  'test.putEntries',
  async (transaction, { companyId, payingUserId, entries }: Listed) => {
    // Inserts in sets, since a statement's time is limited, even on a slow machine.
    for (let first = 1; first <= entries; first += 1_000)
      await transaction.run(sql`
      INSERT INTO email_senders (email, company_id, paying_user_id, blocked, sender, cost_center,
        default_country_code, max_sms, check_mobile, include_subject, only_non_delivery, orig_msg, split_callback,
        sender_logic) ${numbersTo(Math.min(entries, first + 999), first)}
      SELECT i || '@many.shared.example', CAST(${companyId} AS BIGINT), CAST(${payingUserId} AS BIGINT), 0, '', '', '',
        255, 0, 0, 0, 0, 0, 0 FROM series`);
  },
);

interface Sent {
  readonly companyId: number;
  readonly userId: number;
  readonly month: string;
  readonly centres: number;
}

/** For cost centre n, n messages of one part each. */
export const putUsage = singleWriteVerb(
  'test.putUsage',
  async (transaction, { companyId, userId, month, centres }: Sent) => {
    await transaction.run(sql`
      INSERT INTO usage_counts (company_id, user_id, cost_center, month, messages, parts) ${numbersTo(centres)}
      SELECT CAST(${companyId} AS BIGINT), CAST(${userId} AS BIGINT), 'centre ' || i, CAST(${month} AS TEXT), i, i
      FROM series`);
  },
);

/** Creates keys for several callers in one transaction. */
export const askForKeys = singleWriteVerb('test.askForKeys', (transaction, keys: readonly NewKey[]) =>
  getOrCreateKey.run(transaction, keys),
);

export const setEntries = singleWriteVerb(
  'test.setEntries',
  (transaction, entries: Parameters<typeof putEntry.run>[1]) => putEntry.run(transaction, entries),
);
