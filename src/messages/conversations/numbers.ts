/**
 * Lists the numbers that phones can write to, as a company sees them (its users' numbers, its own pool and the shared pool),
 * and the incoming SMS to them that belong to nobody.
 */

import { findAccount, isActive } from '../../accounts/account.ts';
import { managedFault, readSetKeys } from '../../accounts/set-keys.ts';
import { type Actor, recordAct } from '../../audit/audit-log.ts';
import { type IfMatch, isMatch } from '../../foundation/if-match.ts';
import { fault, quoted } from '../../foundation/result.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import type { Cursor } from '../../http/parameters/page.ts';
import type { PersonSecret } from '../../opt-outs/person-digest.ts';
import { type Refused, refusal } from '../../resources/declaration.ts';
import { digestOf } from '../../resources/resource.ts';
import { rentTo } from '../../routing/number-records.ts';
import { raiseNews } from '../../storage/news.ts';
import { forUpdate, type Sql, sql } from '../../storage/sql.ts';
import { type Reading, readVerb, refusable, singleWriteVerb } from '../../storage/verb.ts';
import { noteReceived } from '../conversation-rows.ts';
import { heed, heedable } from '../incoming/opt-out-words.ts';
import { keepFor } from '../incoming/store.ts';
import { storedUnrouted, type UnroutedIncoming } from '../operator/inspect.ts';

interface NumberQuery {
  readonly companyId: number;
  /** The last number of the previous page; empty for the first page. */
  readonly after: string;
  readonly limit: number;
  readonly now: number;
}

export interface SeenNumber {
  readonly number: string;
  /** The user who rents it. */
  readonly username: string | null;
  readonly pool: number;
  /** Null when the pool is shared by all companies. */
  readonly companyId: number | null;
  /** The name of that company or of the renter's. */
  readonly company: string | null;
  /** For a number of the pool: how many of its latest leases hold. */
  readonly conversations: number;
  /** Null if it was not used lately. */
  readonly lastUsed: number | null;
}

export interface ListedNumber extends SeenNumber {
  /** Whether a provisioning file says who rents it. */
  readonly managed: boolean;
}

export const numberUses = ['rented', 'pool', 'none'] as const;
export type NumberUse = (typeof numberUses)[number];

export function useOf({ pool, username }: Pick<SeenNumber, 'pool' | 'username'>): NumberUse {
  if (pool === 1) return 'pool';
  return username === null ? 'none' : 'rented';
}

/** Changes whenever the number gets another renter. */
export function versionOf({ username }: Pick<ListedNumber, 'username'>): string {
  return digestOf({ username });
}

/** The conversations of a number are counted up to this many. */
export const maxCounted = 50;
/** The last use of a number is looked for among this many uses of it, or conversations of its user. */
export const lately = 20;
/** A page examines this many rows, including rows of other companies, so it may be short. */
const looked = 500;

export interface NumberPage<Listed> {
  readonly numbers: readonly Listed[];
  /** The cursor of the next page; null when there is no more. */
  readonly next: string | null;
}

export const listNumbersOfCompany = readVerb(
  'messages.listNumbersOfCompany',
  async (reading, { companyId, ...query }: NumberQuery): Promise<NumberPage<ListedNumber>> => {
    const { numbers, next } = await readNumbers(reading, query, {
      which: sql`seen.company_id = ${companyId}
            OR (SELECT users.company_id FROM users WHERE users.id = seen.rented_by) = ${companyId}
            OR (pool = 1 AND seen.company_id IS NULL)`,
      leases: sql`latest.company_id = ${companyId}`,
    });
    const managed = await managedRents(
      reading,
      numbers.map(({ number }) => number),
    );
    return { numbers: numbers.map((one) => ({ ...one, managed: managed.has(one.number) })), next };
  },
);

interface AnyNumberQuery extends Omit<NumberQuery, 'companyId'> {
  /** The first digits of the numbers. */
  readonly begins: string;
  readonly use: NumberUse | undefined;
  /** The name of the company that has the numbers. */
  readonly company: string | undefined;
}

/** The numbers of all companies, as the operator sees them. */
export const listNumbersOfAll = readVerb(
  'messages.listNumbersOfAll',
  async (reading, { use, company, begins, ...query }: AnyNumberQuery): Promise<NumberPage<SeenNumber>> => {
    const uses = {
      rented: sql`pool = 0 AND seen.rented_by IS NOT NULL`,
      pool: sql`pool = 1`,
      none: sql`pool = 0 AND seen.rented_by IS NULL`,
    };
    const ofCompany = sql`COALESCE(seen.company_id, (SELECT users.company_id FROM users WHERE users.id = seen.rented_by))
      = (SELECT id FROM companies WHERE name = ${company ?? ''})`;
    return readNumbers(
      reading,
      { ...query, begins },
      {
        which: sql`${use === undefined ? sql`1 = 1` : uses[use]} AND ${company === undefined ? sql`1 = 1` : ofCompany}`,
        leases: sql`1 = 1`,
      },
    );
  },
);

/** `which` says which of the numbers, `seen`; `leases`, which of their leases count, `latest`. */
async function readNumbers(
  reading: Reading,
  { after, begins = '', limit, now }: Omit<NumberQuery, 'companyId'> & { readonly begins?: string },
  { which, leases }: { readonly which: Sql; readonly leases: Sql },
): Promise<NumberPage<SeenNumber>> {
  // The end of the range is tested outside, because PostgreSQL would read a range without statistics as a whole.
  const [from, end] = [
    after < begins ? sql`number >= ${begins}` : sql`number > ${after}`,
    begins.padEnd(20, '9'),
  ];
  const seen = sql`(SELECT number, rented_by, pool, company_id FROM numbers WHERE ${from}
        ORDER BY number LIMIT ${looked}) AS seen`;
  const latest = (limit: number) => sql`(
               SELECT leases.company_id, leases.starts_at, leases.ends_at FROM number_leases AS leases
               WHERE leases.number = seen.number ORDER BY leases.turn DESC LIMIT ${limit}) AS latest`;
  const found = await reading.all<SeenNumber>(
    sql`SELECT seen.number, (SELECT username FROM users WHERE users.id = seen.rented_by) AS username, pool, seen.company_id AS "companyId",
            (SELECT name FROM companies WHERE companies.id = COALESCE(seen.company_id,
               (SELECT users.company_id FROM users WHERE users.id = seen.rented_by))) AS company,
            (SELECT COUNT(*) FROM ${latest(maxCounted)}
             WHERE ${leases} AND latest.ends_at > ${now}) AS conversations,
            CASE WHEN pool = 1
              THEN (SELECT MAX(latest.starts_at) FROM ${latest(lately)}
                    WHERE ${leases} AND latest.starts_at <= ${now})
              ELSE (SELECT MAX(own.last_at) FROM (
                      SELECT number, last_at FROM conversations
                      WHERE user_id = seen.rented_by AND archived = 0
                      ORDER BY last_at DESC, id DESC LIMIT ${lately}) AS own
                    WHERE own.number = seen.number)
            END AS "lastUsed"
          FROM ${seen}
          WHERE (${which}) AND seen.number <= ${end}
          ORDER BY seen.number LIMIT ${limit + 1}`,
  );
  if (found.length > limit) return { numbers: found.slice(0, limit), next: found[limit - 1]?.number ?? null };
  const last = await reading.first<{ count: number; number: string | null }>(
    sql`SELECT COUNT(*) AS count, MAX(number) AS number FROM ${seen}`,
  );
  const isMore = last?.count === looked && last.number !== null && last.number < end;
  return { numbers: found, next: isMore ? last.number : null };
}

/** The numbers of which a provisioning file says who rents them. */
async function managedRents(reading: Reading, numbers: readonly string[]): Promise<ReadonlySet<string>> {
  const setKeys = await readSetKeys(reading, 'numbers', numbers);
  return new Set(setKeys.filter(({ keys }) => keys.includes('rentedBy')).map(({ object }) => object));
}

export interface NumberToGive {
  readonly companyId: number;
  readonly number: string;
  /** The user of the company who is to rent it. */
  readonly username: string;
  readonly ifMatch: IfMatch;
  readonly by: Actor;
  readonly now: number;
}

/** Incoming SMS to the number belong to the new renter from now on; conversations that exist stay where they are. */
export const giveNumber = refusable(
  singleWriteVerb(
    'messages.giveNumber',
    async (transaction, order: NumberToGive): Promise<{ readonly username: string } | Refused> => {
      const { companyId, number, username, by, now } = order;
      const account = await findAccount(transaction, { username }, { isKept: true });
      const rented = await transaction.first<{ rented_by: number | null }>(
        sql`SELECT rented_by FROM numbers WHERE number = ${number} AND pool = 0 ${forUpdate}`,
      );
      const renter =
        rented?.rented_by == null ? undefined : await findAccount(transaction, { id: rented.rented_by });
      if (renter?.company.id !== companyId)
        return refusal('not_found', { sentence: 'no_rented_number', number: quoted(number) });
      const before = renter.user.username;
      if (!isMatch(order.ifMatch, versionOf({ username: before })))
        return refusal('changed_meanwhile', { sentence: 'number_given_away', number, user: before });
      if ((await managedRents(transaction, [number])).has(number))
        return { refused: managedFault({ sentence: 'managed_renter', number }) };
      if (account?.company.id !== companyId)
        return refusedUser('not_found', { sentence: 'unknown_user', user: quoted(username) });
      if (!isActive(account)) return refusedUser('too_late', { sentence: 'user_inactive', user: username });
      if (before === username) return { username };
      await rentTo(transaction, number, account.user.id);
      const details = { sentence: 'from_to', from: before, to: username } as const;
      await recordAct(transaction, { companyId, at: now, by, act: 'number.give', object: number, details });
      await raiseNews(transaction, 'accounts');
      return { username };
    },
  ),
);

function refusedUser(code: 'not_found' | 'too_late', said: Sentence): Refused {
  return { refused: { ...fault(code, said), field: 'user' } };
}

interface UnroutedQuery {
  readonly companyId: number;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

interface UnroutedPage {
  readonly found: readonly UnroutedIncoming[];
  /** The cursor of the next page; null when there is no more. */
  readonly next: { readonly time: number; readonly id: number } | null;
}

/**
 * An SMS is shown to the company that had its number when it arrived. If nobody had it and the service has only one company,
 * the SMS is shown to that company. An SMS for a company that has been removed is shown to nobody.
 */
export const isOfCompany = (companyId: number): Sql =>
  sql`(number_company_id = ${companyId}
    OR (number_company_id IS NULL AND NOT EXISTS (SELECT 1 FROM companies WHERE id <> ${companyId})))`;

export const listUnroutedOfCompany = readVerb(
  'messages.listUnroutedOfCompany',
  async (reading, { companyId, after, limit }: UnroutedQuery): Promise<UnroutedPage> => {
    const { time = Number.MAX_SAFE_INTEGER, id } = after ?? { id: Number.MAX_SAFE_INTEGER };
    const latest = sql`(SELECT id, sender, recipient, text, received_at, number_company_id FROM incoming_messages
        WHERE user_id IS NULL AND (received_at, id) < (${time}, ${id})
        ORDER BY received_at DESC, id DESC LIMIT ${looked}) AS latest`;
    const found = await storedUnrouted.all(reading)`
      FROM ${latest}
      WHERE ${isOfCompany(companyId)} ORDER BY received_at DESC, id DESC LIMIT ${limit + 1}`;
    const last = found[limit - 1];
    if (found.length > limit && last !== undefined)
      return { found: found.slice(0, limit), next: { time: last.receivedAt, id: last.id } };
    const end = await reading.first<{ count: number; time: number | null; id: number | null }>(
      sql`SELECT COUNT(*) AS count, MIN(received_at) AS time,
            (SELECT id FROM ${latest} ORDER BY received_at, id LIMIT 1) AS id FROM ${latest}`,
    );
    const isMore = end !== undefined && end.count === looked && end.time !== null && end.id !== null;
    return { found, next: isMore ? { time: end.time as number, id: end.id as number } : null };
  },
);

interface Assignment {
  /** The company that the SMS and the user belong to; null for the operator, who may give any SMS to any user. */
  readonly companyId: number | null;
  readonly id: number;
  /** The user who is to receive the SMS. */
  readonly username: string;
  readonly by: Actor;
  readonly now: number;
  readonly personSecret: PersonSecret;
}

/**
 * Stores the SMS again for its user, so that everything waiting for SMS is notified. If nobody has heeded it, because its
 * number was of no company or of another, it now opts its sender out where it says so. Other words are late: a START may be
 * older than a STOP.
 */
export const assignUnrouted = refusable(
  singleWriteVerb(
    'messages.assignUnrouted',
    async (
      transaction,
      { companyId, id, username, by, now, personSecret }: Assignment,
    ): Promise<'assigned' | 'notFound' | 'noUser'> => {
      const account = await findAccount(transaction, { username }, { isKept: true });
      const sms = await storedUnrouted.first(transaction)`
        FROM incoming_messages
        WHERE id = ${id} AND user_id IS NULL
          AND ${companyId === null ? sql`1 = 1` : isOfCompany(companyId)} ${forUpdate}`;
      if (sms === undefined) return 'notFound';
      if (account === undefined || account.company.id !== (companyId ?? account.company.id)) return 'noUser';
      const owner = { companyId: account.company.id, userId: account.user.id };
      const was = await transaction.first<{ holder: number | null }>(
        sql`DELETE FROM incoming_messages WHERE id = ${id} RETURNING number_company_id AS holder`,
      );
      const isNew = await keepFor(transaction, sms, { ...owner, conversation: '', messageId: null });
      await recordAct(transaction, {
        companyId: owner.companyId,
        at: now,
        by,
        act: 'incoming.assign',
        object: String(id),
        details: { sentence: 'to_user', user: username },
      });
      const read = { ...sms, personSecret };
      const heeded =
        was?.holder === owner.companyId ? undefined : await heedable(transaction, read, owner.companyId);
      if (heeded === 'stop' || heeded === 'nearMiss') await heed(transaction, heeded, read, owner);
      await noteReceived(transaction, [{ ...sms, ...owner, messageId: null, runId: null, isNew }]);
      return 'assigned';
    },
  ),
);
