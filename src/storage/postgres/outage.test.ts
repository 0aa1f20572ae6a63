import { afterAll, beforeAll, expect, test } from 'vitest';
import { pause, until } from '../../../test/harness/awake.ts';
import { describePostgres } from '../../../test/harness/engines.ts';
import { createDatabase, type PostgresServer, startPostgres } from '../../../test/harness/postgres.ts';
import { countNotes, createNotes, findNotes, keepNotes } from '../../../test/harness/storage-verbs.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../store.ts';
import { openPostgresStore } from './store.ts';

/** Resolves with the answer, or with the fault that callers of the API would get. */
async function outcome<T>(attempt: Promise<T>): Promise<T | string> {
  return attempt.catch((error: unknown) => (error instanceof ServiceError ? error.code : String(error)));
}

describePostgres('a PostgreSQL that comes and goes', () => {
  let server: PostgresServer;
  let store: Store;

  beforeAll(async () => {
    server = await startPostgres();
    const url = await createDatabase(server.url);
    store = await openPostgresStore({ url, log: { warn: () => undefined } });
    await store.write(createNotes, null);
  }, 300_000);

  afterAll(async () => {
    await server.start().catch(() => undefined);
    await store.close();
    await server.close();
  });

  test('[DLV-7] Calls are refused as unavailable while PostgreSQL is down, and work once it is back without reopening', async () => {
    await store.write(keepNotes, { writer: 'before', number: 1, text: 'kept' });
    for (const how of ['fast', 'immediate'] as const) {
      await server.stop(how);
      const attempts = [1, 2, 3].map((number) =>
        outcome(store.write(keepNotes, { writer: how, number, text: 'lost' })),
      );
      expect(await Promise.all(attempts)).toEqual(Array(3).fill('store_unavailable'));
      expect(await outcome(store.read(findNotes, how))).toBe('store_unavailable');
      await server.start();
      expect(await outcome(store.write(keepNotes, { writer: how, number: 1, text: 'kept' }))).toMatchObject({
        together: 1,
      });
      expect(await store.read(findNotes, how)).toEqual([{ number: 1, text: 'kept' }]);
    }
    expect(await store.read(findNotes, 'before')).toEqual([{ number: 1, text: 'kept' }]);
  });

  test('[DLV-7] When a PostgreSQL server dies under load, this process survives and nothing acknowledged is lost', async () => {
    const acknowledged = new Set<number>();
    const faults = new Set<string>();
    let stopped = false;
    const writers = Array.from({ length: 20 }, async (_, lane) => {
      for (let number = lane; !stopped; number += 20) {
        const result = await outcome(
          store.write(keepNotes, { writer: 'load', number, text: 'x'.repeat(200) }),
        );
        if (typeof result === 'string') faults.add(result);
        else acknowledged.add(number);
        if (typeof result === 'string') await pause(5);
        else void outcome(store.read(countNotes, 'load'));
      }
    });
    for (let round = 0; round < 3; round++) {
      const before = acknowledged.size;
      await until(() => acknowledged.size > before + 50);
      await server.stop('immediate');
      await server.start();
    }
    stopped = true;
    await Promise.all(writers);
    expect([...faults]).toEqual(['store_unavailable']);
    expect(acknowledged.size).toBeGreaterThan(100);
    const kept = new Set((await store.read(findNotes, 'load')).map((note) => note.number));
    expect([...acknowledged].filter((number) => !kept.has(number))).toEqual([]);
  });
});
