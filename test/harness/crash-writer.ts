/** A process that writes until it is killed and prints the number of each note whose write was acknowledged. */
import { openPostgresStore } from '../../src/storage/postgres/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { createNotes, keepNotes } from './storage-verbs.ts';

const [engine, place = ''] = process.argv.slice(2);
const store =
  engine === 'sqlite'
    ? await openSqliteStore({ folder: place, worker: new URL('./store-worker.ts', import.meta.url) })
    : await openPostgresStore({ url: place, log: { warn: () => undefined } });
await store.write(createNotes, null);

const writers = 64;
await Promise.all(
  Array.from({ length: writers }, async (_, lane) => {
    for (let number = lane; ; number += writers) {
      await store.write(keepNotes, { writer: 'crash', number, text: 'acknowledged' });
      process.stdout.write(`${number}\n`);
    }
  }),
);
