/** Tests that conversations are released when their assignee is no longer an administrator or no longer exists. */
import { beforeEach, expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { countAssigned, putConversations, readReleases } from '../../test/harness/conversation-verbs.ts';
import { range } from '../../test/harness/delivery-store.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { callerNamed, userAdministration } from '../../test/harness/user-administration.ts';
import { listReleases, maxReleasedPerStep, releaseNext } from '../messages/conversations/release-records.ts';
import type { Store } from '../storage/store.ts';
import { changeUser, removeUser } from './administer-company-users.ts';

const [anna, bo, carl] = [11, 12, 13];
eachStore('conversations of who no longer sees them', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: 1, name: 'Nordic Care' });
    const user = { companyId: 1, roles: ['send', 'companyAdmin'] };
    await store.write(putUser, { ...user, id: anna, username: 'anna' });
    await store.write(putUser, { ...user, id: bo, username: 'bo' });
    await store.write(putUser, { ...user, id: carl, username: 'carl', roles: ['send'] });
    // Bo's own conversations lie between those of others.
    await store.write(putConversations, { first: 1, count: 2, userId: anna, assigneeId: bo });
    await store.write(putConversations, { first: 3, count: 3, userId: bo, assigneeId: bo });
    await store.write(putConversations, { first: 6, count: 4, userId: carl, assigneeId: bo });
    await store.write(putConversations, { first: 10, count: 1, userId: bo, assigneeId: anna });
  });

  const { linesOf } = provisioningOf(() => store);
  const administration = () => userAdministration(store);
  const byAnna = () => callerNamed(store, 'anna');
  const change = async (id: number, given: object) =>
    changeUser(administration(), await byAnna(), { id: String(id), ifMatch: undefined, change: given });
  const inFile = (user: string) => linesOf(`companies: [{ name: Nordic Care, users: [${user}] }]`);
  const assigned = () => store.read(countAssigned, null);
  const others = ['1', '2', '6', '7', '8', '9'];
  const details = 'to nobody: bo no longer sees it';
  const all = ['11 of 12: 1', '12 of 11: 2', '12 of 12: 3', '12 of 13: 4'];

  const ways: readonly [string, object, (what: 'role' | 'active' | 'gone') => Promise<unknown>][] = [
    [
      'the API',
      { channel: 'api', username: 'anna' },
      async (what) => {
        if (what === 'gone')
          return removeUser(administration(), await byAnna(), { id: String(bo), ifMatch: undefined });
        return change(bo, what === 'role' ? { roles: ['send'] } : { active: false });
      },
    ],
    [
      'a file',
      { channel: 'command', username: null },
      (what) =>
        inFile(
          {
            role: '{ username: bo, roles: [send] }',
            active: '{ username: bo, roles: [send, companyAdmin], active: false }',
            gone: '{ username: bo, remove: true }',
          }[what],
        ),
    ],
  ];
  for (const [way, by, act] of ways) {
    test(`[PORT-4] [PORT-7] A user who loses the role by ${way} keeps their own conversations, and those of others are released at once`, async () => {
      await act('role');
      expect(await assigned()).toEqual(['11 of 12: 1', '12 of 12: 3']);
      expect(await store.read(readReleases, null)).toEqual(
        others.map((object) => ({ object, ...by, details })),
      );
    });

    for (const what of ['active', 'gone'] as const)
      test(`[PORT-4] [PORT-7] A user who is ${what === 'gone' ? 'removed' : 'deactivated'} by ${way} has all assigned conversations released`, async () => {
        await act(what);
        expect(await assigned()).toEqual(['11 of 12: 1']);
        const objects = (await store.read(readReleases, null)).map(({ object }) => Number(object));
        expect(objects.sort((a, b) => a - b)).toEqual(range(1, 9));
      });
  }

  test('[PORT-4] Assigned conversations stay as they are while their assignee can still see them', async () => {
    await change(bo, { roles: ['send', 'companyAdmin'], maxBatch: 7 });
    await change(carl, { active: false });
    await change(carl, { active: true });
    await inFile('{ username: carl, roles: [send, companyAdmin] }');
    expect(await assigned()).toEqual(all);
    expect(await store.read(readReleases, null)).toEqual([]);
  });

  test('[PORT-4] [RUN-5] When very many conversations are released, the first are released immediately and the others in sets', async () => {
    await store.write(putConversations, { first: 100, count: 1_700, userId: carl, assigneeId: bo });
    await change(bo, { roles: ['send'] });
    const left = 6 + 1_700 - maxReleasedPerStep;
    expect(await assigned()).toEqual(['11 of 12: 1', '12 of 12: 3', `12 of 13: ${left}`]);
    const step = () => store.write(releaseNext, { userId: bo, now: 5, limit: 500 });
    expect(await store.read(listReleases, 10)).toEqual([bo]);
    const steps = [await step(), await step(), await step(), await step(), await step()];
    expect(steps).toEqual([500, 500, 500, left - 1_500, 0]);
    expect(await assigned()).toEqual(['11 of 12: 1', '12 of 12: 3']);
    expect(await store.read(listReleases, 10)).toEqual([]);
    expect(await step()).toBe(0);
    const releases = await store.read(readReleases, null);
    expect(new Set(releases.map(({ object }) => object)).size).toBe(1_706);
    expect(releases.at(-1)).toMatchObject({ channel: 'api', username: 'anna', details });
  });

  test('[PORT-4] A user who regains the role before the release is complete keeps the remaining conversations', async () => {
    await store.write(putConversations, { first: 100, count: 1_700, userId: carl, assigneeId: bo });
    await change(bo, { roles: ['send'] });
    await change(bo, { roles: ['send', 'companyAdmin'] });
    const before = await assigned();
    expect(await store.write(releaseNext, { userId: bo, now: 5, limit: 500 })).toBe(0);
    expect(await assigned()).toEqual(before);
    expect(await store.read(listReleases, 10)).toEqual([]);
  });
});
