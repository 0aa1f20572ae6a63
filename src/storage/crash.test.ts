import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eachEngine, freshDatabase } from '../../test/harness/engines.ts';
import { findNotes } from '../../test/harness/storage-verbs.ts';
import { testWorker } from '../../test/harness/stores.ts';
import { openPostgresStore } from './postgres/store.ts';
import { openSqliteStore } from './sqlite/store.ts';

const writerFile = fileURLToPath(new URL('../../test/harness/crash-writer.ts', import.meta.url));

/** Lets the writer run until it has acknowledged this many notes, kills it, and returns their numbers. */
function killAfter(acknowledgements: number, ...parameters: readonly string[]): Promise<number[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', writerFile, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (printed.split('\n').length > acknowledgements) child.kill('SIGKILL');
  });
  return new Promise((resolve) => {
    child.once('close', () => resolve(printed.split('\n').slice(0, -1).map(Number)));
  });
}

eachEngine('a process killed while it writes', (engine) => {
  test.each([1, 500, 5_000])(
    '[SEND-5] [DLV-6] A process that is killed after %i acknowledged writes has lost none of them',
    async (count) => {
      const database = engine === 'postgres' ? await freshDatabase() : undefined;
      const place = database?.url ?? mkdtempSync(join(tmpdir(), 'carillon-crash-'));
      const acknowledged = await killAfter(count, engine, place);
      expect(acknowledged.length).toBeGreaterThanOrEqual(count);
      const store =
        database === undefined
          ? await openSqliteStore({ folder: place, worker: testWorker })
          : await openPostgresStore({ url: place, log: { warn: () => undefined } });
      const kept = new Set((await store.read(findNotes, 'crash')).map(({ number }) => number));
      expect(acknowledged.filter((number) => !kept.has(number))).toEqual([]);
      await store.close();
      if (database === undefined) rmSync(place, { recursive: true });
      else await database.drop();
    },
  );
});
