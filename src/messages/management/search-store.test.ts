import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { putCompany, putUser } from '../../../test/harness/account-verbs.ts';
import {
  logMessages,
  putMessages,
  putSimulator,
  type TestMessage,
} from '../../../test/harness/delivery-verbs.ts';
import { eachStore, type FreshStore } from '../../../test/harness/stores.ts';
import type { Store } from '../../storage/store.ts';
import { idsInBlock } from '../message-log.ts';
import { purgeMessages } from '../upkeep/purge.ts';
import { findLatestSender, type MessageSearch, searchMessages } from './search-store.ts';

type Found = Required<
  Pick<TestMessage, 'id' | 'companyId' | 'userId' | 'recipient' | 'sender' | 'conversation'>
> &
  Required<Pick<TestMessage, 'costCenter' | 'createdAt' | 'status' | 'text'>>;

/** Half of them have no message. */
const several = Array.from({ length: 50 }, (_, index) => `4670174${1_650 + index * 2}`);

const longText = `${'\u{1f514}'.repeat(99)}ab`;

/** The word stands behind the characters that are searched. */
const farWord = `${'a '.repeat(1_000)}lakare`;

const hourMs = 60 * 60_000;

/** Roughly the time of the message. */
const timeOf = (index: number) => 1_000 * hourMs + 4 * hourMs * Math.floor(index / 3);

/**
 * Spread over six blocks of ids, with times only roughly in the same order, because a block of ids may be in use for a day.
 */
const messages: readonly Found[] = Array.from({ length: 1_500 }, (_, index) => ({
  id: 1 + index * Math.floor((6 * idsInBlock) / 1_500),
  companyId: index % 10 === 9 ? 2 : 1,
  userId: index % 10 === 9 ? 20 : index % 3 === 0 ? 11 : 10,
  recipient: index % 2 === 0 ? '46701740600' : `4670174${1_000 + (index % 700)}`,
  sender: index % 7 === 0 ? 'Rare' : 'Sender',
  conversation: index % 5 === 0 ? 'talk' : index % 11 === 0 ? `${longText}${index % 2}` : '',
  costCenter: index % 4 === 0 ? 'ward' : '',
  createdAt: timeOf(index) - (index % 50) * 0.48 * hourMs,
  status: index % 16,
  text: index % 6 === 0 ? 'Träffa läkaren på ward 7, tack!' : index % 13 === 0 ? farWord : 'See you at 8',
}));

const simulatedOf = (id: number) => id % 3 === 0;

const everything = {
  companyId: 1,
  userId: null,
  callerId: 10,
  id: undefined,
  since: 0,
  until: Number.MAX_SAFE_INTEGER,
  after: undefined,
  recipient: undefined,
  conversation: undefined,
  batchId: undefined,
  sender: undefined,
  costCenter: undefined,
  statuses: undefined,
  limit: 50,
} satisfies MessageSearch;

function expected(search: MessageSearch): readonly number[] {
  const { id } = search;
  const { recipients, words } = search;
  const isByTime = [search.recipient, recipients, search.conversation].every((one) => one === undefined);
  return messages
    .filter(
      (one) =>
        one.companyId === search.companyId &&
        (id === undefined || one.id === id) &&
        (search.userId === null || one.userId === search.userId) &&
        (search.recipient === undefined || one.recipient === search.recipient) &&
        (recipients?.includes(one.recipient) ?? true) &&
        (words === undefined || (one.text.startsWith('Träffa') && words === 'LAKAR tra')) &&
        (search.conversation === undefined || one.conversation === search.conversation) &&
        (search.sender === undefined || one.sender === search.sender) &&
        (search.costCenter === undefined || one.costCenter === search.costCenter) &&
        (search.statuses?.includes(one.status) ?? true) &&
        one.createdAt >= search.since &&
        one.createdAt < search.until,
    )
    .sort((a, b) => (isByTime ? b.createdAt - a.createdAt : 0) || b.id - a.id)
    .map(({ id }) => id);
}

/** Reads all pages. */
async function found(store: Store, search: MessageSearch): Promise<readonly number[]> {
  const ids: number[] = [];
  let after = search.after;
  for (;;) {
    const page = await store.read(searchMessages, { ...search, after });
    expect(page.messages.length).toBeLessThanOrEqual(search.limit);
    ids.push(...page.messages.map(({ id }) => id));
    if (page.next === null) return ids;
    after = page.next;
  }
}

eachStore('a search for messages', (engine) => {
  let fresh: FreshStore;
  beforeAll(async () => {
    fresh = await engine.openFreshStore();
    const { store } = fresh;
    for (const id of [1, 2]) await store.write(putCompany, { id, name: `Company ${id}` });
    await store.write(putUser, { id: 10, companyId: 1, username: 'first' });
    await store.write(putUser, { id: 20, companyId: 2, username: 'other' });
    await store.write(
      putMessages,
      messages.map((one) => ({ ...one, stage: null, carrierId: simulatedOf(one.id) ? 2 : 1 })),
    );
    // A removed carrier is still recognised as real or simulated.
    await store.write(putSimulator, { id: 2, removed: true });
    for (const companyId of [1, 2])
      await store.write(logMessages, { companyId, firstId: 0, count: 10 * idsInBlock });
  });

  test('[PORT-4] [RUN-3] A search distinguishes messages that a simulator has from those that real phones may get', async () => {
    const page = await fresh.store.read(searchMessages, { ...everything, limit: 100 });
    expect(page.messages.map(({ id, simulated }) => [id, simulated === 1])).toEqual(
      page.messages.map(({ id }) => [id, simulatedOf(id)]),
    );
  });

  const maybe = <Value>(...values: readonly Value[]) =>
    fc.option(fc.constantFrom(...values), { nil: undefined });

  test('[PORT-4] [PORT-3] A search finds all matching messages, each once and the latest first, in pages of any size', async () => {
    const searches = fc.record({
      companyId: fc.constantFrom(1, 1, 2, 3),
      userId: fc.constantFrom(null, null, 10, 11, 20),
      callerId: fc.constant(10),
      id: maybe(messages[0]?.id, messages[19]?.id, 7),
      recipient: maybe('46701740600', '46701741001', '46700000000'),
      recipients: maybe(several, several, ['46701740600'], ['46700000000']),
      words: maybe('LAKAR tra', 'lakares'),
      conversation: maybe('talk', `${longText}0`, `${longText}1`, 'none'),
      batchId: fc.constant(undefined),
      sender: maybe('Rare', 'Sender'),
      costCenter: maybe('ward', ''),
      statuses: fc.option(fc.subarray([0, 1, 2, 3, 15]), { nil: undefined }),
      since: fc.constantFrom(0, 0, timeOf(300), timeOf(900)),
      until: fc.constantFrom(Number.MAX_SAFE_INTEGER, timeOf(750)),
      after: fc.constant(undefined),
      limit: fc.integer({ min: 1, max: 200 }),
    });
    await fc.assert(
      fc.asyncProperty(searches, async (search) => {
        expect(await found(fresh.store, search)).toEqual(expected(search));
      }),
      { numRuns: 60 },
    );
  });

  test('[PORT-4] A number that gets a message in every eighth block of ids, or once in hundreds, has full pages', async () => {
    const { store } = fresh;
    const [companyId, first, apart] = [4, 100 * idsInBlock + 3, 8 * idsInBlock];
    const regular = Array.from({ length: 60 }, (_, index) => first + index * apart);
    const single = { id: first + 5, recipient: '46701740602' };
    const sent = [...regular.map((id) => ({ id, recipient: '46701740601' })), single];
    await store.write(
      putMessages,
      sent.map((one) => ({ ...one, companyId, userId: 10, createdAt: timeOf(1), stage: null })),
    );
    await store.write(logMessages, { companyId, firstId: first, count: 60 * apart });
    const search = { ...everything, companyId };
    const page = await store.read(searchMessages, { ...search, recipient: '46701740601' });
    expect(page.messages.map(({ id }) => id)).toEqual(regular.toReversed().slice(0, everything.limit));
    expect(await found(store, { ...search, recipients: ['46701740601', '46701740602'], limit: 7 })).toEqual(
      [...regular, single.id].toSorted((one, other) => other - one),
    );
    const [only] = (await store.read(searchMessages, { ...search, recipient: single.recipient })).messages;
    expect(only?.id).toBe(single.id);
  });

  test('[PORT-4] A number that had very many messages in a few blocks, and then none for long, has all of them, each once', async () => {
    const { store } = fresh;
    const [companyId, first, recipient] = [5, 700 * idsInBlock + 1, '46701740603'];
    const many = Array.from({ length: 1_300 }, (_, index) => ({
      id: first + index * 5,
      recipient,
      sender: index < 10 ? 'Rare' : 'Sender',
    }));
    const latest = { id: first + 40 * idsInBlock, recipient: '46701740604', sender: 'Sender' };
    await store.write(
      putMessages,
      [...many, latest].map((one) => ({ ...one, companyId, userId: 10, createdAt: timeOf(1), stage: null })),
    );
    await store.write(logMessages, { companyId, firstId: first, count: 41 * idsInBlock });
    const idsOf = (sent: typeof many) => sent.map(({ id }) => id).toReversed();
    const search = { ...everything, companyId, recipient };
    expect(await found(store, { ...search, limit: 180 })).toEqual(idsOf(many));
    expect(await found(store, { ...search, sender: 'Rare' })).toEqual(idsOf(many.slice(0, 10)));
  });

  test('[PORT-4] A sender that the latest messages have is recognised, in capitals or not, and only by those who see them', async () => {
    const recognised = (sender: string, change: Partial<MessageSearch> = {}) =>
      fresh.store.read(findLatestSender, { ...everything, ...change, sender });
    expect(await recognised('rARE')).toBe('Rare');
    expect(await recognised('Rar')).toBeUndefined();
    expect(await recognised('Rare', { userId: 11 })).toBe('Rare');
    expect(await recognised('Rare', { userId: 12 })).toBeUndefined();
    expect(await recognised('Rare', { companyId: 3 })).toBeUndefined();
  });

  test('[PORT-4] A search shows the user name of each message, or the user’s id if that user is gone', async () => {
    const { messages: latest } = await fresh.store.read(searchMessages, { ...everything, limit: 10 });
    const names = new Map(latest.map(({ id, username }) => [id, username]));
    for (const { id, companyId, userId } of messages.filter(({ id }) => names.has(id)))
      expect([companyId, names.get(id)]).toEqual([1, userId === 10 ? 'first' : '11']);
  });

  test('[PORT-4] [RUN-6] A search finds no messages that were purged', async () => {
    const createdBefore = timeOf(600);
    const all = await found(fresh.store, everything);
    let afterId: number | null = 0;
    while (afterId !== null) {
      const step: { nextAfterId: number | null } = await fresh.store.write(purgeMessages, {
        companyId: 1,
        afterId,
        idsSinceOld: 0,
        createdBefore,
        limit: 500,
      });
      afterId = step.nextAfterId;
    }
    const young = new Set(messages.filter((one) => one.createdAt >= createdBefore).map(({ id }) => id));
    expect(await found(fresh.store, everything)).toEqual(all.filter((id) => young.has(id)));
    expect(await found(fresh.store, { ...everything, recipient: '46701740600' })).toEqual(
      expected({ ...everything, recipient: '46701740600', since: createdBefore }),
    );
  });
});
