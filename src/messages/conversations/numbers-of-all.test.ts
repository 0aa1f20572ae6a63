/** Tests the numbers of all companies, and the unclaimed SMS of all, as the operator sees them. */
import { beforeAll, expect, test } from 'vitest';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { listAudit } from '../../audit/audit-log.ts';
import type { Store } from '../../storage/store.ts';
import { storeIncoming } from '../incoming/store.ts';
import { listUnrouted } from '../operator/inspect.ts';
import { assignUnrouted, listNumbersOfAll, type NumberPage, type SeenNumber } from './numbers.ts';

const many = Array.from({ length: 600 }, (_, at) => `  - { number: "4610${1_000 + at}", rentedBy: tom }`);
const file = `
companies:
  - name: Care
    id: 1
    users: [{ username: alice, id: 11, roles: [send] }]
  - { name: Taxi, id: 2, users: [{ username: tom, id: 21, roles: [send] }] }
numbers:
  - { number: "46731230001", rentedBy: alice }
  - { number: "46731230002" }
  - { number: "46731230100", pool: true }
  - { number: "46731230200", pool: true, company: Care }
${many.join('\n')}
`;

eachStore('what operators see of numbers', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = (await engine.openFreshStore()).store;
    await provisioningOf(() => store).linesOf(file);
  });

  interface Asked {
    readonly begins?: string;
    readonly use?: 'rented' | 'pool' | 'none';
    readonly company?: string;
  }
  /** All pages, and how many there were. */
  async function numbers({ begins = '', use, company }: Asked, limit = 200) {
    const found: string[] = [];
    let pages = 0;
    let after: string | null = '';
    for (; after !== null; pages += 1) {
      const asked = { after, begins, use, company, limit, now: 1_000 };
      const page: NumberPage<SeenNumber> = await store.read(listNumbersOfAll, asked);
      expect(page.numbers.length).toBeLessThanOrEqual(limit);
      found.push(
        ...page.numbers.map(
          (one) => `${one.number} ${one.username ?? '-'} ${one.company ?? '-'} ${one.pool}`,
        ),
      );
      after = page.next;
    }
    return { found, pages };
  }

  const [alices, nobodys, shared, ofCare] = [
    '46731230001 alice Care 0',
    '46731230002 - - 0',
    '46731230100 - - 1',
    '46731230200 - Care 1',
  ];

  test('[PORT-11] Operators page through the numbers of all companies, each with its renter, company and pool', async () => {
    const { found, pages } = await numbers({});
    expect([found.length, new Set(found).size]).toEqual([604, 604]);
    expect(found).toEqual([...found].sort());
    expect(found.slice(-4)).toEqual([alices, nobodys, shared, ofCare]);
    expect(found[0]).toBe('46101000 tom Taxi 0');
    expect(pages).toBe(4);
  });

  test.each([
    ['by use: pool', { use: 'pool' }, [shared, ofCare]],
    ['by use: none', { use: 'none' }, [nobodys]],
    ['by first digits', { begins: '4673123' }, [alices, nobodys, shared, ofCare]],
    ['by a whole number', { begins: '46731230001' }, [alices]],
    ['by company', { company: 'Care' }, [alices, ofCare]],
    ['by company and use', { company: 'Care', use: 'rented' }, [alices]],
    ['by a company that there is not', { company: 'Nobody' }, []],
  ] as const)(
    '[PORT-11] Operators find numbers %s, however many others there are',
    async (_, asked, expected) => {
      expect((await numbers(asked)).found).toEqual(expected);
    },
  );

  test('[PORT-11] [PORT-3] Operators page through unclaimed SMS, and give one to a user of any company, who then has it', async () => {
    const sms = { sender: '46701740699', text: 'Hello' };
    for (const id of [1, 2, 3])
      await store.write(storeIncoming, { ...sms, id, recipient: '46731239999', receivedAt: 2_000 });
    await store.write(storeIncoming, { ...sms, id: 4, recipient: '46731230200', receivedAt: 3_000 });
    const page = async (after: { time: number; id: number } | undefined, limit: number) => {
      const rows = await store.read(listUnrouted, { after, limit });
      return rows.map(({ id, company }) => [id, company]);
    };
    expect(await page(undefined, 2)).toEqual([
      [4, 'Care'],
      [3, null],
    ]);
    expect(await page({ time: 2_000, id: 3 }, 10)).toEqual([
      [2, null],
      [1, null],
    ]);
    const by = { channel: 'command', username: null } as const;
    const give = (id: number, username: string) =>
      store.write(assignUnrouted, { companyId: null, id, username, by, now: 4_000, personSecret: '00' });
    expect(await give(3, 'nobody')).toBe('noUser');
    expect(await give(99, 'tom')).toBe('notFound');
    expect(await give(3, 'tom')).toBe('assigned');
    expect(await give(3, 'tom')).toBe('notFound');
    expect(await page(undefined, 10)).toEqual([
      [4, 'Care'],
      [2, null],
      [1, null],
    ]);
    const entries = await store.read(listAudit, { companyId: 2, before: null, limit: 10 });
    expect(entries.filter(({ act }) => act === 'incoming.assign')).toMatchObject([
      { object: '3', details: 'to tom' },
    ]);
  });
});
