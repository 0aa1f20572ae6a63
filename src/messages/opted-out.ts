/**
 * Which messages may not be sent because their recipients have opted out. Messages are checked when they are accepted, and
 * once more in the transaction that claims them: whatever waited meanwhile goes to nobody who has opted out since.
 */

import type { Caller } from '../accounts/caller.ts';
import { optOutsOfAll } from '../accounts/company-records.ts';
import { storedReason } from '../foundation/sentences.ts';
import { findOptedOut, type OptOutCategory, optedOutAmong } from '../opt-outs/opt-out.ts';
import type { PersonSecret } from '../opt-outs/person-digest.ts';
import { literal, rowSet, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';
import {
  type Category,
  categoryCode,
  isBarred,
  type OptOutPolicy,
  standardCategory,
} from '../wire/category.ts';
import { stage, status } from './message.ts';
import { endsAs } from './status-change.ts';

/** What a company does about people who have opted out. A company that does nothing has no rule. */
export interface OptOutRule {
  readonly policy: Exclude<OptOutPolicy, 'off'>;
  readonly secret: PersonSecret;
}

export interface Asked {
  readonly companyId: number;
  readonly phone: string;
  /** The code of the message's category; null for the standard one. */
  readonly category: number | null;
  readonly rule: OptOutRule;
}

/** Those that must not be sent. One statement answers for all, and none is made if nobody is asked for. */
export async function barredAmong<Message extends Asked>(
  reading: Reading,
  asked: readonly Message[],
): Promise<readonly Message[]> {
  const [first] = asked;
  if (first === undefined) return [];
  const optedOut = await optedOutAmong(reading, asked, first.rule.secret);
  if (optedOut.size === 0) return [];
  return asked.filter(({ companyId, phone, category, rule: { policy } }) =>
    barsAny(policy, optedOut.get(companyId)?.get(phone), category),
  );
}

interface Foreseen {
  readonly phones: readonly string[];
  /** Absent: that of the caller. */
  readonly category: Category | undefined;
  readonly secret: PersonSecret;
}

/** For a dry run: the phones that messages of the caller would not be sent to now. */
export async function findBarred(
  store: Store,
  { companyId, category: own = standardCategory, optOuts: policy = 'off' }: Caller,
  { phones, category = own, secret }: Foreseen,
): Promise<ReadonlySet<string>> {
  if (policy === 'off') return new Set();
  const code = categoryCode(category);
  const optedOut = await store.read(findOptedOut, { companyId, phones, secret });
  return new Set(phones.filter((phone) => barsAny(policy, optedOut.get(phone), code)));
}

function barsAny(
  policy: OptOutPolicy,
  optedOutOf: ReadonlySet<OptOutCategory> | undefined,
  code: number | null,
): boolean {
  return [...(optedOutOf ?? [])].some((one) => isBarred(policy, one, code));
}

export interface OptOutRules {
  /** The policies of all companies that do not ignore opt-outs, by id. */
  readonly policies: ReadonlyMap<number, OptOutPolicy>;
  readonly secret: PersonSecret;
}

/** Tells dispatch which companies honour opt-outs, as far as this node knows. */
export interface KnowsOptOuts {
  /** Absent when none do. */
  readonly optOuts?: () => OptOutRules | undefined;
}

export const listOptOutPolicies = readVerb('messages.listOptOutPolicies', (reading, _: null) =>
  optOutsOfAll(reading),
);

interface InFlight {
  readonly company_id: number;
  readonly id: number;
  readonly recipient: string;
}

/**
 * Ends messages just claimed as REJECTED if their recipients have opted out; returns their ids. The caller refunds them.
 * Nothing is read for companies that ignore opt-outs.
 */
export async function endOptedOut(
  transaction: Transaction,
  claimed: readonly InFlight[],
  rules: OptOutRules | undefined,
  now: number,
): Promise<ReadonlySet<number>> {
  if (rules === undefined) return new Set();
  const { policies, secret } = rules;
  const suspects = await optedOutAmong(
    transaction,
    claimed
      .filter((row) => policies.has(row.company_id))
      .map((row) => ({ companyId: row.company_id, phone: row.recipient })),
    secret,
  );
  if (suspects.size === 0) return new Set();
  const some = claimed.filter((row) => suspects.get(row.company_id)?.has(row.recipient));
  const keys = rowSet(
    'suspect',
    { company_id: 'bigint', id: 'bigint' },
    some.map((row) => [row.company_id, row.id]),
  );
  // Few messages are to people who have opted out, so only theirs are asked for their category.
  const rows = await transaction.all<{ id: number; category: number | null }>(
    sql`SELECT messages.id, messages.category FROM ${keys}
        JOIN messages ON messages.company_id = suspect.company_id AND messages.id = suspect.id`,
  );
  const categories = new Map(rows.map(({ id, category }) => [id, category]));
  const barred = some.filter(({ company_id, id, recipient }) =>
    barsAny(
      policies.get(company_id) ?? 'off',
      suspects.get(company_id)?.get(recipient),
      categories.get(id) ?? null,
    ),
  );
  if (barred.length === 0) return new Set();
  const ended = await transaction.all<{ id: number }>(
    sql`UPDATE messages SET ${endsAs(literal(status.REJECTED), now, storedReason({ sentence: 'has_opted_out' }))}, node_id = NULL
        FROM ${rowSet(
          'barred',
          { company_id: 'bigint', id: 'bigint' },
          barred.map((row) => [row.company_id, row.id]),
        )}
        WHERE messages.company_id = barred.company_id AND messages.id = barred.id
          AND +messages.stage = ${literal(stage.inFlight)}
        RETURNING messages.id`,
  );
  return new Set(ended.map(({ id }) => id));
}
