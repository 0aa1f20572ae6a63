import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { namingOf, RecordTable } from './record-table.ts';
import { sql } from './sql.ts';
import { openDatabase } from './sqlite/database.ts';
import { SqliteTransaction } from './sqlite/transaction.ts';
import { text } from './stored-record.ts';
import type { Transaction } from './verb.ts';

interface Lamp {
  readonly room: string;
  readonly name: string;
  readonly colour: string;
  readonly watts?: number;
}

const lamps = new RecordTable<Lamp, 'colour' | 'watts'>({
  table: 'lamps',
  key: ['room', 'name'],
  fields: { name: text, room: { column: 'room_id', ...namingOf('rooms', 'title') } },
  others: 'settings',
});

const desk: Lamp = { room: 'Study', name: 'desk', colour: 'white', watts: 40 };
const floor: Lamp = { room: 'Study', name: 'floor', colour: 'red' };
const wall: Lamp = { room: 'Attic', name: 'desk', colour: 'blue' };

describe('a table of records', () => {
  let transaction: Transaction;
  let close: () => void;

  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-records-'));
    const database = openDatabase(join(folder, 'test.db'));
    transaction = new SqliteTransaction(database);
    close = () => {
      database.close();
      rmSync(folder, { recursive: true });
    };
    await transaction.run(sql`CREATE TABLE rooms (id BIGINT NOT NULL PRIMARY KEY, title TEXT NOT NULL)`);
    await transaction.run(sql`INSERT INTO rooms (id, title) VALUES (1, 'Study'), (2, 'Attic')`);
    await transaction.run(
      sql`CREATE TABLE lamps (room_id BIGINT, name TEXT, settings TEXT, PRIMARY KEY (room_id, name))`,
    );
    await lamps.make(transaction, [wall, floor, desk]);
  });
  afterEach(() => close());

  test('[RUN-3] A table of records returns them in the order of the key, with names for ids', async () => {
    expect(await lamps.all(transaction)).toEqual([desk, floor, wall]);
  });

  test('[RUN-3] A table of records can be read by the values of any field', async () => {
    expect(await lamps.read(transaction, { room: ['Study', 'Cellar'] })).toEqual([desk, floor]);
    expect(await lamps.read(transaction, { room: ['Attic'], name: ['floor'] })).toEqual([floor, wall]);
    expect(await lamps.read(transaction, { room: ['Cellar'], name: [] })).toEqual([]);
  });

  test('[RUN-3] A table of records changes a record that is put again, and refuses to create it again', async () => {
    const green = { room: 'Study', name: 'desk', colour: 'green' };
    await lamps.put(transaction, [green]);
    expect(await lamps.all(transaction)).toEqual([green, floor, wall]);
    await expect(lamps.make(transaction, [desk])).rejects.toThrow(/unique/i);
    expect(await lamps.all(transaction)).toEqual([green, floor, wall]);
  });

  test('[RUN-3] A table of records removes the record with the given key, whatever its other fields are', async () => {
    await lamps.remove(transaction, [{ room: 'Study', name: 'desk', colour: 'any' }]);
    expect(await lamps.all(transaction)).toEqual([floor, wall]);
  });
});
