import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type DeliveryStore, deliveryStore } from '../../test/harness/delivery-store.ts';
import { putMessages } from '../../test/harness/delivery-verbs.ts';
import { type KeepingReader, keepingReader } from '../../test/harness/journal-reader.ts';
import { clearJournal, listChanges, listReaders } from '../../test/harness/journal-verbs.ts';
import { claim, part, record, sent } from '../../test/harness/outcomes.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { claimMessages } from '../messages/dispatch/claim.ts';
import { recordOutcomes } from '../messages/dispatch/store.ts';
import { leaveReader } from './journal.ts';

const patience = { timeout: 100_000, interval: 20 };
async function untilTaken({ reader, taken }: KeepingReader, expected: readonly string[]): Promise<void> {
  await vi.waitFor(() => {
    reader.wake();
    expect(taken).toEqual(expected);
  }, patience);
}

/** Wakes the reader, and waits until it has noticed an open transaction. */
async function untilItWaits(keeping: KeepingReader): Promise<void> {
  const before = keeping.asked;
  keeping.reader.wake();
  await vi.waitFor(() => expect(keeping.asked).toBeGreaterThan(before + 2), patience);
}

function listened(...ids: readonly number[]) {
  return ids.map((id) => ({ id, listened: true }));
}

eachStore('a reader of changes', (engine) => {
  const given = deliveryStore(engine);
  const begun: KeepingReader[] = [];
  beforeEach(() => given.store.write(clearJournal, null));
  afterEach(async () => {
    for (const { reader } of begun.splice(0)) await reader.leave();
  });

  async function begin(...parameters: Parameters<typeof keepingReader>): Promise<KeepingReader> {
    const keeping = keepingReader(...parameters);
    begun.push(keeping);
    await keeping.reader.start();
    return keeping;
  }

  test('[HOOK-2] A change reader gets the changes from its start on, in order and without repeats', async () => {
    const { store } = given;
    await store.write(putMessages, listened(1));
    const keeping = await begin(store);
    await store.write(putMessages, listened(2, 3));
    await vi.waitFor(() => expect(keeping.taken).toEqual(['2 0', '3 0']), patience);
    await store.write(claimMessages, claim);
    await store.write(recordOutcomes, { ...record(7), advances: [sent(3)], taken: [part(3)] });
    await untilTaken(keeping, ['2 0', '3 0', '3 1']);
  });

  test('[HOOK-2] A change reader reads page after page of whatever has gathered', async () => {
    const { store } = given;
    const keeping = await begin(store);
    const ids = Array.from({ length: 2_500 }, (_, place) => 1 + place);
    await store.write(putMessages, listened(...ids));
    const expected = ids.map((id) => `${id} 0`).sort();
    await vi.waitFor(() => expect([...keeping.taken].sort()).toEqual(expected), patience);
  });

  test('[HOOK-2] A change reader goes on from the place kept under its name, and repeats what was not finished', async () => {
    const { store } = given;
    const first = keepingReader(store);
    await first.reader.start();
    await store.write(putMessages, listened(1));
    await untilTaken(first, ['1 0']);
    await first.reader.stop();
    await store.write(putMessages, listened(2));
    let failures = 0;
    const failing = keepingReader(store, {
      take: () => {
        failures += 1;
        throw new Error('it fails');
      },
    });
    await failing.reader.start();
    await vi.waitFor(() => expect(failures).toBeGreaterThan(1), patience);
    await failing.reader.stop();
    const last = await begin(store);
    await untilTaken(last, ['2 0']);
  });

  test('[HOOK-2] A change reader that was dropped notices this and starts over; a reader that leaves is forgotten', async () => {
    const { store } = given;
    const keeping = await begin(store);
    await store.write(leaveReader, 'reader');
    await store.write(putMessages, listened(1));
    await vi.waitFor(() => expect(keeping.dropped).toBe(1), patience);
    await store.write(putMessages, listened(2));
    await untilTaken(keeping, ['2 0']);
    await keeping.reader.leave();
    expect(await store.read(listReaders, null)).toEqual([]);
  });

  if (engine.name === 'postgres') besideOpenTransactions(given, begin);
});

type Begin = (...parameters: Parameters<typeof keepingReader>) => Promise<KeepingReader>;

/** Places are assigned before transactions end, often in a very different order. */
function besideOpenTransactions(given: DeliveryStore, begin: Begin): void {
  const clients: pg.Client[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end();
  });

  async function connect(connectionString = given.fresh.place): Promise<pg.Client> {
    const client = new pg.Client({ connectionString });
    await client.connect();
    clients.push(client);
    return client;
  }

  const change = (client: pg.Client, id: number, status: number) =>
    client.query('UPDATE messages SET status = $2, version = version + 1 WHERE id = $1', [id, status]);

  test('[HOOK-2] A change reader skips no change whose transaction ends after that of a later change', async () => {
    const { store } = given;
    await store.write(putMessages, listened(1, 2));
    const keeping = await begin(store);
    const [early, late] = [await connect(), await connect()];
    await early.query('BEGIN');
    await change(early, 1, 1);
    await late.query('BEGIN');
    await change(late, 2, 1);
    await late.query('COMMIT');
    await untilItWaits(keeping);
    expect(keeping.taken).toEqual([]);
    await early.query('COMMIT');
    await untilTaken(keeping, ['1 1', '2 1']);
  });

  test('[HOOK-2] A change reader skips no change even when the transaction of a later one began long before', async () => {
    const { store } = given;
    await store.write(putMessages, listened(1, 2, 3));
    const keeping = await begin(store);
    const [old, young] = [await connect(), await connect()];
    await old.query('BEGIN');
    await change(old, 3, 1);
    await young.query('BEGIN');
    await change(young, 1, 1);
    // The transaction with the lower number has the higher place and commits first.
    await change(old, 2, 1);
    await old.query('COMMIT');
    await untilItWaits(keeping);
    expect(keeping.taken).toEqual([]);
    await young.query('COMMIT');
    await untilTaken(keeping, ['3 1', '1 1', '2 1']);
  });

  test('[HOOK-2] A change reader gets the changes of one message in order, whichever transaction began first', async () => {
    const { store } = given;
    await store.write(putMessages, listened(1, 2));
    const keeping = await begin(store);
    const [old, young] = [await connect(), await connect()];
    await old.query('BEGIN');
    await change(old, 2, 1);
    await young.query('BEGIN');
    await change(young, 1, 1);
    await young.query('COMMIT');
    await change(old, 1, 2);
    await old.query('COMMIT');
    await untilTaken(keeping, ['2 1', '1 1', '1 2']);
  });

  test('[HOOK-2] A change reader that starts during an open transaction gets all changes made after its end', async () => {
    const { store } = given;
    await store.write(putMessages, listened(1, 2));
    const open = await connect();
    await open.query('BEGIN');
    await change(open, 1, 1);
    const keeping = keepingReader(store);
    let hasEntered = false;
    const entering = keeping.reader.start().then(() => {
      hasEntered = true;
    });
    await vi.waitFor(() => expect(keeping.asked).toBeGreaterThan(2), patience);
    expect(hasEntered).toBe(false);
    await open.query('COMMIT');
    await entering;
    await store.write(putMessages, listened(3));
    await untilTaken(keeping, ['3 0']);
    await keeping.reader.leave();
  });

  test('[HOOK-2] A change reader does not wait for transactions of other databases on the same server', async () => {
    const { store } = given;
    const foreign = await connect(new URL('/postgres', given.fresh.place).href);
    await foreign.query('BEGIN');
    await foreign.query('SELECT pg_current_xact_id()');
    const keeping = await begin(store);
    await store.write(putMessages, listened(1));
    await untilTaken(keeping, ['1 0']);
    await foreign.query('ROLLBACK');
  });

  test('[HOOK-2] A change reader waits behind a long transaction, then gets all of its changes and all changes made since', async () => {
    const { store } = given;
    await store.write(putMessages, listened(1, 2));
    const keeping = await begin(store);
    const [long, short] = [await connect(), await connect()];
    await change(short, 2, 1);
    await untilTaken(keeping, ['2 1']);
    await long.query('BEGIN');
    await change(long, 1, 1);
    const statuses = Array.from({ length: 60 }, (_, place) => 2 + (place % 10));
    for (const status of statuses) {
      await change(short, 2, status);
      await delay(5);
    }
    await untilItWaits(keeping);
    expect(keeping.taken).toEqual(['2 1']);
    await change(long, 1, 3);
    await long.query('COMMIT');
    const expected = ['2 1', '1 1', ...statuses.map((status) => `2 ${status}`), '1 3'];
    await untilTaken(keeping, expected);
  });

  test('[HOOK-2] A change reader gets every change once, in order for each message, from many random writers', async () => {
    const { store } = given;
    const ids = Array.from({ length: 40 }, (_, place) => 1 + place);
    await store.write(putMessages, listened(...ids));
    const before = (await store.read(listChanges, null)).length;
    const keeping = await begin(store);
    const write = async (client: pg.Client) => {
      for (let time = 1; time <= 30; time++) {
        await client.query('BEGIN');
        const first = Math.floor(Math.random() * 37);
        // A fixed order of updates means that transactions wait for each other but never deadlock.
        for (const id of ids.slice(first, first + 1 + Math.floor(Math.random() * 3))) {
          await client.query(
            'UPDATE messages SET status = (status + 1) % 16, version = version + 1 WHERE id = $1',
            [id],
          );
          if (Math.random() < 0.3) await delay(Math.random() * 30);
        }
        await client.query(Math.random() < 0.2 ? 'ROLLBACK' : 'COMMIT');
      }
    };
    await Promise.all((await Promise.all(ids.slice(0, 8).map(() => connect()))).map(write));
    const rows = (await store.read(listChanges, null)).slice(before);
    expect(rows.length).toBeGreaterThan(100);
    const expected = rows.map((row) => `${row.subject_id} ${row.status}`);
    await untilTaken(keeping, expected);
    for (const id of ids) {
      const statuses = rows.filter((row) => row.subject_id === id).map((row) => row.status);
      expect(statuses).toEqual(statuses.map((_, place) => (place + 1) % 16));
    }
  });
}
