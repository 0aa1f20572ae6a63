/** Claim: a tag filter over a large address book is resolved in a fraction of a second. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../src/app/open-store.ts';
import { changeManyContacts } from '../src/contacts/change-contacts.ts';
import type { ContactChange } from '../src/contacts/contact.ts';
import { type Selection, selectRecipients } from '../src/contacts/select-recipients.ts';
import { listTags } from '../src/contacts/tags.ts';
import { systemClock } from '../src/foundation/clock.ts';
import { Sealing } from '../src/foundation/sealing.ts';
import { applyFile } from '../src/provisioning/apply.ts';
import type { Store } from '../src/storage/store.ts';
import type { TagFilter } from '../src/wire/tag-filter.ts';
import { startPostgres } from '../test/harness/postgres.ts';
import { type Figure, medianOf, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { runWhenMain } from './run.ts';

const userId = 501;
const bookId = 11;
const selected = 10_000;
/** The maximum number of recipients per call, plus one to see whether there are more. */
const limit = 30_001;

const selectionBy = (filter: TagFilter): Selection => ({
  filterField: 'toaddressbooktagfilterjson',
  filter,
  savedFilters: [],
  groups: [],
});

const provisioning = `companies:
  - name: Bench
    users: [{ username: ada, id: ${userId}, defaultAddressBook: Staff }]
    addressBooks: [{ name: Staff, id: ${bookId} }]
`;

export async function contacts(options: Options): Promise<Report> {
  const { quick, rounds = quick ? 3 : 15 } = options;
  const sizes = quick ? [100_000] : [100_000, 1_000_000];
  const figures: Figure[] = [];
  for (const engine of options.engines)
    for (const size of sizes)
      figures.push(...(await withBook(engine, (store) => measure(store, { engine, size, rounds }))));
  return {
    name: 'contacts',
    claim: `A filter of two parts over 100,000 contacts with 5 tags each, which selects ${selected.toLocaleString('en')} of them, is resolved within 250 ms, in reads that each take a small part of that time.`,
    method: [
      `One address book. The filter selects ${selected.toLocaleString('en')} contacts whatever the size of the book: those in two wards of 10,000 people each who have one of two of the four shifts. Measured from the call until the thread that serves requests has the phone numbers.`,
      'The contacts are written by the verb that `carillon contacts import` and `carillon apply` use, in transactions of 300. The benchmark runs no ANALYZE; PostgreSQL may have run one on its own.',
      'Nothing else runs in the store.',
    ],
    figures,
  };
}

async function withBook(
  engine: Engine,
  work: (store: Store) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  const postgres = engine === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  const log = { warn: console.error, fatal: console.error };
  try {
    const store = await openStore({ dataFolder: folder, databaseUrl: postgres?.url }, log, {
      schema: 'migrate',
    });
    try {
      const file = { path: '/bench', content: provisioning, contentHash: '' };
      const applied = await applyFile(
        { store, clock: systemClock, sealing: new Sealing('of the benchmark') },
        file,
      );
      if (applied.kind !== 'applied') throw new Error(`the book was not made: ${JSON.stringify(applied)}`);
      return await work(store);
    } finally {
      await store.close();
    }
  } finally {
    await postgres?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Measurement {
  readonly engine: Engine;
  readonly size: number;
  readonly rounds: number;
}

async function measure(store: Store, { engine, size, rounds }: Measurement): Promise<readonly Figure[]> {
  const at = `at ${size.toLocaleString('en')}`;
  const caller = { companyId: 1, userId };
  const startedAt = performance.now();
  for (let first = 0; first < size; first += selected)
    await changeManyContacts(store, bookId, people(first, size));
  const importMs = performance.now() - startedAt;
  const filter = [
    { tagType: 'ward', tagValues: ['w0', 'w1'] },
    { tagType: 'shift', tagValues: ['s0', 's1'] },
  ];
  const filterMs = await time(rounds, async () => {
    const { sources } = await selectRecipients(store, caller, selectionBy(filter), { limit });
    const found = sources.reduce((sum, { numbers }) => sum + numbers.length, 0);
    if (found !== selected) throw new Error(`the filter selected ${found}`);
  });
  const broad = [{ tagType: 'status', tagValues: ['active'] }, ...filter];
  const broadMs = await time(rounds, () => selectRecipients(store, caller, selectionBy(broad), { limit }));
  const tagsMs = await time(Math.min(rounds, 5), () => listTags(store, caller, bookId));
  const claim = size === 100_000 ? { atMost: 250 } : undefined;
  return [
    { engine, what: `${at}: import`, value: size / (importMs / 1_000), unit: 'contacts/s' },
    medianOf(filterMs, { engine, what: `${at}: a filter of two parts`, unit: 'ms' }, claim),
    medianOf(broadMs, { engine, what: `${at}: with a third part that all contacts meet`, unit: 'ms' }),
    medianOf(tagsMs, { engine, what: `${at}: all tags with their counts`, unit: 'ms' }),
  ];
}

/** Milliseconds per round, after one warm-up round. */
async function time(rounds: number, work: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const startedAt = performance.now();
    await work();
    if (round > 0) times.push(performance.now() - startedAt);
  }
  return times;
}

function people(first: number, size: number): readonly ContactChange[] {
  const wards = size / selected;
  return Array.from({ length: selected }, (_, index) => {
    const person = first + index;
    return {
      externalId: String(person),
      name: `Person ${person}`,
      phone: String(46_700_000_000 + person),
      email: `person${person}@care.example`,
      app: undefined,
      // Sorted, as all tags are. Neighbouring people have different tags, so that no index is read sequentially.
      tags: [
        { type: 'language', value: `l${person % 7}` },
        { type: 'role', value: `r${person % 11}` },
        { type: 'shift', value: `s${Math.floor(person / wards) % 4}` },
        { type: 'status', value: 'active' },
        { type: 'ward', value: `w${person % wards}` },
      ],
      remove: false,
    };
  });
}

await runWhenMain(import.meta, contacts);
