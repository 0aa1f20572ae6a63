import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { administering, emailAdminOf, keyOf, twoCompanies } from '../../../test/harness/email.ts';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { eachStore, type FreshStore, openFreshStore } from '../../../test/harness/stores.ts';
import type { Caller } from '../../accounts/caller.ts';
import { sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { readVerb, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { setDefaults, setEntry, unsetEntry } from './administer-senders.ts';
import { noSettings } from './sender-entry.ts';
import { changeDefaults, findEntry, putEntry, removeEntry } from './store.ts';

const care = emailAdminOf(1);
const taxi = emailAdminOf(2);
const by = { companyId: 1, username: 'admin', session: undefined, now: 1 };

function entryOf(email: string, payingUser: string) {
  return { key: keyOf(email), blocked: false, payingUser, settings: noSettings };
}

let tellWorked: () => void = () => undefined;

/** Does its work and commits a while later. */
function slowly<Answer>(name: string, work: (transaction: Transaction) => Promise<Answer>) {
  return singleWriteVerb(`test.${name}`, async (transaction, _: null) => {
    const answer = await work(transaction);
    tellWorked();
    await transaction.all(sql`SELECT pg_sleep(0.4)`);
    return answer;
  });
}

/** All connections opened before that time must have closed, because only then have they reported their deadlocks. */
const readDeadlocks = readVerb('test.readDeadlocks', async (reading, before: number) =>
  reading.first<{ deadlocks: number; open: number }>(
    sql`SELECT deadlocks, (SELECT count(*) FROM pg_stat_activity
          WHERE datname = current_database() AND backend_start < to_timestamp(${before}::float8 / 1000)) AS open
        FROM pg_stat_database WHERE datname = current_database()`,
  ),
);

eachStore('e-mail senders that several change at the same time', (engine) => {
  let fresh: FreshStore;
  let store: Store;
  let others: Store;
  beforeEach(async () => {
    // A database keeps the deadlock count of earlier tests, so each test has its own.
    fresh = await openFreshStore(engine.name, 'unused');
    store = fresh.store;
    others = await fresh.openAnother();
    await provisioningOf(() => store).linesOf(twoCompanies);
  });
  afterEach(() => fresh.dispose());

  const kindOf = async (address: string) => (await findEntry(store, address)).kind;

  const noBob =
    'companies: [{ name: Care, allowedDomainEndings: [.example], users: [{ username: bob, remove: true }] }]';
  const noCare = 'companies: [{ name: Care, remove: true }]';
  const onPostgres = test.runIf(engine.name === 'postgres');

  /** The second transaction starts after the first has done its work but before the first commits. */
  async function overlapping(first: () => Promise<unknown>, second: () => Promise<unknown>) {
    const worked = new Promise<void>((resolve) => {
      tellWorked = resolve;
    });
    const begun = first();
    await Promise.race([worked, begun]);
    return Promise.allSettled([begun, second()]);
  }

  const putSlowly = slowly('putEntry', (transaction) =>
    putEntry.run(transaction, [{ by, companyId: 1, ...entryOf('a@x.shared.example', 'bob') }]),
  );
  const ofTaxi = (sender: string) =>
    `companies: [{ name: Taxi, id: 2, allowedDomainEndings: [.shared.example], emailSenders: [${sender}] }]`;

  onPostgres(
    '[RUN-2] [E2S-4] A payer of an e-mail sender cannot be removed, and a removed company takes its senders along',
    async () => {
      const changeSlowly = slowly('changeDefaults', (transaction) =>
        changeDefaults.run(transaction, [{ by, companyId: 1, payingUser: 'alice', settings: noSettings }]),
      );
      const { linesOf, faultsOf } = provisioningOf(() => store);
      const [put, removed] = await overlapping(
        () => store.write(putSlowly, null),
        () => faultsOf(noBob),
      );
      expect([put, removed]).toMatchObject([
        { status: 'fulfilled', value: [{ kind: 'put' }] },
        {
          status: 'fulfilled',
          value: [expect.stringContaining('the user bob pays for the e-mail sender a@x.shared.example')],
        },
      ]);
      expect(await kindOf('a@x.shared.example')).toBe('allowed');
      const [changed, gone] = await overlapping(
        () => store.write(changeSlowly, null),
        () => linesOf(noCare),
      );
      expect([changed, gone]).toMatchObject([
        { status: 'fulfilled', value: [{ kind: 'changed' }] },
        { status: 'fulfilled', value: expect.arrayContaining(['- e-mail defaults of Care']) },
      ]);
      expect(await kindOf('a@x.shared.example')).toBe('unknown');
    },
  );

  onPostgres(
    '[RUN-2] [E2S-3] An e-mail sender that another company took meanwhile is a fault of the provisioning file',
    async () => {
      const ward = '{ email: a@x.shared.example, payinguser: tom }';
      const [, set] = await overlapping(
        () => store.write(putSlowly, null),
        () => provisioningOf(() => store).faultsOf(ofTaxi(ward)),
      );
      const taken = expect.stringContaining('a@x.shared.example is on the list of the company Care');
      expect(set).toEqual({ status: 'fulfilled', value: [taken] });

      await unsetEntry(administering(store), care, keyOf('a@x.shared.example'));
      await setEntry(administering(store), taxi, entryOf('a@x.shared.example', 'tom'));
      const changeHands = slowly('changeHands', async (transaction) => {
        await removeEntry.run(transaction, [{ by, companyId: 2, key: keyOf('a@x.shared.example') }]);
        await putEntry.run(transaction, [{ by, companyId: 1, ...entryOf('a@x.shared.example', 'bob') }]);
      });
      const [, removed] = await overlapping(
        () => store.write(changeHands, null),
        () => provisioningOf(() => store).faultsOf(ofTaxi('{ email: a@x.shared.example, remove: true }')),
      );
      expect(removed).toEqual({ status: 'fulfilled', value: [taken] });
      expect(await findEntry(store, 'a@x.shared.example')).toMatchObject({ payer: { username: 'bob' } });
    },
  );

  onPostgres(
    '[RUN-2] [E2S-4] A call for a payer or company that is just being removed is refused',
    async () => {
      const removeBob = slowly('removeBob', async (transaction) => {
        await transaction.run(sql`DELETE FROM users WHERE id = 12`);
      });
      const removeTaxi = slowly('removeTaxi', async (transaction) => {
        await transaction.run(sql`DELETE FROM users WHERE company_id = 2`);
        await transaction.run(sql`DELETE FROM companies WHERE id = 2`);
      });
      const [, put] = await overlapping(
        () => store.write(removeBob, null),
        () => setEntry(administering(store), care, entryOf('a@x.shared.example', 'bob')),
      );
      expect(put).toMatchObject({ status: 'rejected', reason: { code: 'invalid_paying_user' } });
      const [, changed] = await overlapping(
        () => store.write(removeTaxi, null),
        () => setDefaults(administering(store), taxi, { payingUser: undefined, settings: noSettings }),
      );
      expect(changed).toMatchObject({ status: 'rejected', reason: { code: 'unauthorised' } });
    },
  );

  const callers = [care, taxi] as const;
  const payers = [['alice', 'bob', '11'], ['tom']] as const;
  /** Each transaction touches both companies and many addresses, and one node uses the opposite order to the other. */
  function crosswise(work: (node: Store, index: number) => readonly Promise<unknown>[]) {
    const indexes = Array.from({ length: 20 }, (_, index) => index);
    return [
      ...indexes.flatMap((index) => work(store, index)),
      ...indexes.toReversed().flatMap((index) => work(others, index)),
    ];
  }
  const setBoth = (node: Store, index: number) => {
    const caller = callers[index % 2] as Caller;
    const named = payers[index % 2] as readonly string[];
    const payingUser = named[index % named.length] as string;
    return [
      setEntry(administering(node), caller, entryOf(`a${index}@x.shared.example`, payingUser)),
      setDefaults(administering(node), caller, { payingUser, settings: noSettings }),
    ];
  };

  async function expectNoDeadlocks() {
    if (engine.name === 'sqlite') return;
    const before = Date.now();
    await others.close();
    store = await fresh.reopen();
    await vi.waitFor(async () => {
      expect(await store.read(readDeadlocks, before)).toEqual({ deadlocks: 0, open: 0 });
    }, 300_000);
  }

  test('[RUN-2] [E2S-3] Two nodes that set and unset the same e-mail senders do not deadlock', async () => {
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(crosswise(setBoth));
      const unset = await Promise.allSettled(
        crosswise((node, index) => [
          unsetEntry(administering(node), callers[index % 2] as Caller, keyOf(`a${index}@x.shared.example`)),
        ]),
      );
      expect(unset.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    }
    await expectNoDeadlocks();
  });

  test('[RUN-2] [E2S-4] Removing payers and companies while their e-mail senders are set does not deadlock', async () => {
    const setting = crosswise(setBoth);
    const removing = [
      'users: [{ username: bob, remove: true }]',
      'users: [{ username: alice, remove: true }]',
    ].map((users) =>
      provisioningOf(() => store).apply(
        `companies: [{ name: Care, allowedDomainEndings: [.shared.example], ${users} }]`,
      ),
    );
    const outcomes = await Promise.allSettled(setting);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'invalid_paying_user' });
    }
    await Promise.all(removing);
    const [first, second] = [crosswise(setBoth), provisioningOf(() => store).apply(noCare)];
    for (const outcome of await Promise.allSettled(first)) {
      if (outcome.status === 'rejected')
        expect(['invalid_paying_user', 'unauthorised']).toContain((outcome.reason as { code: string }).code);
    }
    expect(await second).toMatchObject({ kind: 'applied' });
    expect(await kindOf('a0@x.shared.example')).toBe('unknown');
    await expectNoDeadlocks();
  });
});
