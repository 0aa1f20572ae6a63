import { beforeAll, expect, test } from 'vitest';
import { pause } from '../../test/harness/awake.ts';
import {
  countNotes,
  countNotesTwice,
  createNotes,
  findNotes,
  forgetAnswer,
  hideFault,
  keepHeavyNote,
  keepNotes,
  type Note,
  numberNotesAlike,
} from '../../test/harness/storage-verbs.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { readVerb, writeVerb } from './verb.ts';

function note(writer: string, number: number, text = 'text'): Note {
  return { writer, number, text };
}

eachStore('the store', (engine) => {
  let fresh: FreshStore;
  beforeAll(async () => {
    fresh = await engine.openFreshStore();
    await fresh.store.write(createNotes, null);
  });

  test('[SEND-5] What an answered write has stored can be read at once, and survives a restart', async () => {
    const { store, reopen } = fresh;
    await store.write(keepNotes, note('restart', 1, 'Ålesund €😀 "quoted" \\ {a,b} NULL'));
    const expected = [{ number: 1, text: 'Ålesund €😀 "quoted" \\ {a,b} NULL' }];
    expect(await store.read(findNotes, 'restart')).toEqual(expected);
    expect(await (await reopen()).read(findNotes, 'restart')).toEqual(expected);
  });

  test.each([
    ['a fraction', note('wrong', 0.5), "the column number (bigint) can't hold 0.5"],
    [
      'a number beyond 2^53',
      note('wrong', 2 ** 53),
      "the column number (bigint) can't hold 9007199254740992",
    ],
    ['no number at all', note('wrong', Number.NaN), "the column number (bigint) can't hold NaN"],
    ['U+0000', note('wrong', 1, 'a\0b'), "the column text (text) can't hold a text with U+0000"],
  ])('[RUN-2] A value that no column holds is refused on both engines alike: %s', async (_, wrong, fault) => {
    const { store } = fresh;
    const right = store.write(keepNotes, note('right', Date.now()));
    await expect(store.write(keepNotes, wrong)).rejects.toThrow(fault);
    // The call that shared the transaction is not affected, and the store goes on.
    expect(await right).toMatchObject({ place: 0 });
    expect(await store.read(findNotes, 'wrong')).toEqual([]);
    expect(store.worksFor(keepNotes)).toBe(true);
  });

  test('[SEND-5] Concurrent calls of a verb share transactions, and each gets its own answer', async () => {
    const { store } = fresh;
    const numbers = Array.from({ length: 500 }, (_, index) => index);
    const answers = await Promise.all(numbers.map((number) => store.write(keepNotes, note('many', number))));
    expect(Math.max(...answers.map(({ together }) => together))).toBeGreaterThan(100);
    // Places increase within a group and start over in the next, so the order of the calls was kept.
    for (const [index, { place }] of answers.entries()) {
      if (place !== 0) expect(place).toBe((answers[index - 1] as { place: number }).place + 1);
    }
    expect(await store.read(countNotes, 'many')).toEqual({ notes: 500, sum: (499 * 500) / 2 });
  });

  test('[RUN-2] A read that asks for a snapshot sees one moment, whatever is written meanwhile', async () => {
    const { store } = fresh;
    for (const before of [0, 1]) {
      const counts = store.read(countNotesTwice, 'moment');
      await pause(200);
      await store.write(keepNotes, note('moment', before));
      expect(await store.read(countNotes, 'elsewhere')).toMatchObject({ notes: 0 });
      expect(await counts).toEqual([before, before]);
    }
    expect(await store.read(countNotes, 'moment')).toMatchObject({ notes: 2 });
  });

  test('[SEND-5] Only the faulty calls of a group fail, whether the verb or a constraint refuses them', async () => {
    const { store } = fresh;
    await store.write(keepNotes, note('guilt', 3));
    const calls = Array.from({ length: 10 }, (_, number) =>
      store.write(keepNotes, { ...note('guilt', number), poisoned: number === 7 }),
    );
    const results = await Promise.allSettled(calls);
    const failed = results.flatMap((result, number) => (result.status === 'rejected' ? [number] : []));
    expect(failed).toEqual([3, 7]);
    expect(results[7]).toMatchObject({ reason: { message: 'note 7 is poisoned' } });
    const kept = (await store.read(findNotes, 'guilt')).map(({ number }) => number);
    expect(kept).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9]);
  });

  test('[SEND-5] A statement that fails halfway leaves nothing, whether by itself or within a group', async () => {
    const { store } = fresh;
    for (const number of [1, 2]) await store.write(keepNotes, note('halfway', number));
    const alike = { writer: 'halfway', number: 3 };
    await expect(store.write(numberNotesAlike, alike)).rejects.toThrow(/unique/i);
    const [beside, failed, after] = await Promise.allSettled([
      store.write(keepNotes, note('beside', 1)),
      store.write(numberNotesAlike, alike),
      store.write(keepNotes, note('beside', 2)),
    ]);
    expect([beside.status, failed.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const numbers = async (writer: string) =>
      (await store.read(findNotes, writer)).map(({ number }) => number);
    expect([await numbers('halfway'), await numbers('beside')]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  test('[SEND-5] A verb that answers too few inputs, or hides a fault of its transaction, stores nothing', async () => {
    const { store } = fresh;
    const [first, second] = await Promise.allSettled([
      store.write(forgetAnswer, null),
      store.write(forgetAnswer, null),
    ]);
    for (const result of [first, second]) {
      expect(result).toMatchObject({ reason: { message: 'test.forgetAnswer gave 0 answers to 1 inputs' } });
    }
    const hidden = await store.write(hideFault, note('hidden', 1)).then(
      () => 'kept',
      () => 'refused',
    );
    // SQLite rolls back the one statement, PostgreSQL the whole transaction; either way the answer is true.
    const { notes } = await store.read(countNotes, 'hidden');
    expect({ hidden, notes }).toEqual(
      engine.name === 'sqlite' ? { hidden: 'kept', notes: 1 } : { hidden: 'refused', notes: 0 },
    );
  });

  test('[DLV-8] Calls beyond the number that may wait are refused as overload, and accepted calls are stored', async () => {
    const { store } = fresh;
    const calls = Array.from({ length: 8 }, (_, number) =>
      store.write(keepHeavyNote, { ...note('heavy', number), weight: 10_000 }),
    );
    const results = await Promise.allSettled(calls);
    expect(results.slice(0, 5).map(({ status }) => status)).toEqual(Array(5).fill('fulfilled'));
    for (const result of results.slice(5)) expect(result).toMatchObject({ reason: { code: 'overloaded' } });
    expect((await store.read(countNotes, 'heavy')).notes).toBe(5);
    expect(await store.write(keepHeavyNote, { ...note('heavy', 9), weight: 60_000 })).toBe(60_000);
  });

  test('[RUN-4] Closing the store finishes what is under way and refuses what comes after', async () => {
    const { openAnother, store } = fresh;
    const another = await openAnother();
    const answers = Promise.all(
      Array.from({ length: 50 }, (_, number) => another.write(keepNotes, note('closing', number))),
    );
    await another.close();
    await answers;
    expect((await store.read(countNotes, 'closing')).notes).toBe(50);
    await expect(another.write(keepNotes, note('closing', 99))).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    await expect(another.read(countNotes, 'closing')).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  test('[RUN-2] Two stores on the same data write side by side, and each reads what the other has written', async () => {
    const { openAnother, store } = fresh;
    const another = await openAnother();
    const halves = [store, another].map((one, half) =>
      Promise.all(
        Array.from({ length: 100 }, (_, index) => one.write(keepNotes, note('both', index * 2 + half))),
      ),
    );
    await Promise.all(halves);
    for (const one of [store, another]) expect((await one.read(countNotes, 'both')).notes).toBe(200);
    await another.close();
  });
});

eachStore('a verb that throws, or that the store does not know', (engine) => {
  test('[SEND-5] A verb that throws, or that the store does not know, is refused without harm to other callers', async () => {
    const { store } = await engine.openFreshStore();
    await store.write(createNotes, null);
    const unknown = writeVerb('test.unknown', async () => {
      throw new Error('unknown');
    });
    const [strange, decent] = await Promise.allSettled([
      store.write(unknown, null),
      store.write(keepNotes, note('decent', 1)),
    ]);
    expect(strange.status).toBe('rejected');
    expect(decent.status).toBe('fulfilled');
    const failing = readVerb('test.unknownReading', async () => {
      throw new Error('unknown');
    });
    await expect(store.read(failing, null)).rejects.toThrow(/unknown/i);
  });
});
