import { beforeEach, expect, test } from 'vitest';
import { putCompany } from '../../test/harness/account-verbs.ts';
import { until } from '../../test/harness/awake.ts';
import { countPersonalRows, putBook } from '../../test/harness/contact-verbs.ts';
import { contact } from '../../test/harness/contacts.ts';
import { FaultyStore } from '../../test/harness/faulty-store.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { changeBooks, removeBooks } from '../contacts/book-records.ts';
import { removeAllContacts } from '../contacts/change-contacts.ts';
import { changeContacts, listContacts } from '../contacts/contact-store.ts';
import { sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { readLastApplied } from './store.ts';

const bookId = 21;
const book = { id: bookId, name: 'Staff', company: 'Care', savedTagFilters: {}, groups: {} };
const remove = 'companies: [{ name: Care, addressBooks: [{ name: Staff, remove: true }] }]';
const nobody = { contacts: 0, tags: 0, members: 0 };

let tellWorked: () => void = () => undefined;

/** Does the work and commits half a second later. */
function slowly<Answer>(name: string, work: (transaction: Transaction) => Promise<Answer>) {
  return singleWriteVerb(`test.${name}`, async (transaction, _: null) => {
    const answer = await work(transaction);
    tellWorked();
    await transaction.all(sql`SELECT pg_sleep(0.5)`);
    return answer;
  });
}

const anna = contact({ externalId: 'a', phone: '46701000001' }, 'role:nurse');
const bringAnna = slowly('bringAnna', (transaction) =>
  changeContacts.run(transaction, [{ bookId, changes: [anna] }]),
);

eachStore('a book that is changed while it goes', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: 1, name: 'Care' });
    await store.write(putBook, { id: bookId, companyId: 1, name: 'Staff' });
  });

  const onPostgres = test.runIf(engine.name === 'postgres');

  /** The second starts after the first has done its work but before it commits. */
  async function overlapping(first: () => Promise<unknown>, second: () => Promise<unknown>) {
    const worked = new Promise<void>((resolve) => {
      tellWorked = resolve;
    });
    const begun = first();
    await Promise.race([worked, begun]);
    return Promise.all([begun, second()]);
  }

  onPostgres('[RUN-2] contacts that come meanwhile are removed along with it', async () => {
    await overlapping(
      () => store.write(bringAnna, null),
      () => provisioningOf(() => store).linesOf(remove),
    );
    expect(await store.read(countPersonalRows, bookId)).toEqual(nobody);
  });

  onPostgres('[RUN-2] its removal waits for them itself, and its emptying too', async () => {
    const removeBook = singleWriteVerb('test.removeBook', (transaction, _: null) =>
      removeBooks(transaction, [book]),
    );
    await overlapping(
      () => store.write(bringAnna, null),
      () => removeAllContacts(store, bookId),
    );
    expect(await store.read(countPersonalRows, bookId)).toEqual(nobody);
    await overlapping(
      () => store.write(bringAnna, null),
      () => store.write(removeBook, null),
    );
    expect(await store.read(countPersonalRows, bookId)).toEqual(nobody);
  });

  onPostgres('[RUN-2] who is removed while a group gets them is in no group', async () => {
    await store.write(changeContacts, { bookId, changes: [anna] });
    const group = slowly('makeGroup', (transaction) =>
      changeBooks(transaction, [{ ...book, groups: { board: ['contact a'] } }], [book]),
    );
    const changes = [contact({ externalId: 'a', remove: true })];
    await overlapping(
      () => store.write(group, null),
      () => store.write(changeContacts, { bookId, changes }),
    );
    expect(await store.read(countPersonalRows, bookId)).toEqual(nobody);
  });

  test('[RUN-3] Contacts of an address book that were removed before the rest of the file was refused are reported', async () => {
    await store.write(changeContacts, { bookId, changes: [anna] });
    const faulty = new FaultyStore(store);
    const letGo = faulty.hold('provisioning.apply', 1);
    const withEve = remove.replace('remove: true }]', 'remove: true }], users: [{ username: eve, id: 7 }]');
    const first = provisioningOf(() => faulty).faultsOf(withEve);
    await until(() => faulty.calls.includes('provisioning.apply'));
    await provisioningOf(() => store).linesOf(
      'companies: [{ name: Taxi, users: [{ username: taxi, id: 7 }] }]',
    );
    letGo();
    expect(await first).toEqual([
      expect.stringContaining('id'),
      '- 1 contact of Staff in Care (removed before the rest of the file was refused; the address book itself is still there)',
    ]);
  });

  test('[RUN-3] A provisioning file that is skipped empties no address book', async () => {
    const { linesOf, apply } = provisioningOf(() => store);
    await linesOf(remove);
    expect(await store.read(readLastApplied, '/etc/carillon.yaml')).toBe(remove);
    await store.write(putBook, { id: bookId, companyId: 1, name: 'Staff' });
    await store.write(changeContacts, { bookId, changes: [anna] });
    expect(await apply(remove, { when: 'contentChanged' })).toEqual({ kind: 'skipped' });
    expect(await store.read(listContacts, { bookId, afterId: 0, limit: 10 })).toHaveLength(1);
  });
});
