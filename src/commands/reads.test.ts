/** Tests what commands and operators' actions read from the store beyond what users read, on both engines. */
import { beforeAll, describe, expect, test } from 'vitest';
import { putUser } from '../../test/harness/account-verbs.ts';
import { advanceAll, putBatch } from '../../test/harness/batches.ts';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { jobsProvisioning } from '../../test/harness/jobs.ts';
import { JobsRoom } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { hasLogin, listOperators, listUsers } from '../accounts/logins.ts';
import { readPasswordIsManaged } from '../accounts/set-keys.ts';
import { inspectBatch, listBatches } from '../batches/reading/info.ts';
import { findRunOf, listLatestRuns } from '../jobs/management/runs.ts';
import { findSavedJob, listAllJobs } from '../jobs/saved-job.ts';
import { readQuotaLeft } from '../messages/charging.ts';
import { status } from '../messages/message.ts';
import { readVisible } from '../messages/operator/inspect.ts';
import type { Store } from '../storage/store.ts';

const file = `${jobsProvisioning({
  jobs: [
    '{ id: 71, owner: nordic-jobs, name: Night, type: Call, message: "Come?", recipients: { numbers: ["46701740699"] } }',
  ],
})}
operators:
  - { username: root, password: "root's long password" }
  - { username: toor, passwordHash: "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$aGFzaA" }
`;

eachStore('what commands read', (engine) => {
  let store: Store;

  describe('of what a file has set', () => {
    let users: Readonly<Record<string, number>>;
    beforeAll(async () => {
      ({ store } = await engine.openFreshStore());
      await provisioningOf(() => store).linesOf(file);
      const accounts = await store.read(listUsers, { after: '', limit: 10 });
      users = Object.fromEntries(accounts.map(({ user }) => [user.username, user.id]));
    });

    test('[RUN-3] Commands list users and operators by name, page by page', async () => {
      expect(Object.keys(users)).toEqual(['alice', 'bob', 'carol', 'dave']);
      const page = await store.read(listUsers, { after: 'alice', limit: 2 });
      expect(page.map(({ user, company }) => [user.username, company.name])).toEqual([
        ['bob', 'Nordic Care'],
        ['carol', 'Nordic Care'],
      ]);
      const operators = (after: string, limit: number) => store.read(listOperators, { after, limit });
      expect(await operators('', 1)).toEqual([{ username: 'root' }]);
      expect(await operators('root', 10)).toEqual([{ username: 'toor' }]);
    });

    test('[RUN-3] [PORT-6] Commands read who has a login, and whose password a file has set', async () => {
      const has = (kind: 'user' | 'operator', username: string) => store.read(hasLogin, { kind, username });
      expect([await has('user', 'alice'), await has('operator', 'alice')]).toEqual([true, false]);
      expect([await has('user', 'root'), await has('operator', 'root')]).toEqual([false, true]);
      const isManaged = (username: string) => store.read(readPasswordIsManaged, username);
      expect([await isManaged('alice'), await isManaged('nobody')]).toEqual([true, false]);
    });

    test('[JOB-1] [JOB-13] Commands read all saved jobs, those that a user may start, and what is left of a quota', async () => {
      expect(await store.read(listAllJobs, 10)).toMatchObject([
        { company: 'Nordic Care', id: 71, owner: 'nordic-jobs', name: 'Night', type: 'Call' },
        { id: 99, owner: 'other-jobs' },
      ]);
      expect(await store.read(listAllJobs, 1)).toHaveLength(1);
      const find = (username: string, id: number) =>
        store.read(findSavedJob, { userId: users[username] as number, id });
      expect(await find('alice', 71)).toMatchObject({ job: { name: 'Night' }, type: { name: 'Call' } });
      expect([await find('alice', 99), await find('bob', 71)]).toEqual([null, null]);
      const left = (username: string) => store.read(readQuotaLeft, users[username] as number);
      expect([await left('dave'), await left('alice')]).toEqual([2, null]);
    });
  });

  test('[RUN-3] [BATCH-8] Commands list all batches, the latest first, and count the messages of one batch by status', async () => {
    ({ store } = await engine.openFreshStore());
    await fillStore(store);
    await store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
    await putBatch(store, { id: 1, count: 3 });
    await putBatch(store, { id: 2, count: 2, userId: 11, conversation: 'second' });
    await advanceAll(store, 5_000);
    const all = await store.read(listBatches, 10);
    expect(all.map(({ id, company, username }) => [id, company, username])).toEqual([
      [2, 'Company', 'second'],
      [1, 'Company', 'first'],
    ]);
    expect(await store.read(listBatches, 1)).toMatchObject([{ id: 2, conversation: 'second', messages: 2 }]);
    expect(await store.read(inspectBatch, 1)).toMatchObject({
      id: 1,
      username: 'first',
      messages: 3,
      expanded: 3,
      counts: [{ status: status.QUEUED, messages: 3 }],
    });
    expect(await store.read(inspectBatch, 3)).toBeNull();
  });

  test('[JOB-7] [JOB-14] Commands list runs, the latest first, and find the run of a message', async () => {
    ({ store } = await engine.openFreshStore());
    await fillStore(store);
    await store.write(putPool, ['4610001', '4610002']);
    const room = new JobsRoom(store, { time: 1_000_000, now: () => 1_000_000 });
    for (const id of [1, 2]) await room.start({ id, people: 1 });
    const runs = await store.read(listLatestRuns, 10);
    expect(runs.map(({ id, jobName }) => [id, jobName])).toEqual([
      [2, 'Night'],
      [1, 'Night'],
    ]);
    expect(await store.read(listLatestRuns, 1)).toHaveLength(1);
    const [text] = await room.texts(2);
    const message = Number(text?.id);
    expect(await store.read(findRunOf, { companyId: 1, id: message })).toBe(2);
    expect(await store.read(findRunOf, { companyId: 1, id: message + 77 })).toBeNull();
    const visible = (of: { companyId: number; userId: number | null }) =>
      store.read(readVisible, { id: message, ...of });
    expect(await visible({ companyId: 1, userId: 10 })).toMatchObject({ id: message });
    expect([
      await visible({ companyId: 1, userId: 11 }),
      await visible({ companyId: 2, userId: null }),
    ]).toEqual([null, null]);
  });
});
