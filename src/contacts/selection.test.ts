import { beforeEach, expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { putBook } from '../../test/harness/contact-verbs.ts';
import { contact } from '../../test/harness/contacts.ts';
import { eachStore } from '../../test/harness/stores.ts';
import type { Store } from '../storage/store.ts';
import { changeContacts } from './contact-store.ts';
import { findPeople } from './people.ts';
import { type SelectionQuery, selectNumbers } from './select-recipients.ts';

const alice = 11;
const staff = 21;
const phone = (at: number) => `4670100000${at}`;

eachStore('whom a selection reaches', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: 1, name: 'Nordic Care' });
    await store.write(putUser, { id: alice, companyId: 1, username: 'alice' });
    await store.write(putBook, {
      id: staff,
      companyId: 1,
      name: 'Staff',
      defaultOf: [alice],
      groups: {
        // The first has no phone, and the second is gone.
        day: [
          { contact: 'none' },
          { contact: 'gone' },
          { contact: 'c' },
          { contact: 'a' },
          { number: phone(7) },
        ],
        night: [{ number: phone(1) }, { contact: 'b' }, { contact: 'c' }, { number: phone(8) }],
        silent: [{ contact: 'none' }, { contact: 'gone' }],
      },
    });
    await store.write(changeContacts, {
      bookId: staff,
      changes: [
        contact({ externalId: 'none', name: 'No phone' }, 'role:nurse'),
        contact({ externalId: 'a', phone: phone(1) }, 'role:nurse'),
        contact({ externalId: 'b', phone: phone(2) }, 'role:nurse'),
        contact({ externalId: 'c', phone: phone(3) }, 'role:doctor'),
        contact({ externalId: 'd', phone: phone(1) }, 'role:nurse'),
        contact({ externalId: 'e', phone: phone(4) }, 'role:nurse'),
      ],
    });
  });

  const nothing = { companyId: 1, filter: undefined, savedFilters: [], groups: [], limit: 1_000 };
  const nurses = [{ tagType: 'role', tagValues: ['nurse'] }];
  const select = (what: Partial<SelectionQuery>) =>
    selectNumbers(store, { userId: alice, ...nothing, ...what });

  test('[SEND-8] Group members without a phone number do not take the place of members who have one', async () => {
    expect(await select({ groups: ['day'], limit: 3 })).toMatchObject({
      byGroups: [phone(3), phone(1), phone(7)],
    });
    expect(await select({ groups: ['day'], limit: 2 })).toMatchObject({ byGroups: [phone(3), phone(1)] });
  });

  test('[SEND-3] [SEND-8] People who share a phone are selected once and count once', async () => {
    expect(await select({ filter: nurses, limit: 3 })).toMatchObject({
      byFilters: [phone(1), phone(2), phone(4)],
    });
  });

  test('[SEND-3] [SEND-8] Several groups together give each phone number once, in their order, and no more than asked for', async () => {
    const night = [phone(1), phone(2), phone(3), phone(8)];
    expect(await select({ groups: ['night', 'day'] })).toMatchObject({ byGroups: [...night, phone(7)] });
    expect(await select({ groups: ['day', 'night'] })).toMatchObject({
      byGroups: [phone(3), phone(1), phone(7), phone(2), phone(8)],
    });
    expect(await select({ groups: ['night', 'day'], limit: 4 })).toMatchObject({ byGroups: night });
  });

  test('[SEND-3] [SEND-8] People selected by the filter are not selected again by the groups', async () => {
    expect(await select({ filter: nurses, groups: ['night', 'day'] })).toMatchObject({
      byFilters: [phone(1), phone(2), phone(4)],
      byGroups: [phone(3), phone(8), phone(7)],
    });
  });

  test('[SEND-8] Contacts of groups without any phone number are counted, each once', async () => {
    expect(await select({ groups: ['silent'] })).toMatchObject({ byGroups: [], withoutPhone: 1 });
    expect(await select({ groups: ['silent', 'day'] })).toMatchObject({ withoutPhone: 0 });
  });

  test('[JOB-3] The people of a job are found completely, or not at all if there are too many', async () => {
    const none = { numbers: [], filters: [], savedFilters: [], groups: [] };
    const find = (what: object, limit: number) =>
      findPeople(store, {
        companyId: 1,
        userId: alice,
        selections: [none, { ...none, ...what }],
        limit,
      });
    const found = await find({ filters: [nurses], groups: ['night'] }, 6);
    if (found.kind !== 'found') throw new Error(found.kind);
    expect(found.people.map((people) => people.map(({ contactId }) => contactId))).toEqual([
      [],
      ['none', 'a', 'b', 'd', 'e', 'a', 'b', 'c', ''],
    ]);
    expect(await find({ filters: [nurses] }, 5)).toEqual({ kind: 'tooMany' });
    expect(await find({ groups: ['night'] }, 4)).toEqual({ kind: 'tooMany' });
  });

  test('[JOB-3] [JOB-13] Many levels may match the same people, but not any number of different ones', async () => {
    const wards = Array.from({ length: 8 }, (_, at) => `ward${at}`);
    const changes = wards.flatMap((ward) =>
      Array.from({ length: 4 }, (_, at) => contact({ externalId: `${ward} ${at}` }, `place:${ward}`)),
    );
    await store.write(changeContacts, { bookId: staff, changes });
    const find = (asked: readonly string[]) =>
      findPeople(store, {
        companyId: 1,
        userId: alice,
        selections: asked.map((ward) => ({
          numbers: [],
          filters: [[{ tagType: 'place', tagValues: [ward] }]],
          savedFilters: [],
          groups: [],
        })),
        limit: 5,
      });
    const again = await find(wards.map(() => 'ward1'));
    if (again.kind !== 'found') throw new Error(again.kind);
    expect(again.people.map((people) => people.length)).toEqual(wards.map(() => 4));
    expect(new Set(again.people.flat()).size).toBe(4);
    expect(await find(wards.slice(0, 6))).toMatchObject({ kind: 'found' });
    expect(await find(wards)).toEqual({ kind: 'tooMany' });
  });
});
