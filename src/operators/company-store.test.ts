/** Tests what operators see of companies, nodes and the store, on both engines. */
import { expect, test } from 'vitest';
import { deliveryStore } from '../../test/harness/delivery-store.ts';
import { logMessages, putMessages } from '../../test/harness/delivery-verbs.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { listNodes, readBacklog } from '../messages/nodes/service-state.ts';
import { listAppliedFiles } from '../provisioning/applied-files.ts';
import { readSize } from '../storage/size.ts';
import { findCompany, listCompanies, listUsersOfCompany } from './company-store.ts';

eachStore('what operators see', (engine) => {
  const given = deliveryStore(engine);
  const { linesOf: apply } = provisioningOf(() => given.store);

  test('[PORT-11] Companies are listed by name with their users and what was sent since a time, and users by name', async () => {
    await given.store.write(putMessages, [
      { id: 1, createdAt: 4_000 },
      { id: 2, createdAt: 6_000 },
    ]);
    await given.store.write(logMessages, { companyId: 1, firstId: 1, count: 2 });
    const page = { from: { language: 'en' }, limit: 1, since: 5_000 } as const;
    const [first] = await given.store.read(listCompanies, page);
    expect(first).toMatchObject({ id: 1, name: 'Company', users: 2, sentToday: 1, quotaUsed: 0 });
    expect(await given.store.read(findCompany, { id: 1, since: 5_000 })).toEqual(first);
    expect(await given.store.read(findCompany, { id: 99, since: 5_000 })).toBeUndefined();
    expect(
      await given.store.read(listCompanies, { ...page, from: { language: 'en', name: 'Company' } }),
    ).toEqual([]);
    const users = await given.store.read(listUsersOfCompany, {
      companyId: 1,
      from: { language: 'sv', name: 'first' },
      limit: 5,
    });
    expect(users.map(({ user }) => user.username)).toEqual(['second']);
  });

  test('[PORT-11] Nodes, what waits for carriers, applied files and the size of the store are read', async () => {
    await given.store.write(putMessages, [
      { id: 1, dueAt: 4_000 },
      { id: 2, dueAt: 3_000 },
    ]);
    const backlog = await given.store.read(readBacklog, null);
    expect(backlog).toEqual([{ carrierId: 1, lane: 'interactive', messages: 2, oldest: 3_000 }]);
    const { nodes, now } = await given.store.read(listNodes, null);
    expect(nodes.map(({ id }) => id)).toEqual([7, 8]);
    expect(now).toBeGreaterThan(0);
    await apply('companies: [{ name: Company }]');
    expect(await given.store.read(listAppliedFiles, null)).toHaveLength(1);
    expect(await given.store.read(readSize, null)).toBeGreaterThan(10_000);
  });
});
