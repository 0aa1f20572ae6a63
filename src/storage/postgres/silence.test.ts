import { afterAll, beforeAll, expect, test } from 'vitest';
import { describePostgres, freshDatabase } from '../../../test/harness/engines.ts';
import { type SilentProxy, startSilentProxy } from '../../../test/harness/silent-proxy.ts';
import {
  createNotes,
  findNotes,
  freezeAtNote,
  keepNotes,
  rewriteNotes,
} from '../../../test/harness/storage-verbs.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../store.ts';
import { openPostgresStore } from './store.ts';

async function outcome<T>(attempt: Promise<T>): Promise<T | string> {
  return attempt.catch((error: unknown) => (error instanceof ServiceError ? error.code : String(error)));
}

const log = { warn: () => undefined };

describePostgres('silence', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let proxy: SilentProxy;
  let near: Store;
  let far: Store;

  beforeAll(async () => {
    database = await freshDatabase('empty');
    const url = new URL(database.url);
    proxy = await startSilentProxy(Number(url.port));
    near = await openPostgresStore({ url: database.url, log });
    await near.write(createNotes, null);
    await near.write(keepNotes, { writer: 'one', number: 1, text: 'first' });
    url.port = String(proxy.port);
    far = await openPostgresStore({ url: url.href, log, statementTimeoutMs: 500 });
  });
  afterAll(async () => {
    await far.close();
    await near.close();
    await proxy.close();
    await database.drop();
  });

  test('[RUN-2] [DLV-7] of a node in the middle of a transaction holds up the others for seconds, not for ever', async () => {
    const frozen = outcome(near.write(freezeAtNote, { writer: 'one', number: 1, forMs: 8_000 }));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const startedAt = performance.now();
    const other = await openPostgresStore({ url: database.url, log });
    expect(await other.write(rewriteNotes, { writer: 'one', texts: [[1, 'other']] })).toBe(1);
    expect(performance.now() - startedAt).toBeLessThan(7_000);
    // Back again, the node hears that nothing was kept.
    expect(await frozen).toBe('store_unavailable');
    expect(await other.read(findNotes, 'one')).toEqual([{ number: 1, text: 'other' }]);
    expect(await near.write(rewriteNotes, { writer: 'one', texts: [[1, 'near']] })).toBe(1);
    await other.close();
  });

  test('[DLV-7] of the server, over connections that stand, is an outage after a while, and over when it speaks again', async () => {
    expect(await far.read(findNotes, 'one')).toHaveLength(1);
    proxy.fallSilent();
    const startedAt = performance.now();
    const attempts = [
      outcome(far.write(keepNotes, { writer: 'silent', number: 1, text: 'lost' })),
      outcome(far.read(findNotes, 'one')),
    ];
    expect(await Promise.all(attempts)).toEqual(['store_unavailable', 'store_unavailable']);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    proxy.speakAgain();
    expect(await outcome(far.write(keepNotes, { writer: 'silent', number: 2, text: 'kept' }))).toMatchObject({
      together: 1,
    });
    expect((await far.read(findNotes, 'silent')).map(({ number }) => number)).toContain(2);
  });
});
