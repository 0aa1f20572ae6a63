import { beforeEach, expect, test } from 'vitest';
import { keepOptOutsOfSms, putNearMiss, removeOptOuts } from '../../test/harness/opt-out-verbs.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { listAudit } from '../audit/audit-log.ts';
import { purgeAged } from '../storage/retention.ts';
import type { Store } from '../storage/store.ts';
import { agedNearMisses, listNearMisses, settleNearMiss } from './near-miss.ts';
import { purgeOptOutsOfRemoved } from './of-removed-companies.ts';
import {
  addOptOuts,
  type FoundOptOuts,
  findOptedOut,
  type GivenOptOut,
  type OptOut,
  type OptOutSearch,
  readOptOut,
  removeOptOut,
  searchOptOuts,
} from './opt-out.ts';
import { personSecret } from './person-digest.ts';

const secret = personSecret('a secret of the server');
const companyId = 1;
const by = { username: 'anna', session: undefined };
const [eva, adam, mia] = ['46701740601', '46701740602', '46701740603'] as const;
/** The same number, as networks rewrite it. */
const [luis, luisAbroad] = ['525562000017', '5215562000017'] as const;

const stop = (phone: string, more: Partial<GivenOptOut> = {}): GivenOptOut => ({
  phone,
  category: 'all',
  since: 1_000,
  source: 'sms',
  word: 'STOP',
  proof: 'Stop!',
  incomingId: 7,
  number: '46701740600',
  ...more,
});

eachStore('opt-outs in the store', (engine) => {
  let store: Store;
  beforeEach(async () => {
    ({ store } = await engine.openFreshStore());
  });

  const keep = (given: readonly GivenOptOut[], of = companyId) =>
    store.write(keepOptOutsOfSms, { companyId: of, given, secret });
  const add = (optOuts: readonly Omit<GivenOptOut, 'since'>[], now = 5_000) =>
    store.write(addOptOuts, { companyId, by, now, secret, optOuts });
  const outOf = async (phones: readonly string[], of = companyId) => {
    const found = await store.read(findOptedOut, { companyId: of, phones, secret });
    return Object.fromEntries([...found].map(([phone, categories]) => [phone, [...categories].sort()]));
  };
  const audited = async () => {
    const rows = await store.read(listAudit, { companyId, before: null, limit: 50 });
    return rows.map(({ act, object, details }) => [act, object, details].join(' ')).reverse();
  };

  /** All pages, of two each. */
  async function search(filter: Partial<OptOutSearch> = {}): Promise<readonly OptOut[]> {
    const found: OptOut[] = [];
    for (let behind: FoundOptOuts['next'] = null; ; ) {
      const page: FoundOptOuts = await store.read(searchOptOuts, {
        companyId,
        secret,
        limit: 2,
        ...filter,
        behind,
      });
      expect(page.rows.length).toBeLessThanOrEqual(2);
      found.push(...page.rows);
      if (page.next === null) return found;
      behind = page.next;
    }
  }

  test('[OPT-3] An opt-out is of a company, a number and a category, and keeps its first proof', async () => {
    const [first] = await keep([stop(eva)]);
    expect(first?.isNew).toBe(true);
    const again = await keep([
      stop(eva, { proof: 'Later', since: 9_000 }),
      stop(eva, { category: 'marketing' }),
      stop(adam),
      stop(adam, { proof: 'Twice' }),
    ]);
    expect(again.map(({ isNew }) => isNew)).toEqual([false, true, true, false]);
    expect(again[0]?.id).toBe(first?.id);
    expect(again[3]?.id).toBe(again[2]?.id);
    await keep([stop(mia)], 2);
    expect(await outOf([eva, adam, mia])).toEqual({ [eva]: ['all', 'marketing'], [adam]: ['all'] });
    expect(await outOf([eva, mia], 2)).toEqual({ [mia]: ['all'] });
    expect(await outOf([])).toEqual({});
    expect(await store.read(readOptOut, { companyId, id: first?.id ?? 0 })).toEqual({
      ...stop(eva),
      companyId,
      id: first?.id,
      addedBy: null,
      erased: false,
    });
    expect((await search({ phone: adam })).map(({ proof }) => proof)).toEqual(['Stop!']);
  });

  test('[OPT-3] [INC-2] An opt-out holds for each form that networks give a number', async () => {
    await keep([stop(luisAbroad)]);
    expect(await outOf([luis, luisAbroad])).toEqual({ [luis]: ['all'], [luisAbroad]: ['all'] });
    expect((await keep([stop(luis)]))[0]?.isNew).toBe(false);
    expect(await search({ phone: luis })).toHaveLength(1);
    expect(await store.write(removeOptOuts, { companyId, phone: luis, secret })).toEqual(['all']);
    expect(await outOf([luis, luisAbroad])).toEqual({});
  });

  test('[OPT-3] START removes the opt-outs of one number in one company, of all categories or of one', async () => {
    const all = [stop(eva), stop(eva, { category: 'marketing' }), stop(adam)];
    await keep(all);
    await keep([stop(eva)], 2);
    const remove = (more: object) => store.write(removeOptOuts, { companyId, phone: eva, secret, ...more });
    expect(await remove({ category: 'notification' })).toEqual([]);
    expect(await remove({ category: 'marketing' })).toEqual(['marketing']);
    expect(await remove({})).toEqual(['all']);
    expect(await remove({})).toEqual([]);
    expect(await outOf([eva, adam])).toEqual({ [adam]: ['all'] });
    expect(await outOf([eva], 2)).toEqual({ [eva]: ['all'] });
  });

  test('[OPT-3] [PORT-7] Administrators add opt-outs and remove them with a reason, and the audit log says so', async () => {
    await keep([stop(adam)]);
    const added = await add([
      { phone: eva, category: 'marketing', source: 'portal', proof: 'By phone' },
      { phone: adam, category: 'all', source: 'portal' },
    ]);
    expect(added.map(({ isNew }) => isNew)).toEqual([true, false]);
    const id = added[0]?.id ?? 0;
    expect(await store.read(readOptOut, { companyId, id })).toMatchObject({
      phone: eva,
      category: 'marketing',
      since: 5_000,
      source: 'portal',
      proof: 'By phone',
      addedBy: 'anna',
      incomingId: null,
      word: '',
      number: '',
    });
    const removal = { by, now: 6_000, reason: 'signed up again', id };
    expect(await store.write(removeOptOut, { ...removal, companyId: 2 })).toBeNull();
    expect(await store.write(removeOptOut, { ...removal, companyId })).toMatchObject({ phone: eva });
    expect(await store.write(removeOptOut, { ...removal, companyId })).toBeNull();
    expect(await outOf([eva, adam])).toEqual({ [adam]: ['all'] });
    expect(await audited()).toEqual([
      `optout.add ${eva} marketing, portal`,
      `optout.remove ${eva} marketing: signed up again`,
    ]);
  });

  test('[OPT-3] Opt-outs are listed in pages, latest first, by number, category, source and time', async () => {
    const phones = Array.from({ length: 9 }, (_, place) => `4670174061${place}`);
    await keep(
      phones.map((phone, place) =>
        stop(phone, {
          since: 1_000 + Math.floor(place / 2) * 1_000,
          category: place % 3 === 0 ? 'marketing' : 'all',
          source: place % 2 === 0 ? 'file' : 'sms',
        }),
      ),
    );
    await keep([stop(eva, { since: 3_000 })], 2);
    const listed = async (filter: Partial<OptOutSearch> = {}) =>
      (await search(filter)).map(({ phone }) => phones.indexOf(phone));
    expect(await listed()).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(await listed({ category: 'marketing' })).toEqual([6, 3, 0]);
    expect(await listed({ category: 'essential' })).toEqual([]);
    expect(await listed({ source: 'sms' })).toEqual([7, 5, 3, 1]);
    expect(await listed({ category: 'all', source: 'sms' })).toEqual([7, 5, 1]);
    expect(await listed({ since: 2_000, until: 4_000 })).toEqual([5, 4, 3, 2]);
    expect(await listed({ category: 'all', since: 2_000, until: 4_000 })).toEqual([5, 4, 2]);
    expect(await listed({ phone: phones[4] })).toEqual([4]);
    expect(await listed({ phone: phones[4], category: 'marketing' })).toEqual([]);
    expect(await listed({ phone: phones[4], since: 4_000 })).toEqual([]);
    expect(await listed({ phone: phones[4], until: 3_000 })).toEqual([]);
    expect(await listed({ phone: eva })).toEqual([]);
  });

  test('[OPT-3] A near miss waits for a person, whose first decision counts', async () => {
    const nearMiss = { companyId, phone: eva, number: '46701740600', text: 'Please stop it', at: 1_000 };
    for (const incomingId of [1, 2, 3])
      await store.write(putNearMiss, { ...nearMiss, incomingId, at: incomingId });
    await store.write(putNearMiss, { ...nearMiss, incomingId: 3, text: 'Another' });
    await store.write(putNearMiss, { ...nearMiss, companyId: 2, incomingId: 9 });
    const open = async (behind: { readonly at: number; readonly id: number } | null = null) => {
      const rows = await store.read(listNearMisses, { companyId, behind, limit: 2 });
      return rows.map(({ incomingId, text }) => `${incomingId} ${text}`);
    };
    expect(await open()).toEqual(['3 Please stop it', '2 Please stop it']);
    expect(await open({ at: 2, id: 2 })).toEqual(['1 Please stop it']);
    const settle = (incomingId: number, optsOut: boolean, of = companyId) =>
      store.write(settleNearMiss, { companyId: of, incomingId, optsOut, by, now: 5_000, secret });
    expect(await settle(9, true)).toBeNull();
    expect(await settle(2, false)).toMatchObject({ settledAt: 5_000, settledBy: 'anna', optsOut: false });
    expect(await outOf([eva])).toEqual({});
    expect(await settle(2, true)).toMatchObject({ optsOut: false });
    expect(await outOf([eva])).toEqual({});
    expect(await settle(3, true)).toMatchObject({ optsOut: true });
    expect(await search()).toMatchObject([
      {
        phone: eva,
        category: 'all',
        source: 'sms',
        proof: 'Please stop it',
        incomingId: 3,
        since: 3,
        word: '',
      },
    ]);
    expect(await open()).toEqual(['1 Please stop it']);
    expect(await audited()).toEqual([`optout.settle ${eva} no opt-out`, `optout.settle ${eva} opts out`]);
    const purged = await store.write(purgeAged, { rows: agedNearMisses, now: 9_000, before: 3 });
    expect(purged).toBe(2);
    expect(await search()).toHaveLength(1);
  });

  test('[OPT-3] [RUN-6] Opt-outs of a removed company are purged a set at a time, and those of others stay', async () => {
    const { linesOf } = provisioningOf(() => store);
    await linesOf('companies: [{ name: Care, id: 1 }, { name: Gone, id: 2 }, { name: Before, id: 3 }]');
    const many = Array.from({ length: 1_100 }, (_, place) => stop(String(46_701_750_000 + place)));
    await keep(many, 2);
    await keep([stop(eva)], 1);
    const purge = () => purgeOptOutsOfRemoved(store, null, new AbortController().signal);
    expect(await purge()).toBe(0);
    await linesOf('companies: [{ name: Gone, remove: true }, { name: Before, remove: true }]');
    expect(await purge()).toBe(1_100);
    expect(await purge()).toBe(0);
    expect((await store.read(findOptedOut, { companyId: 1, phones: [eva], secret })).size).toBe(1);
  });
});
