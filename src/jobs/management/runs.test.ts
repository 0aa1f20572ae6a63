import { expect, test } from 'vitest';
import { putRuns } from '../../../test/harness/job-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { listScheduledRuns } from './runs.ts';

eachStore('runs that wait for their start', (engine) => {
  test('[JOB-3] [PORT-4] The scheduled runs of a user are listed, however many others are due before them', async () => {
    const { store } = await engine.openFreshStore();
    const others = Array.from({ length: 300 }, (_, index) => ({
      id: 1 + index,
      userId: index < 150 ? 10 : 11,
      phase: index < 150 ? 'open' : 'scheduled',
      dueAt: 1_000 + index,
    }));
    await store.write(putRuns, [...others, { id: 301, userId: 10, phase: 'scheduled', dueAt: 9_000 }]);
    const idsOf = async (userId: number | null) =>
      (await store.read(listScheduledRuns, { companyId: 1, userId, limit: 200 })).map(({ id }) => id);
    expect(await idsOf(10)).toEqual([301]);
    expect(await idsOf(null)).toHaveLength(151);
  });
});
