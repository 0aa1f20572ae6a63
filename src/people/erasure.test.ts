import { expect, test } from 'vitest';
import { listUnmatched } from '../../test/harness/delivery-verbs.ts';
import { countOfNumber, plant, plantRows, readColumns } from '../../test/harness/search-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { eraseStep, requestErasure } from './erasure.ts';

const number = '46701740699';
const companyId = 1;

eachStore('an erasure', (engine) => {
  test('[PORT-7] takes little at a time, in however many books and runs the person stands, and leaves nothing', async () => {
    const { store } = await engine.openFreshStore();
    const columns = await store.read(readColumns, null);
    const plantRow = (table: string, own: Readonly<Record<string, number | string>>) => {
      const values = columns
        .filter((column) => column.table === table && column.name !== 'managed_by')
        .map(({ name, isText }) => [name, own[name] ?? (isText ? 'x' : 1)] as const);
      return store.write(plant, { table, values: Object.fromEntries(values) });
    };
    await plantRow('companies', { id: companyId });
    for (let id = 1; id <= 45; id += 1) {
      await plantRow('address_books', { id, name: `book ${id}` });
      await plantRow('contacts', { book_id: id, id, phone: number });
    }
    const person = JSON.stringify({ place: 0, phone: number, name: 'Eva' });
    for (let id = 1; id <= 3; id += 1) {
      await plantRow('job_runs', { id });
      await plantRow('job_people', { run_id: id, place: 0, person });
    }
    const asked = { companyId, username: 'alice', session: undefined, digest: 'd7', number, now: 1_000 };
    const requested = await store.write(requestErasure, asked);
    if (requested.kind !== 'requested') throw new Error('it was refused');
    const { id } = requested.erasure;
    let left = await store.read(countOfNumber, number);
    expect(left).toEqual({ contacts: 45, people: 3 });
    const most = { contacts: 0, people: 0 };
    for (let kind = 'goesOn'; kind !== 'done'; ) {
      ({ kind } = await store.write(eraseStep, { id, now: 10_000 }));
      expect(kind).not.toBe('nothingDue');
      const now = await store.read(countOfNumber, number);
      most.contacts = Math.max(most.contacts, left.contacts - now.contacts);
      most.people = Math.max(most.people, left.people - now.people);
      left = now;
    }
    expect(most).toEqual({ contacts: 20, people: 1 });
    expect(left).toEqual({ contacts: 0, people: 0 });
  });

  test('[PORT-7] takes the receipts of no message that tell the number, wherever it stands in them', async () => {
    const { store } = await engine.openFreshStore();
    const others = Array.from({ length: 2_400 }, (_, place) => [
      ...[place, '46701740640', 'delivered to 46701740641', 2_000 + Math.floor(place / 3)],
    ]);
    const told = [
      [2_400, number, null, 1],
      [2_401, null, `id:7 to:+${number}`, 2_300],
      [2_402, '0701740699', null, 2_333],
      [number, null, null, 9_000],
    ];
    const columns = {
      carrier_message_id: 'text',
      recipient: 'text',
      text: 'text',
      received_at: 'bigint',
    } as const;
    const rows = [...others, ...told].map(([id = null, ...rest]) => [1, String(id), ...rest]);
    await store.write(plantRows, {
      table: 'unmatched_receipts',
      columns: { carrier_id: 'bigint', ...columns },
      rows,
    });
    const asked = { companyId, username: 'alice', session: undefined, digest: 'd7', number, now: 1_000 };
    await store.write(requestErasure, asked);
    for (let kind = 'goesOn'; kind !== 'done'; ) {
      ({ kind } = await store.write(eraseStep, { id: 1, now: 10_000 }));
      expect(kind).not.toBe('nothingDue');
    }
    expect(await store.read(listUnmatched, null)).toHaveLength(others.length);
  });
});
