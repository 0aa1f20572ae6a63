import { expect, test } from 'vitest';
import { countOfNumber, plant, readColumns } from '../../test/harness/search-verbs.ts';
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
});
