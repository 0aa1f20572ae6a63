import { expect, test } from 'vitest';
import { putCompany, putUser } from '../../../test/harness/account-verbs.ts';
import { putUsage } from '../../../test/harness/many-rows-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { exportUsage } from './export-usage.ts';
import type { UsageGroup } from './usage.ts';

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
      const { slices } = await exportUsage(store, query);
      let text = '';
      for await (const slice of slices) text += slice;
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
