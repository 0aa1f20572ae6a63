/**
 * A near miss: an SMS that may mean an opt-out but is none by the rule of words. Nothing happens by itself; an administrator
 * decides.
 */
import { type ActingUser, byUser, recordAct } from '../audit/audit-log.ts';
import type { AgedRows } from '../storage/retention.ts';
import { amongUnlocked, forUpdate, oneOf, sql } from '../storage/sql.ts';
import { bigint, flag, type Kept, nullable, StoredRecord, text } from '../storage/stored-record.ts';
import { readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { formsOf } from '../wire/phone-number.ts';
import { boundedProof, keepOptOuts } from './opt-out.ts';
import type { PersonSecret } from './person-digest.ts';

const storedNearMiss = new StoredRecord({
  companyId: bigint,
  incomingId: bigint,
  phone: text,
  /** The number of ours that the SMS came to. */
  number: text,
  text,
  at: bigint,
  /** Null while nobody has decided. */
  settledAt: nullable(bigint),
  settledBy: nullable(text),
  optsOut: nullable(flag),
});

export type NearMiss = Kept<typeof storedNearMiss>;

/** Keeps an incoming SMS for somebody to decide. One that is there already stays as it is. */
export async function keepNearMiss(
  transaction: Transaction,
  { text, ...nearMiss }: Pick<NearMiss, 'companyId' | 'incomingId' | 'phone' | 'number' | 'text' | 'at'>,
): Promise<void> {
  const open = { settledAt: null, settledBy: null, optsOut: null };
  const row = storedNearMiss.row({ ...nearMiss, ...open, text: boundedProof(text) });
  await transaction.insert(
    'opt_out_near_misses',
    storedNearMiss.columns,
    [row],
    'ON CONFLICT (company_id, incoming_id) DO NOTHING',
  );
}

export interface NearMissPage {
  readonly companyId: number;
  /** The last of the previous page; null for the first page. */
  readonly behind: { readonly at: number; readonly id: number } | null;
  readonly limit: number;
}

/** What nobody has decided yet, latest first. */
export const listNearMisses = readVerb(
  'optOuts.listNearMisses',
  async (reading, { companyId, behind, limit }: NearMissPage): Promise<readonly NearMiss[]> => {
    const { at, id } = behind ?? { at: Number.MAX_SAFE_INTEGER, id: 0 };
    return storedNearMiss.all(reading)`FROM (
        SELECT * FROM opt_out_near_misses
        WHERE settled_at IS NULL AND (company_id, at, incoming_id) < (${companyId}, ${at}, ${id})
        ORDER BY company_id DESC, at DESC, incoming_id DESC LIMIT ${limit}
      ) AS reached WHERE company_id = ${companyId} ORDER BY at DESC, incoming_id DESC`;
  },
);

/** Those of one number, decided or not, latest first. */
export const readNearMissesOfNumber = readVerb(
  'optOuts.readNearMissesOfNumber',
  async (
    reading,
    of: { readonly companyId: number; readonly phone: string; readonly limit: number },
  ): Promise<readonly NearMiss[]> =>
    storedNearMiss.all(reading)`
      FROM opt_out_near_misses
      WHERE company_id = ${of.companyId} AND phone ${oneOf('text', formsOf(of.phone))}
      ORDER BY at DESC, incoming_id DESC LIMIT ${of.limit}`,
);

export interface Settling {
  readonly companyId: number;
  readonly incomingId: number;
  readonly optsOut: boolean;
  readonly by: ActingUser;
  readonly now: number;
  readonly secret: PersonSecret;
}

/** The first decision counts: a second one is answered with the first. Returns null if there is no such near miss. */
export const settleNearMiss = refusable(
  singleWriteVerb(
    'optOuts.settleNearMiss',
    async (transaction, settling: Settling): Promise<NearMiss | null> => {
      const { companyId, incomingId, optsOut, by, now, secret } = settling;
      const found = await storedNearMiss.first(transaction)`
      FROM opt_out_near_misses WHERE company_id = ${companyId} AND incoming_id = ${incomingId} ${forUpdate}`;
      if (found === undefined || found.settledAt !== null) return found ?? null;
      const { phone, number, text: proof, at: since } = found;
      await transaction.run(
        sql`UPDATE opt_out_near_misses SET settled_at = ${now}, settled_by = ${by.username}, opts_out = ${Number(optsOut)}
          WHERE company_id = ${companyId} AND incoming_id = ${incomingId}`,
      );
      if (optsOut) {
        const optOut = { phone, category: 'all', since, source: 'sms', proof, incomingId, number } as const;
        await keepOptOuts(transaction, companyId, [{ ...optOut, addedBy: by.username }], secret);
      }
      const details = { sentence: optsOut ? 'does_opt_out' : 'does_not_opt_out' } as const;
      const act = 'optout.settle';
      await recordAct(transaction, { companyId, at: now, by: byUser(by), act, object: phone, details });
      return { ...found, settledAt: now, settledBy: by.username, optsOut };
    },
  ),
);

/** Removes those of an erased person until a time, a set at a time. Returns how many it removed. */
export async function eraseNearMisses(
  transaction: Transaction,
  {
    companyId,
    number,
    until,
  }: { readonly companyId: number; readonly number: string; readonly until: number },
  limit: number,
): Promise<number> {
  const theirs = sql`opt_out_near_misses
    WHERE company_id = ${companyId} AND phone ${oneOf('text', formsOf(number))} AND at <= ${until} LIMIT ${limit}`;
  return transaction.run(
    sql`DELETE FROM opt_out_near_misses WHERE ${amongUnlocked('company_id, incoming_id', theirs)}`,
  );
}

export const agedNearMisses: AgedRows = {
  table: 'opt_out_near_misses',
  key: 'company_id, incoming_id',
  time: 'at',
};
