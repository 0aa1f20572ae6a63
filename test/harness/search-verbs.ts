/** Verbs that insert rows into any table, list its columns, and search all tables for a number. */
import { eraseReceived, type NumberInMessages } from '../../src/messages/upkeep/erase-records.ts';
import { type SearchPlace, type Sought, searchLeft } from '../../src/people/search-left.ts';
import { raw, type Sql, sql } from '../../src/storage/sql.ts';
import type { Columns, Row } from '../../src/storage/storable.ts';
import { readVerb, singleWriteVerb } from '../../src/storage/verb.ts';

export interface Column {
  readonly table: string;
  readonly name: string;
  readonly isText: boolean;
  /** The place in the primary key, from 1; 0 if the column is not part of it. */
  readonly keyPlace: number;
}

export const readColumns = readVerb('test.readColumns', async (reading, _: null) => {
  const rows = await reading.all<Omit<Column, 'isText'> & { isText: number }>(
    reading.dialect === 'sqlite'
      ? sql`SELECT tables.name AS "table", columns.name, CASE WHEN columns.type = 'TEXT' THEN 1 ELSE 0 END AS "isText",
              columns.pk AS "keyPlace"
            FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table' ORDER BY tables.name, columns.cid`
      : sql`SELECT columns.table_name AS "table", columns.column_name AS name,
              CASE WHEN columns.data_type = 'text' THEN 1 ELSE 0 END AS "isText",
              COALESCE((SELECT keys.ordinal_position FROM information_schema.table_constraints AS constraints
                JOIN information_schema.key_column_usage AS keys USING (constraint_name, table_schema, table_name)
                WHERE constraints.constraint_type = 'PRIMARY KEY' AND table_name = columns.table_name
                  AND keys.column_name = columns.column_name), 0) AS "keyPlace"
            FROM information_schema.columns AS columns WHERE columns.table_schema = 'public'
            ORDER BY columns.table_name, columns.ordinal_position`,
  );
  return rows.map((row): Column => ({ ...row, isText: row.isText === 1 }));
});

interface Planted {
  readonly table: string;
  readonly values: Readonly<Record<string, number | string>>;
}

export const plant = singleWriteVerb('test.plant', async (transaction, { table, values }: Planted) => {
  const entries = Object.entries(values);
  const list = entries.reduce(
    (before, [, value], place) => (place === 0 ? sql`${value}` : sql`${before}, ${value}`),
    sql``,
  );
  await transaction.run(
    sql`INSERT INTO ${raw(table)} (${raw(entries.map(([name]) => name).join(', '))}) VALUES (${list})`,
  );
});

interface PlantedRows {
  readonly table: string;
  readonly columns: Columns;
  readonly rows: readonly Row[];
}

export const plantRows = singleWriteVerb(
  'test.plantRows',
  async (transaction, { table, columns, rows }: PlantedRows) => {
    await transaction.insert(table, columns, rows);
  },
);

export const search = readVerb('test.searchLeft', (reading, { place, ...sought }: Sought & Place) =>
  searchLeft(reading, sought, place),
);

interface Place {
  readonly place: SearchPlace;
}

/** How many contacts have the number, and in how many places of runs it occurs. */
export const countOfNumber = readVerb('test.countOfNumber', async (reading, number: string) => {
  const countOf = async (rows: Sql) =>
    Number((await reading.first<{ n: number }>(sql`SELECT COUNT(*) AS n FROM ${rows}`))?.n);
  return {
    contacts: await countOf(sql`contacts WHERE phone = ${number}`),
    people: await countOf(sql`job_people WHERE person LIKE ${`%${number}%`}`),
  };
});

export const eraseReceivedOf = singleWriteVerb('test.eraseReceived', (transaction, about: NumberInMessages) =>
  eraseReceived(transaction, about, 100),
);
