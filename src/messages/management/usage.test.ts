import { expect, test } from 'vitest';
import { putCompany, putUser } from '../../../test/harness/account-verbs.ts';
import { logMessages, putMessages } from '../../../test/harness/delivery-verbs.ts';
import { putUsage } from '../../../test/harness/many-rows-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { idsInBlock } from '../message-log.ts';
import { exportUsage } from './export-usage.ts';
import { countLatest, type LatestPlace, type UsageGroup } from './usage.ts';

const centres = 1_700;

eachStore('the file of what was sent', (engine) => {
  test('[RUN-7] [PORT-4] The usage file has every sum once, however many there are', async () => {
    const { store } = await engine.openFreshStore();
    await store.write(putCompany, { id: 1, name: 'One' });
    for (const id of [10, 11]) {
      await store.write(putUser, { id, companyId: 1, username: `user ${id}` });
      for (const month of ['2027-01', '2027-02'])
        await store.write(putUsage, { companyId: 1, userId: id, month, centres });
    }
    const linesOf = async (by: readonly UsageGroup[], userId: number | null) => {
      const query = { companyId: 1, userId, callerId: 10, from: '2027-01', to: '2027-02', by };
      const { begin } = await exportUsage(store, query, 'en');
      let text = '';
      for await (const slice of begin(undefined)) text += slice;
      return text.trim().split(/\r?\n/).slice(1);
    };
    // In cost centre n each user has sent n one-part messages per month.
    const all = (centres * (centres + 1)) / 2;
    for (const [by, userId, lines, users] of [
      [['costCenter'], null, centres, 2],
      [['month', 'costCenter'], null, 2 * centres, 2],
      [['username', 'costCenter'], null, 2 * centres, 2],
      [['month', 'username', 'costCenter'], null, 4 * centres, 2],
      [['month', 'username'], null, 4, 2],
      [['month'], null, 2, 2],
      [['costCenter'], 11, centres, 1],
      [['month', 'costCenter'], 11, 2 * centres, 1],
      [['month'], 11, 2, 1],
    ] as const) {
      const found = await linesOf(by, userId);
      expect([by, new Set(found).size, found.length]).toEqual([by, lines, lines]);
      const sent = found.map((line) => Number(line.split(',').at(-2)));
      expect(sent.reduce((sum, one) => sum + one)).toBe(2 * users * all);
    }
  });
});

eachStore('the count of the latest messages', (engine) => {
  test('[PORT-4] The pages of the latest messages count each message once, of the user or of the company, also where many were accepted at once', async () => {
    const { store } = await engine.openFreshStore();
    for (const id of [1, 2]) await store.write(putCompany, { id, name: `Company ${id}` });
    for (const [id, companyId] of [
      [10, 1],
      [11, 1],
      [20, 2],
    ] as const)
      await store.write(putUser, { id, companyId, username: `user ${id}` });
    const messages = Array.from({ length: 90 }, (_, index) => ({
      id: index + 1,
      companyId: index % 9 === 8 ? 2 : 1,
      userId: index % 9 === 8 ? 20 : index % 3 === 0 ? 10 : 11,
      createdAt: 1_000 + 100 * Math.floor(index / 15),
      status: index % 4,
      stage: null,
    }));
    await store.write(putMessages, messages);
    for (const companyId of [1, 2])
      await store.write(logMessages, { companyId, firstId: 0, count: idsInBlock });
    for (const [userId, since, limit] of [
      [null, 0, 7],
      [null, 1_200, 80],
      [10, 1_100, 5],
      [11, 0, 200],
      [11, 9_000, 5],
    ] as const) {
      const theirs = messages.filter(
        (one) => one.companyId === 1 && one.userId === (userId ?? one.userId) && one.createdAt >= since,
      );
      const counts = new Map<number, number>();
      let from: LatestPlace | undefined;
      let pages = 0;
      do {
        const query = { companyId: 1, userId, callerId: 10, since, from, limit };
        const page = await store.read(countLatest, query);
        for (const { status, messages: some } of page.counts)
          counts.set(status, (counts.get(status) ?? 0) + some);
        from = page.next;
        pages += 1;
      } while (from !== undefined);
      const expected = [0, 1, 2, 3].flatMap((status) => {
        const some = theirs.filter((one) => one.status === status).length;
        return some === 0 ? [] : [[status, some]];
      });
      expect([...counts].sort(([a], [b]) => a - b)).toEqual(expected);
      expect(pages).toBe(Math.max(1, Math.ceil(theirs.length / limit)));
    }
  });
});
