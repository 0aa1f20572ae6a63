/** Tests which people a job asks: each person once, identified by contact and by phone. */
import { beforeEach, expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { putBook } from '../../test/harness/contact-verbs.ts';
import { contact } from '../../test/harness/contacts.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { changeContacts } from '../contacts/contact-store.ts';
import type { Store } from '../storage/store.ts';
import { choosePeople } from './choose-people.ts';
import { standardSettings } from './job-type.ts';
import type { SavedRecipients } from './saved-job.ts';

const alice = 11;
const staff = 21;
const phone = (at: number) => `4670100000${at}`;

eachStore('whom a job asks', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: 1, name: 'Nordic Care' });
    await store.write(putUser, { id: alice, companyId: 1, username: 'alice' });
    await store.write(putBook, { id: staff, companyId: 1, name: 'Staff', defaultOf: [alice], groups: {} });
  });

  const put = (...changes: readonly ReturnType<typeof contact>[]) =>
    store.write(changeContacts, { bookId: staff, changes });

  async function choose(recipients: Partial<SavedRecipients>, exclude?: { readonly numbers: string[] }) {
    const none = { numbers: [], savedTagFilters: [], groups: [] };
    const content = { message: 'Come?', recipients: { ...none, ...recipients }, ...(exclude && { exclude }) };
    const job = { id: 71, companyId: 1, ownerId: 900, name: 'Night', type: 'Call', content };
    const settings = standardSettings('GMM');
    const choice = await choosePeople(store, { companyId: 1, userId: alice }, job, settings, {
      jobId: 71,
      keep: false,
    });
    if (choice.kind !== 'chosen') throw new Error(choice.kind);
    return choice.chosen;
  }

  test('[JOB-4] A contact is not mistaken for another whose external id equals the first one’s id in the store', async () => {
    await put(contact({ name: 'First', phone: phone(1) }, 'role:nurse'));
    const [first] = (await choose({ tagFilter: 'role:nurse' })).people;
    await put(
      contact({ externalId: String(first?.contactId), name: 'Second', phone: phone(2) }, 'role:nurse'),
      contact({ externalId: 'x', name: 'Third' }, 'role:nurse'),
    );
    const { people, leftOut } = await choose({ tagFilter: 'role:nurse' });
    expect(people.map(({ name }) => name)).toEqual(['First', 'Second', 'Third']);
    expect(leftOut).toMatchObject([{ name: 'Third', why: 'no phone number' }]);
  });

  test('[JOB-4] [JOB-13] Numbers as people write them match contacts, and a contact who shares a chosen number is left out as a duplicate', async () => {
    await put(
      contact({ externalId: 'a', name: 'Anna', phone: phone(1) }, 'role:nurse'),
      contact({ externalId: 'b', name: 'Bo', phone: phone(1) }, 'role:nurse'),
      contact({ externalId: 'c', name: 'Cleo', phone: phone(3) }, 'role:nurse'),
    );
    const numbers = ['+46 70-100 00 01', `00${phone(1)}`, phone(9)];
    const { people, leftOut } = await choose(
      { numbers, tagFilter: 'role:nurse' },
      { numbers: ['+46 701 000 003'] },
    );
    expect(people).toMatchObject([
      { name: 'Anna', phone: phone(1), contactId: 'a' },
      { name: '', phone: phone(9), contactId: '' },
    ]);
    expect(leftOut).toEqual([
      { name: 'Bo', contactId: 'b', phone: phone(1), why: 'twice' },
      { name: 'Cleo', contactId: 'c', phone: phone(3), why: 'excluded' },
    ]);
  });
});
