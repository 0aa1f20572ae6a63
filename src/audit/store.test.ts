import { expect, test } from 'vitest';
import { putCompany } from '../../test/harness/account-verbs.ts';
import { failAfterAct, putAct } from '../../test/harness/audit-verbs.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { purgeAged } from '../storage/retention.ts';
import {
  type AuditEntry,
  type AuditRow,
  agedAudit,
  byUser,
  listAudit,
  noteLook,
  operator,
} from './audit-log.ts';

eachStore('the audit log', (engine) => {
  let fresh: FreshStore;

  const entry = (at: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
    companyId: 1,
    at,
    by: byUser({ username: 'anna', session: undefined }),
    act: 'message.cancel',
    object: String(at),
    ...more,
  });
  const list = (companyId: number | null, before: number | null = null, limit = 10) =>
    fresh.store.read(listAudit, { companyId, before, limit });
  const objects = (rows: readonly AuditRow[]) => rows.map(({ object }) => object);

  test('[PORT-7] [PORT-4] The audit log is read for one company or all, the latest entries first, in pages', async () => {
    fresh = await engine.openFreshStore();
    await fresh.store.write(putCompany, { id: 1, name: 'One' });
    await fresh.store.write(putAct, entry(5_000));
    await fresh.store.write(putAct, entry(6_000, { companyId: 2, by: operator, details: 'why' }));
    // This entry is the newest, although its node's clock is behind.
    await fresh.store.write(putAct, entry(4_000));
    expect(objects(await list(null))).toEqual(['4000', '6000', '5000']);
    expect(objects(await list(1))).toEqual(['4000', '5000']);
    const [first] = await list(null, null, 1);
    expect(objects(await list(null, first?.id, 1))).toEqual(['6000']);
    expect((await list(2))[0]).toMatchObject({
      company: '2',
      username: null,
      channel: 'command',
      details: 'why',
      at: 6_000,
    });
    expect((await list(1))[0]).toMatchObject({
      company: 'One',
      username: 'anna',
      channel: 'api',
      details: '',
    });
  });

  test('[PORT-7] The audit log has no entry for an act that failed, and limits the length of entries', async () => {
    fresh = await engine.openFreshStore();
    await expect(fresh.store.write(failAfterAct, entry(5_000))).rejects.toThrow();
    expect(await list(null)).toEqual([]);
    await fresh.store.write(
      putAct,
      entry(5_000, { object: 'o'.repeat(100_000), details: `a${'\u{1f514}'.repeat(9_000)}` }),
    );
    const [row] = await list(null);
    expect([row?.object.length, (row?.details.length ?? 0) <= 201]).toEqual([201, true]);
  });

  test('[PORT-7] Repeated views of the same object make one audit entry for a while, whatever else the user views', async () => {
    fresh = await engine.openFreshStore();
    const look = (object: string, at: number, username = 'anna') =>
      fresh.store.write(noteLook, {
        ...entry(at, { object, act: 'message.read', by: byUser({ username, session: undefined }) }),
      });
    for (const times of [0, 1, 2])
      for (const object of ['5', '6']) await look(object, 1_000_000 + times * 500_000);
    await look('5', 1_000_000, 'bert');
    expect((await list(1)).map(({ object, username }) => `${object} ${username}`)).toEqual([
      ...['5 bert', '6 anna', '5 anna', '6 anna', '5 anna'],
    ]);
  });

  test('[PORT-7] [RUN-6] The audit log is purged after the retention period, one set after another', async () => {
    fresh = await engine.openFreshStore();
    await Promise.all(Array.from({ length: 2_100 }, (_, at) => fresh.store.write(putAct, entry(at))));
    const purge = () => fresh.store.write(purgeAged, { rows: agedAudit, now: 0, before: 2_050 });
    const sets = Array.from({ length: 3 }, purge);
    expect((await Promise.all(sets)).sort()).toEqual([1_000, 1_000, 50]);
    expect((await list(1, null, 100)).every(({ at }) => at >= 2_050)).toBe(true);
    expect(await purge()).toBe(0);
    expect((await list(1, null, 100)).length).toBe(50);
  });
});
