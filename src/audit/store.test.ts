import { expect, test } from 'vitest';
import { putCompany } from '../../test/harness/account-verbs.ts';
import { failAfterAct, putAct } from '../../test/harness/audit-verbs.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { purgeAged } from '../storage/retention.ts';
import {
  type AuditEntry,
  type AuditFilter,
  type AuditRow,
  agedAudit,
  byUser,
  type FoundAudit,
  type FoundEntry,
  listAudit,
  noteLook,
  operator,
  searchAudit,
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

  /** All pages, of three entries each. */
  async function search(filter: AuditFilter): Promise<readonly FoundEntry[]> {
    const found: FoundEntry[] = [];
    for (let behind: FoundAudit['next'] = null; ; ) {
      const page: FoundAudit = await fresh.store.read(searchAudit, {
        companyId: 1,
        filter,
        behind,
        limit: 3,
      });
      expect(page.rows.length).toBeLessThanOrEqual(3);
      found.push(...page.rows);
      if (page.next === null) return found;
      behind = page.next;
    }
  }

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

  test('[PORT-7] A company’s entries are found by user, act, object and time, alone and together, the latest first', async () => {
    fresh = await engine.openFreshStore();
    const acts = ['message.cancel', 'group.make', 'user.make'] as const;
    const users = ['anna', 'bert'];
    for (let at = 1; at <= 24; at += 1)
      await fresh.store.write(
        putAct,
        entry(at, {
          by: byUser({ username: users[at % 2] ?? '', session: undefined }),
          act: acts[at % 3] ?? 'user.make',
          object: `o${at % 4}`,
        }),
      );
    // Those of neighbouring companies, of the operator, and of a node whose clock is behind.
    for (const companyId of [0, 2]) await fresh.store.write(putAct, entry(25, { companyId, object: 'o1' }));
    await fresh.store.write(putAct, entry(26, { by: operator, object: 'o1' }));
    await fresh.store.write(putAct, entry(5, { act: 'group.make', object: 'o1' }));
    const everything = (await search({})).map(({ at }) => at);
    expect(everything).toEqual([26, ...Array.from({ length: 20 }, (_, place) => 24 - place), 5, 4, 3, 2, 1]);
    const filters: readonly AuditFilter[] = [
      { username: 'anna' },
      { username: 'nobody' },
      { acts: ['group.make'] },
      { acts: ['group.make', 'user.make'] },
      { acts: ['group.make', 'group.make', 'webhook.test'] },
      { object: 'o1' },
      { since: 5, until: 9 },
      { username: 'anna', acts: ['group.make'], since: 5 },
      { username: 'anna', object: 'o2', until: 20 },
      { object: 'o1', acts: ['message.cancel', 'user.make'], username: 'bert', since: 2, until: 25 },
    ];
    const all = await search({});
    for (const filter of filters) {
      const { username, acts: some, object, since = 0, until = 100 } = filter;
      const wanted = all.filter(
        (row) =>
          (username === undefined || row.username === username) &&
          (some === undefined || some.includes(row.act)) &&
          (object === undefined || row.object === object) &&
          row.at >= since &&
          row.at < until,
      );
      expect([filter, await search(filter)]).toEqual([filter, wanted]);
    }
  });

  test('[PORT-7] A search of the audit log for rare entries of a busy user goes on from page to page', async () => {
    fresh = await engine.openFreshStore();
    await fresh.store.write(putAct, entry(1, { act: 'group.make' }));
    await Promise.all(Array.from({ length: 1_200 }, (_, at) => fresh.store.write(putAct, entry(at + 2))));
    const filter: AuditFilter = { username: 'anna', acts: ['group.make'] };
    const first = await fresh.store.read(searchAudit, { companyId: 1, filter, behind: null, limit: 10 });
    expect([first.rows, first.next === null]).toEqual([[], false]);
    expect((await search(filter)).map(({ at }) => at)).toEqual([1]);
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
