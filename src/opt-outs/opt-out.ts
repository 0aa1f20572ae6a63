/**
 * An opt-out: a person wants no SMS of a category from a company, or none at all. It is known by company, number and
 * category, and keeps the first proof. When its person is erased, the opt-out stays in force, and a digest takes the place of
 * the number.
 */
import { type ActingUser, type AuditEntry, byUser, recordAct, recordActs } from '../audit/audit-log.ts';
import { type IdSequence, leaseBlock } from '../storage/ids.ts';
import { forUpdate, oneOf, raw, rowSet, type Sql, sql } from '../storage/sql.ts';
import {
  bigint,
  enumerated,
  flag,
  type Kept,
  nullable,
  StoredRecord,
  text,
} from '../storage/stored-record.ts';
import { type Reading, readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { categories } from '../wire/category.ts';
import { formsOf } from '../wire/phone-number.ts';
import { type PersonSecret, personDigest } from './person-digest.ts';

/** What an opt-out is of; STOP is of `all`. */
export const optOutCategories = ['all', ...categories] as const;
export type OptOutCategory = (typeof optOutCategories)[number];

/** Where an opt-out comes from: the person's SMS, or an administrator by one of four ways. */
export const optOutSources = ['sms', 'api', 'portal', 'command', 'file'] as const;
export type OptOutSource = (typeof optOutSources)[number];

export const maxProofLength = 2_000;

/** A cut within a surrogate pair would leave invalid Unicode. */
export function boundedProof(text: string): string {
  return text.length > maxProofLength ? text.slice(0, maxProofLength).replace(/[\uD800-\uDBFF]$/, '') : text;
}

const storedOptOut = new StoredRecord({
  companyId: bigint,
  id: bigint,
  /** Digits; the digest of the number when the person is erased. */
  phone: text,
  category: enumerated(optOutCategories),
  since: bigint,
  source: enumerated(optOutSources),
  /** The word that opted out; empty if none did. */
  word: text,
  /** The SMS, or what an administrator wrote down. */
  proof: text,
  incomingId: nullable(bigint),
  /** The number of ours that the SMS came to; empty if there was none. */
  number: text,
  addedBy: nullable(text),
  erased: flag,
});

export type OptOut = Kept<typeof storedOptOut>;

export type GivenOptOut = Pick<OptOut, 'phone' | 'category' | 'since' | 'source'> &
  Partial<Pick<OptOut, 'word' | 'proof' | 'incomingId' | 'number' | 'addedBy'>>;

const optOutIds: IdSequence = { name: 'optOut', first: 1 };

/** A number, and the company that may send to it. */
export interface PhoneOfCompany {
  readonly companyId: number;
  readonly phone: string;
}

interface Hit extends PhoneOfCompany {
  readonly id: number;
  readonly category: OptOutCategory;
}

interface HitRow {
  readonly company_id: number;
  /** Null in the row that says that the company has opt-outs of erased people. */
  readonly id: number | null;
  readonly phone: string;
  readonly category: number;
}

/**
 * The opt-outs of numbers, in each form that networks give them. One statement answers for all; digests are tried only for
 * companies that have opt-outs of erased people, which the least company from there on tells: PostgreSQL would look through
 * the table for any such row of the company. The numbers in the answer are those that were asked for.
 */
async function hitsOf(
  reading: Reading,
  asked: readonly PhoneOfCompany[],
  secret: PersonSecret,
): Promise<readonly Hit[]> {
  if (asked.length === 0) return [];
  const phones = new Map<string, Set<string>>();
  const keys = new Map<string, readonly [number, string]>();
  const note = (companyId: number, key: string, phone: string) => {
    const place = `${companyId} ${key}`;
    phones.set(place, (phones.get(place) ?? new Set<string>()).add(phone));
    keys.set(place, [companyId, key]);
  };
  for (const { companyId, phone } of asked) for (const form of formsOf(phone)) note(companyId, form, phone);
  const ofKeys = (some: readonly (readonly [number, string])[]) =>
    sql`SELECT opt_outs.company_id, opt_outs.id, opt_outs.phone, opt_outs.category
        FROM ${rowSet('asked', { company_id: 'bigint', phone: 'text' }, some)}
        JOIN opt_outs ON opt_outs.company_id = asked.company_id AND opt_outs.phone = asked.phone`;
  const companyIds = [...new Set(asked.map(({ companyId }) => companyId))];
  const rows = await reading.all<HitRow>(
    sql`${ofKeys([...keys.values()])} UNION ALL
        SELECT company_id, CAST(NULL AS BIGINT), '', 0
        FROM ${rowSet(
          'of_company',
          { company_id: 'bigint' },
          companyIds.map((id) => [id]),
        )}
        WHERE of_company.company_id = (SELECT MIN(opt_outs.company_id) FROM opt_outs
          WHERE opt_outs.company_id >= of_company.company_id AND opt_outs.erased = 1)`,
  );
  const hits = (found: readonly HitRow[]) =>
    found.flatMap(({ company_id: companyId, id, phone: key, category }) =>
      id === null
        ? []
        : [...(phones.get(`${companyId} ${key}`) ?? [])].map(
            (phone): Hit => ({ companyId, id, phone, category: optOutCategories[category] ?? 'all' }),
          ),
    );
  const withErased = new Set(rows.flatMap(({ company_id, id }) => (id === null ? company_id : [])));
  const byNumber = hits(rows);
  if (withErased.size === 0) return byNumber;
  keys.clear();
  for (const { companyId, phone } of asked)
    if (withErased.has(companyId))
      for (const form of formsOf(phone)) note(companyId, personDigest(secret, companyId, form), phone);
  return [...byNumber, ...hits(await reading.all<HitRow>(ofKeys([...keys.values()])))];
}

const of = (companyId: number, phones: readonly string[]): readonly PhoneOfCompany[] =>
  phones.map((phone) => ({ companyId, phone }));

/** The categories that people have opted out of, by company and number. */
export type OptedOut = ReadonlyMap<number, ReadonlyMap<string, ReadonlySet<OptOutCategory>>>;

/** Which of the numbers have opted out, and of what. */
export async function optedOutAmong(
  reading: Reading,
  asked: readonly PhoneOfCompany[],
  secret: PersonSecret,
): Promise<OptedOut> {
  const found = new Map<number, Map<string, Set<OptOutCategory>>>();
  for (const { companyId, phone, category } of await hitsOf(reading, asked, secret)) {
    const ofCompany = found.get(companyId) ?? new Map<string, Set<OptOutCategory>>();
    found.set(companyId, ofCompany.set(phone, (ofCompany.get(phone) ?? new Set()).add(category)));
  }
  return found;
}

/** The same for one company. */
export async function optedOut(
  reading: Reading,
  companyId: number,
  phones: readonly string[],
  secret: PersonSecret,
): Promise<ReadonlyMap<string, ReadonlySet<OptOutCategory>>> {
  return (await optedOutAmong(reading, of(companyId, phones), secret)).get(companyId) ?? new Map();
}

export interface OptOutsSought {
  readonly companyId: number;
  readonly phones: readonly string[];
  readonly secret: PersonSecret;
}

/** `optedOut`, for a node. */
export const findOptedOut = readVerb(
  'optOuts.findOptedOut',
  (reading, { companyId, phones, secret }: OptOutsSought) => optedOut(reading, companyId, phones, secret),
);

export interface KeptOptOut {
  readonly id: number;
  /** False if it was there before; it then stays as it was. */
  readonly isNew: boolean;
}

/**
 * Adds opt-outs, in a transaction of anybody. One that is there stays as it is, and so does that of an erased person: the
 * store does not get the number back.
 */
export async function keepOptOuts(
  transaction: Transaction,
  companyId: number,
  given: readonly GivenOptOut[],
  secret: PersonSecret,
): Promise<readonly KeptOptOut[]> {
  const phones = given.map(({ phone }) => phone);
  const keyOf = ({ phone, category }: Pick<OptOut, 'phone' | 'category'>) => `${phone} ${category}`;
  const before = idsByKey(await hitsOf(transaction, of(companyId, phones), secret));
  const fresh = new Map<string, GivenOptOut>();
  // Of two with the same key, the first counts.
  for (const one of given) {
    const key = keyOf(one);
    if (!before.has(key) && !fresh.has(key)) fresh.set(key, one);
  }
  if (fresh.size === 0) return given.map((one) => ({ id: before.get(keyOf(one)) ?? 0, isNew: false }));
  const first = await leaseBlock(transaction, { kind: optOutIds, size: fresh.size });
  const ids = new Map([...fresh.keys()].map((key, place) => [key, first + place]));
  const rows = [...fresh].map(([key, one]) =>
    storedOptOut.row({
      ...one,
      companyId,
      id: ids.get(key) ?? 0,
      word: one.word ?? '',
      proof: boundedProof(one.proof ?? ''),
      incomingId: one.incomingId ?? null,
      number: one.number ?? '',
      addedBy: one.addedBy ?? null,
      erased: false,
    }),
  );
  await transaction.insert(
    'opt_outs',
    storedOptOut.columns,
    rows,
    'ON CONFLICT (company_id, phone, category) DO NOTHING',
  );
  // On PostgreSQL, another transaction may have been first.
  const after = idsByKey(await hitsOf(transaction, of(companyId, phones), secret));
  const claimed = new Set<string>();
  return given.map((one) => {
    const key = keyOf(one);
    const id = after.get(key) ?? 0;
    const isNew = id === ids.get(key) && !claimed.has(key);
    claimed.add(key);
    return { id, isNew };
  });
}

function idsByKey(hits: readonly Hit[]): ReadonlyMap<string, number> {
  return new Map(hits.map(({ id, phone, category }) => [`${phone} ${category}`, id]));
}

/** Removes a number's opt-outs, of all categories or of one, as START does. Returns what was removed. */
export async function removeOptOutsOf(
  transaction: Transaction,
  companyId: number,
  { phone, category }: { readonly phone: string; readonly category?: OptOutCategory },
  secret: PersonSecret,
): Promise<readonly OptOutCategory[]> {
  const hits = await hitsOf(transaction, of(companyId, [phone]), secret);
  const meant = hits.filter((hit) => category === undefined || hit.category === category);
  if (meant.length === 0) return [];
  const ids = meant.map(({ id }) => id);
  await transaction.run(
    sql`DELETE FROM opt_outs WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)}`,
  );
  return meant.map((hit) => hit.category);
}

export interface OptOutsToAdd {
  readonly companyId: number;
  readonly by: ActingUser;
  readonly now: number;
  readonly secret: PersonSecret;
  /** Without `since`, an opt-out holds from now on. */
  readonly optOuts: readonly (Omit<GivenOptOut, 'since' | 'addedBy'> & {
    readonly since?: number | undefined;
  })[];
}

/** An administrator adds opt-outs. Those that were there before are answered too, as they are. */
export const addOptOuts = refusable(
  singleWriteVerb(
    'optOuts.add',
    async (transaction, { companyId, by, now, secret, optOuts }: OptOutsToAdd) => {
      const given = optOuts.map(({ since = now, ...one }) => ({ ...one, since, addedBy: by.username }));
      const kept = await keepOptOuts(transaction, companyId, given, secret);
      const acts = given.flatMap(({ phone, category, source }, place): readonly AuditEntry[] =>
        kept[place]?.isNew === true
          ? [
              {
                companyId,
                at: now,
                by: byUser(by),
                act: 'optout.add',
                object: phone,
                details: { sentence: 'opt_out_added', category, source },
              },
            ]
          : [],
      );
      await recordActs(transaction, acts);
      return kept;
    },
    ({ optOuts }) => 2 * optOuts.length,
  ),
);

export interface OptOutToRemove {
  readonly companyId: number;
  readonly id: number;
  readonly by: ActingUser;
  readonly now: number;
  readonly reason: string;
}

/** Returns what was removed; null if there was no such opt-out. */
export const removeOptOut = refusable(
  singleWriteVerb(
    'optOuts.remove',
    async (transaction, { companyId, id, by, now, reason }: OptOutToRemove): Promise<OptOut | null> => {
      const found = await optOutOf(transaction, { companyId, id });
      if (found === null) return null;
      const removed = await transaction.run(
        sql`DELETE FROM opt_outs WHERE company_id = ${companyId} AND id = ${id}`,
      );
      if (removed === 0) return null;
      const { phone: object, category } = found;
      const details = { sentence: 'opt_out_removed', category, reason } as const;
      await recordAct(transaction, {
        companyId,
        at: now,
        by: byUser(by),
        act: 'optout.remove',
        object,
        details,
      });
      return found;
    },
  ),
);

interface OneOptOut {
  readonly companyId: number;
  readonly id: number;
}

async function optOutOf(reading: Reading, { companyId, id }: OneOptOut): Promise<OptOut | null> {
  const found = await storedOptOut.first(reading)`
    FROM opt_outs WHERE company_id = ${companyId} AND id = ${id}`;
  return found ?? null;
}

export const readOptOut = readVerb('optOuts.read', optOutOf);

/** The opt-outs of one number; few, since there is one at most for each category and form. */
async function optOutsOfNumber(
  reading: Reading,
  companyId: number,
  phone: string,
  secret: PersonSecret,
): Promise<readonly OptOut[]> {
  const hits = await hitsOf(reading, of(companyId, [phone]), secret);
  if (hits.length === 0) return [];
  const ids = hits.map(({ id }) => id);
  return storedOptOut.all(reading)`
    FROM opt_outs WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)} ORDER BY since DESC, id DESC`;
}

export const readOptOutsOfNumber = readVerb(
  'optOuts.readOfNumber',
  (
    reading,
    of: { readonly companyId: number; readonly phone: string; readonly secret: PersonSecret },
  ): Promise<readonly OptOut[]> => optOutsOfNumber(reading, of.companyId, of.phone, of.secret),
);

interface Place {
  readonly at: number;
  readonly id: number;
}

export interface OptOutSearch {
  readonly companyId: number;
  readonly secret: PersonSecret;
  readonly phone?: string | undefined;
  readonly category?: OptOutCategory | undefined;
  readonly source?: OptOutSource | undefined;
  /** At `since` or later, and before `until`. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The `next` of the previous page; null for the first page. */
  readonly behind: Place | null;
  readonly limit: number;
}

export interface FoundOptOuts {
  readonly rows: readonly OptOut[];
  /** The last place that was examined; null if there are no more opt-outs. */
  readonly next: Place | null;
}

/** How many opt-outs a page examines if it is narrowed by category and by source; such a page may be short. */
const examined = 1_000;

/** Latest first. One index leads to the opt-outs of a category or of a source. */
export const searchOptOuts = readVerb(
  'optOuts.search',
  async (reading, search: OptOutSearch): Promise<FoundOptOuts> => {
    const { companyId, phone, category, source, limit, secret } = search;
    const fits = (row: OptOut) =>
      (category === undefined || row.category === category) &&
      (source === undefined || row.source === source);
    const { since = 0, until = Number.MAX_SAFE_INTEGER, behind } = search;
    const end = behind !== null && behind.at < until ? behind : { at: until, id: 0 };
    const isBefore = ({ since: at, id }: OptOut) => at < end.at || (at === end.at && id < end.id);
    const depth = category === undefined || source === undefined ? limit + 1 : examined;
    const found =
      phone === undefined
        ? await storedOptOut.all(reading)`FROM (${reached(search, end, depth)}) AS reached
            WHERE ${isOf(search)} AND since >= ${since} ORDER BY since DESC, id DESC`
        : (await optOutsOfNumber(reading, companyId, phone, secret)).filter(
            (row) => isBefore(row) && row.since >= since,
          );
    const fitting = found.filter(fits);
    const rows = fitting.slice(0, limit);
    const hasMore = phone === undefined && found.length === depth;
    const last = fitting.length > limit ? rows.at(-1) : hasMore ? found.at(-1) : undefined;
    return { rows, next: last === undefined ? null : { at: last.since, id: last.id } };
  },
);

type Narrowed = Pick<OptOutSearch, 'companyId' | 'category' | 'source'>;

const codeOf = ({ category, source }: Narrowed) =>
  category === undefined
    ? source && { column: 'source', code: optOutSources.indexOf(source) }
    : { column: 'category', code: optOutCategories.indexOf(category) };

function isOf(search: Narrowed): Sql {
  const by = codeOf(search);
  const isTheirs = sql`company_id = ${search.companyId}`;
  return by === undefined ? isTheirs : sql`${isTheirs} AND ${raw(by.column)} = ${by.code}`;
}

/**
 * The latest before a place. The walk may go on into rows of another category or company, which are then left out: without a
 * lower bound, PostgreSQL follows the order of the index even if it has no statistics.
 */
function reached(search: Narrowed, end: Place, depth: number): Sql {
  const by = codeOf(search);
  const column = raw(by === undefined ? '' : `${by.column}, `);
  const value = by === undefined ? sql`` : sql`${by.code}, `;
  const descending = raw(by === undefined ? '' : `${by.column} DESC, `);
  return sql`SELECT * FROM opt_outs
    WHERE (company_id, ${column}since, id) < (${search.companyId}, ${value}${end.at}, ${end.id})
    ORDER BY company_id DESC, ${descending}since DESC, id DESC LIMIT ${depth}`;
}

interface PersonToErase {
  readonly companyId: number;
  readonly number: string;
  readonly digest: string;
  /** Anything later stays. */
  readonly until: number;
}

/**
 * Puts the digest in the place of an erased person's number, so that the opt-outs hold on without it, and removes the proof.
 * Returns how many rows it changed.
 */
export async function eraseFromOptOuts(
  transaction: Transaction,
  { companyId, number, digest, until }: PersonToErase,
): Promise<number> {
  const rows = await storedOptOut.all(transaction)`
    FROM opt_outs WHERE company_id = ${companyId} AND phone ${oneOf('text', [digest, ...formsOf(number)])}
    ORDER BY erased DESC, since, id ${forUpdate}`;
  const held = new Set<OptOutCategory>();
  let changed = 0;
  for (const { id, category, since, erased } of rows) {
    if (!erased && since <= until) {
      const isThis = sql`company_id = ${companyId} AND id = ${id}`;
      await transaction.run(
        held.has(category)
          ? sql`DELETE FROM opt_outs WHERE ${isThis}`
          : sql`UPDATE opt_outs SET phone = ${digest}, word = '', proof = '', incoming_id = NULL, erased = 1 WHERE ${isThis}`,
      );
      changed += 1;
    }
    if (erased || since <= until) held.add(category);
  }
  return changed;
}
