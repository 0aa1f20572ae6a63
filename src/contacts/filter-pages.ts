/**
 * Finds the contacts that match a tag filter, page by page. Each page is a read with a turn of its own, and its work is
 * bounded, so neither the largest filter nor the largest book keeps others waiting longer than that. A change between two
 * pages is seen by the later page (docs/decisions/0058-a-filter-is-read-in-pages.md).
 */
import { byDialect, type Fragment, oneOf, rowSet, type Sql, sql } from '../storage/sql.ts';
import type { ReadOptions, Store } from '../storage/store.ts';
import { inTurns, type Reading, readVerb, snapshotVerb } from '../storage/verb.ts';
import type { TagFilter } from '../wire/tag-filter.ts';
import type { BookQuery } from './address-book.ts';
import { tagKey } from './contact.ts';
import { findTags } from './tags.ts';

/** The number of contacts matching the filter's rarest part that are checked against the other parts per page. */
const candidatesOfPage = 1_000;
/** For a part with at most this many values, each value is looked up for each contact. */
const lookedUpEach = 4;
/** A part with more tags than this is read in contact order, `contactsOfPage` consecutive contacts per page. */
const tagsInOrder = 4;
export const contactsOfPage = 5_000;

export interface FilterPlan {
  /**
   * Tag ids, for each part of the filter that no other part implies. The part with the fewest matches comes first, so that
   * the work depends on it and not on the size of the book.
   */
  readonly parts: readonly (readonly number[])[];
  /** The maximum number of contacts that match the first part. */
  readonly most: number;
}

/** Null when no contact has a tag of some part. */
export const planFilter = inTurns(
  readVerb(
    'contacts.planFilter',
    async (
      reading,
      { bookId, filter }: BookQuery & { readonly filter: TagFilter },
    ): Promise<FilterPlan | null> => {
      const wanted = filter.map(({ tagType: type, tagValues }) =>
        tagValues.map((value) => ({ type, value })),
      );
      const known = await findTags(reading, bookId, wanted.flat());
      const parts = wanted
        .map((tags) => tags.flatMap((tag) => known.get(tagKey(tag)) ?? []))
        .map((tags) => ({
          ids: new Set(tags.map(({ id }) => id)),
          count: tags.reduce((sum, { count }) => sum + count, 0),
        }))
        .sort((a, b) => a.count - b.count);
      const most = parts[0]?.count ?? 0;
      if (most === 0) return null;
      const kept: ReadonlySet<number>[] = [];
      for (const { ids } of parts) if (!kept.some((one) => isWithin(one, ids))) kept.push(ids);
      return { parts: kept.map((ids) => [...ids]), most };
    },
  ),
  ({ owner }) => owner,
);

/** Whether every contact with a tag of the smaller set also has a tag of the larger set. */
function isWithin(smaller: ReadonlySet<number>, larger: ReadonlySet<number>): boolean {
  return [...smaller].every((id) => larger.has(id));
}

export interface MetContact {
  readonly id: number;
  readonly external_id: string | null;
  readonly name: string;
  readonly phone: string | null;
  readonly email: string | null;
  readonly app: string | null;
}

interface PageQuery extends BookQuery {
  readonly plan: FilterPlan;
  /** The id of a contact; 0 starts from the beginning. */
  readonly after: number;
}

interface MetPage {
  /** In id order. */
  readonly met: readonly MetContact[];
  /** The contact after which the next page begins; null on the last page. */
  readonly next: number | null;
}

export const readMetPage = inTurns(
  snapshotVerb('contacts.readMetPage', async (reading, query: PageQuery): Promise<MetPage> => {
    const { bookId, plan } = query;
    const { ids, next } = await candidates(reading, query);
    const others = plan.parts.slice(1);
    const meeting = await meetingAll(
      reading,
      query,
      ids,
      others.filter((tagIds) => tagIds.length > lookedUpEach),
    );
    const few = others.filter((tagIds) => tagIds.length <= lookedUpEach);
    await keepFromSorting(reading);
    // Not sorted here, because PostgreSQL would then walk through the book in id order.
    const met = await reading.all<MetContact>(
      sql`SELECT contacts.id, external_id, name, phone, email, app FROM ${inBook('met', bookId, meeting)}
          ${contactOfEach} ${eachOf(few)}`,
    );
    return { met: met.sort((a, b) => a.id - b.id), next };
  }),
  ({ owner }) => owner,
);

async function candidates(
  reading: Reading,
  { bookId, plan: { parts, most }, after }: PageQuery,
): Promise<{ readonly ids: readonly number[]; readonly next: number | null }> {
  const [rarest = []] = parts;
  const isOfMany = rarest.length > tagsInOrder;
  const end = isOfMany && most > candidatesOfPage ? await endOfPage(reading, bookId, after) : null;
  const rows = isOfMany
    ? await reading.all<{ contact_id: number }>(
        sql`SELECT DISTINCT contact_id FROM contact_tags WHERE book_id = ${bookId} AND tag_id ${oneOf('bigint', rarest)}
              AND contact_id > ${after} ${end === null ? sql`` : sql`AND contact_id <= ${end}`}
            ORDER BY contact_id LIMIT ${candidatesOfPage + 1}`,
      )
    : await withOneOfFew(reading, { bookId, after, tagIds: rarest });
  const ids = rows.slice(0, candidatesOfPage).map(({ contact_id }) => contact_id);
  return { ids, next: rows.length > candidatesOfPage ? (ids.at(-1) ?? null) : end };
}

/** For each tag, the index lists the contacts in order, but PostgreSQL recognises this only for a single tag. */
async function withOneOfFew(
  reading: Reading,
  {
    bookId,
    after,
    tagIds,
  }: { readonly bookId: number; readonly after: number; readonly tagIds: readonly number[] },
): Promise<{ contact_id: number }[]> {
  const ids = new Set<number>();
  for (const tagId of tagIds) {
    const rows = await reading.all<{ contact_id: number }>(
      sql`SELECT contact_id FROM contact_tags WHERE book_id = ${bookId} AND tag_id = ${tagId} AND contact_id > ${after}
          ORDER BY contact_id LIMIT ${candidatesOfPage + 1}`,
    );
    for (const { contact_id } of rows) ids.add(contact_id);
  }
  const sorted = [...ids].sort((a, b) => a - b).slice(0, candidatesOfPage + 1);
  return sorted.map((contact_id) => ({ contact_id }));
}

/** Null when no contacts are left. */
async function endOfPage(reading: Reading, bookId: number, after: number): Promise<number | null> {
  const row = await reading.first<{ id: number }>(
    sql`SELECT id FROM contacts WHERE book_id = ${bookId} AND id > ${after}
        ORDER BY id LIMIT 1 OFFSET ${contactsOfPage}`,
  );
  return row?.id ?? null;
}

const contactColumns = { book_id: 'bigint', contact_id: 'bigint' } as const;

/** Each row contains the book, because a constant book looks small to PostgreSQL, which would then read all of it. */
function inBook(name: string, bookId: number, ids: readonly number[]): Fragment {
  return rowSet(
    name,
    contactColumns,
    ids.map((id) => [bookId, id]),
  );
}

/**
 * The contact of each row of `met`, looked up by its id. With the statistics of an emptied table, PostgreSQL might instead
 * choose the index of a book's own ids and read the whole book for each row; only one index has this order.
 */
const contactOfEach = byDialect({
  sqlite: 'CROSS JOIN contacts WHERE contacts.book_id = met.book_id AND contacts.id = met.contact_id',
  postgres: `CROSS JOIN LATERAL (SELECT * FROM contacts WHERE contacts.book_id = met.book_id AND contacts.id >= met.contact_id
      ORDER BY contacts.id LIMIT 1) AS contacts WHERE contacts.id = met.contact_id`,
});

/** Until the end of the read; otherwise such statistics may have PostgreSQL sort the whole book for each row. */
async function keepFromSorting(reading: Reading): Promise<void> {
  if (reading.dialect === 'postgres') await reading.all(sql`SELECT set_config('enable_sort', 'off', true)`);
}

/**
 * The rows of a table for each member of a set, with a WHERE that can be continued. During a large import, statistics may say
 * that the table is empty, and PostgreSQL would then scan all of the table, and the set for each row, if it had the choice.
 */
function lookedUp(table: string, condition: string): Sql {
  return sql`${byDialect({
    sqlite: `CROSS JOIN ${table} WHERE ${condition}`,
    postgres: `CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE ${condition} OFFSET 0) AS ${table} WHERE true`,
  })}`;
}

/**
 * A comparison with a selected value cannot be turned into a join, which would start with all contacts that have the most
 * common tag.
 */
function eachOf(parts: FilterPlan['parts']): Sql {
  return parts.reduce(
    (
      conditions,
      tagIds,
    ) => sql`${conditions} AND (SELECT 1 FROM contact_tags WHERE contact_tags.book_id = met.book_id
      AND contact_tags.contact_id = met.contact_id AND contact_tags.tag_id ${oneOf('bigint', tagIds)} LIMIT 1) = 1`,
    sql``,
  );
}

const partColumns = { tag_id: 'bigint', part: 'integer' } as const;

/**
 * Goes through the contacts' tags and looks each up among the tags of the parts; this costs the same however many values a
 * part has.
 */
async function meetingAll(
  reading: Reading,
  { bookId }: BookQuery,
  ids: readonly number[],
  parts: FilterPlan['parts'],
): Promise<readonly number[]> {
  if (ids.length === 0 || parts.length === 0) return ids;
  const tags = rowSet(
    'tags_of_parts',
    partColumns,
    parts.flatMap((tagIds, part) => tagIds.map((tagId) => [tagId, part])),
  );
  // SQLite joins the tables in the order written here, and builds a temporary index on values that it knows to be numbers.
  // PostgreSQL would start with the contacts of the tags unless the contacts' tags are read first.
  const rows = await reading.all<{ contact_id: number }>(
    sql`WITH asked AS MATERIALIZED (
          SELECT CAST(tag_id AS BIGINT) AS tag_id, CAST(part AS BIGINT) AS part FROM ${tags}),
        had AS MATERIALIZED (
          SELECT contact_tags.contact_id, contact_tags.tag_id FROM ${inBook('candidates', bookId, ids)}
          ${lookedUp('contact_tags', 'contact_tags.book_id = candidates.book_id AND contact_tags.contact_id = candidates.contact_id')})
        SELECT had.contact_id FROM had CROSS JOIN asked WHERE asked.tag_id = had.tag_id
        GROUP BY had.contact_id HAVING COUNT(DISTINCT asked.part) = ${parts.length}`,
  );
  return rows.map(({ contact_id }) => contact_id);
}

interface Wanted extends BookQuery {
  readonly filter: TagFilter;
  /** The id of a contact; absent starts from the beginning. */
  readonly after?: number | undefined;
}

/** Sets of the contacts that match the filter, in id order, read one by one on demand. */
export async function* meeting(
  store: Pick<Store, 'read'>,
  { filter, after = 0, ...book }: Wanted,
  options?: ReadOptions,
): AsyncGenerator<readonly MetContact[], void> {
  const plan = await store.read(planFilter, { ...book, filter }, options);
  for (let from: number | null = after; plan !== null && from !== null; ) {
    const { met, next }: MetPage = await store.read(readMetPage, { ...book, plan, after: from }, options);
    if (met.length > 0) yield met;
    from = next;
  }
}
