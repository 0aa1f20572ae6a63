/**
 * Tests what all resources have in common in the store, using filters; `test/api/resources.test.ts` tests each of them
 * through the API.
 */
import { expect, test } from 'vitest';
import { putCompany } from '../../test/harness/account-verbs.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { listAudit } from '../audit/audit-log.ts';
import { findBooksByName } from '../contacts/address-book.ts';
import { filters } from '../contacts/management/filters.ts';
import { groups } from '../contacts/management/groups.ts';
import type { Store } from '../storage/store.ts';
import { isRefused, objectName } from './declaration.ts';

const by = { companyId: 1, username: 'ada', session: undefined, now: 5_000 };
const unlimited = { ifMatch: undefined, rename: undefined, more: undefined };

eachStore('a resource', (engine) => {
  async function openWithBook(): Promise<{
    readonly store: Store;
    readonly inBook: typeof by & { scopeId: number };
  }> {
    const { store } = await engine.openFreshStore();
    await store.write(putCompany, { id: 1, name: 'Care' });
    const { linesOf } = provisioningOf(() => store);
    await linesOf(`companies:
  - name: Care
    addressBooks:
      - name: Staff
        savedTagFilters: { nurses: "role:nurse" }
`);
    const [book] = await store.read(findBooksByName, { company: 'Care', name: 'Staff' });
    return { store, inBook: { ...by, scopeId: book?.id as number } };
  }

  const acts = async (store: Store) =>
    (await store.read(listAudit, { companyId: 1, before: null, limit: 10 })).map(
      ({ act, object, details }) => `${act} ${object}: ${details}`,
    );

  test('[PORT-4] [PORT-7] Renaming logs the old and the new name, and fails if the name is taken or a file manages either', async () => {
    const { store, inBook } = await openWithBook();
    const make = (name: string) =>
      store.write(filters.create, { ...inBook, name, values: { filter: `ward:${name}` }, more: undefined });
    const rename = async (key: string, to: string) => {
      const values = { filter: undefined };
      const outcome = await store.write(filters.change, { ...inBook, ...unlimited, key, rename: to, values });
      return isRefused(outcome) ? outcome.refused.code : outcome.key;
    };
    await make('7');
    await make('8');
    expect(await rename('7', '8')).toBe('taken');
    expect(await rename('7', 'nurses')).toBe('managed');
    expect(await rename('nurses', '9')).toBe('managed');
    expect(await rename('7', '9')).toBe('9');
    expect(await rename('7', '10')).toBe('not_found');
    const [renamed] = await acts(store);
    expect(renamed).toBe(`filter.save 7: address book ${inBook.scopeId}, now “9”`);
  });

  test('[PORT-3] A resource that no user owns cannot be looked up by an owner', async () => {
    const { store, inBook } = await openWithBook();
    const { scopeId } = inBook;
    const finding = store.read(filters.find, { scopeId, ownerId: 11, key: 'nurses' });
    await expect(finding).rejects.toThrow('filters: no user owns one');
    expect(await store.read(filters.find, { scopeId, key: 'nurses' })).toMatchObject({ managed: true });
  });

  test('[PORT-4] When several callers make, change or remove the same resource at once, one succeeds and the others are refused', async () => {
    const { store, inBook } = await openWithBook();
    const made = await Promise.all(
      [1, 2, 3, 4].map((ward) =>
        store.write(filters.create, {
          ...inBook,
          name: 'same',
          values: { filter: `ward:${ward}` },
          more: undefined,
        }),
      ),
    );
    expect(made.map((one) => (isRefused(one) ? one.refused.code : 'made')).sort()).toEqual([
      'made',
      'taken',
      'taken',
      'taken',
    ]);
    const found = await store.read(filters.find, { scopeId: inBook.scopeId, key: 'same' });
    const known = { ...inBook, ...unlimited, key: 'same', ifMatch: [String(found?.version)] };
    const changed = await Promise.all(
      [5, 6, 7].map((ward) => store.write(filters.change, { ...known, values: { filter: `ward:${ward}` } })),
    );
    const refused = changed.flatMap((one) => (isRefused(one) ? one.refused.code : []));
    expect(refused).toEqual(['changed_meanwhile', 'changed_meanwhile']);
    const removed = await store.write(filters.remove, known);
    expect(removed).toMatchObject({ refused: { code: 'changed_meanwhile' } });
    expect(await store.write(filters.remove, { ...known, ifMatch: undefined })).toBeNull();
    expect(await store.write(filters.remove, { ...known, ifMatch: undefined })).toMatchObject({
      refused: { code: 'not_found' },
    });
  });
});

test('[DLV-8] The weight of a change of a group grows with its members, so that other calls get their turn in between', () => {
  const add = Array.from({ length: 900 }, (_, place) => `4670174${1_000 + place}`);
  const change = {
    ...by,
    scopeId: 11,
    key: 'night',
    ...unlimited,
    values: {},
    more: { add, remove: [1, 2] },
  };
  expect(groups.change.weight(change)).toBe(903);
  expect(groups.change.weight({ ...change, more: undefined })).toBe(1);
});

test('[CONV-12] A resource’s name is one line of at most 100 characters, whatever they are, and not a step in a path', () => {
  expect(objectName(' night shift ')).toEqual({ ok: true, value: 'night shift' });
  expect(objectName('🌙'.repeat(100))).toMatchObject({ ok: true });
  for (const wrong of ['🌙'.repeat(101), ' ', '.', '..', 'a\nb', '\ud800'])
    expect(objectName(wrong)).toMatchObject({ ok: false, code: 'invalid_value' });
});
