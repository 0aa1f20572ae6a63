import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { putCompany, putNumber, putUser } from '../../test/harness/account-verbs.ts';
import { deliveryStore } from '../../test/harness/delivery-store.ts';
import { putMessages } from '../../test/harness/delivery-verbs.ts';
import { clearJournal, listChanges, listReaders } from '../../test/harness/journal-verbs.ts';
import { claim, part, record, sent } from '../../test/harness/outcomes.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { systemClock } from '../foundation/clock.ts';
import { claimMessages } from '../messages/dispatch/claim.ts';
import { recordOutcomes } from '../messages/dispatch/store.ts';
import { storeIncoming } from '../messages/incoming/store.ts';
import { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { leaveReader, trim } from './journal.ts';
import { type Hint, LiveHints } from './live-hints.ts';
import { announcing, Listening } from './tracking.ts';

const patience = { timeout: 100_000, interval: 20 };
const log = { warn: () => undefined };
const sms = { sender: '46701740600', recipient: '46731230001', text: 'Yes', receivedAt: 3_000 };

eachStore('live hints', (engine) => {
  const given = deliveryStore(engine);
  const begun: LiveHints[] = [];
  beforeAll(async () => {
    await given.store.write(putCompany, { id: 2, name: 'Other' });
    await given.store.write(putUser, { id: 20, companyId: 2, username: 'third' });
    await given.store.write(putNumber, { number: sms.recipient, userId: 20 });
  });
  beforeEach(() => given.store.write(clearJournal, null));
  afterEach(async () => {
    for (const hints of begun.splice(0)) await hints.stop();
  });

  function open(store: Store): LiveHints {
    const hints = new LiveHints({ store, clock: systemClock, log });
    begun.push(hints);
    return hints;
  }

  /** The hints that a listener received, one line each. */
  async function heardOf(hints: LiveHints, companyId: number) {
    const heard: string[] = [];
    const times: number[] = [];
    const end = await hints.subscribe(companyId, ({ companyId: of, topic, counts }: Hint) => {
      times.push(performance.now());
      const what = [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
      heard.push(`${of} ${topic}: ${what}`);
    });
    return { heard, times, end };
  }

  test('[PORT-4] Live hints show each listener which lists of its company have changed, and how', async () => {
    const { store } = given;
    const hints = open(store);
    const [first, again, other] = [await heardOf(hints, 1), await heardOf(hints, 1), await heardOf(hints, 2)];
    await store.write(
      putMessages,
      [1, 2, 3].map((id) => ({ id, listened: true })),
    );
    await vi.waitFor(() => expect(first.heard).toEqual(['1 messages: 3 QUEUED']), patience);
    await store.write(storeIncoming, { ...sms, id: 1 });
    const ofOther = ['2 incoming: 1 RECEIVED', '2 conversations: 1 CHANGED'];
    await vi.waitFor(() => expect(other.heard).toEqual(ofOther), patience);
    await again.end();
    await store.write(claimMessages, claim);
    await store.write(recordOutcomes, { ...record(7), advances: [sent(3)], taken: [part(3)] });
    await vi.waitFor(() => expect(first.heard.at(-1)).toBe('1 messages: 1 SENT'), patience);
    expect(again.heard).toEqual(['1 messages: 3 QUEUED']);
    expect(other.heard).toEqual(ofOther);
  });

  test('[PORT-4] Live hints come at most twice a second, however much changes', async () => {
    const { store } = given;
    const { heard, times } = await heardOf(open(store), 1);
    for (let id = 1; id <= 100; id++) {
      await store.write(putMessages, [{ id, listened: true }]);
      store.announce('changes');
      await delay(20);
    }
    const count = () => heard.reduce((sum, line) => sum + Number(/: (\d+) QUEUED$/.exec(line)?.[1]), 0);
    await vi.waitFor(() => expect(count()).toBe(100), patience);
    const pauses = times.slice(1).map((time, place) => time - (times[place] as number));
    expect(Math.min(...pauses)).toBeGreaterThan(480);
  });

  test('[PORT-4] When their reader was dropped, live hints say that anything may have changed', async () => {
    const { store } = given;
    const { heard } = await heardOf(open(store), 1);
    const [reader] = await store.read(listReaders, null);
    await store.write(leaveReader, reader?.name as string);
    await store.write(putMessages, [{ id: 1, listened: true }]);
    await vi.waitFor(
      () =>
        expect(heard.sort()).toEqual(
          ['batches', 'conversations', 'incoming', 'messages', 'optouts', 'runs'].map(
            (list) => `1 ${list}: `,
          ),
        ),
      patience,
    );
  });

  test('[HOOK-2] Live hints make every node listen to a company for as long as someone watches', async () => {
    const { store } = given;
    const another = engine.name === 'postgres' ? await given.fresh.openAnother() : store;
    const news = new News(another);
    await news.start();
    let now = Date.now();
    const listening = new Listening({ store: another, news, clock: { now: () => now } });
    await listening.start();
    expect(listening.isAnyTracked()).toBe(false);
    await store.write(putMessages, [{ id: 1 }]);
    const { heard, end } = await heardOf(open(store), 1);
    await vi.waitFor(() => expect(listening.isTracked(1)).toBe(true), patience);
    expect(listening.isTracked(2)).toBe(false);
    await another.write(claimMessages, claim);
    await another.write(recordOutcomes, { ...record(7), advances: [sent(1)], taken: [part(1)] });
    await vi.waitFor(() => expect(heard.join()).toMatch(/^1 messages: 1 QUEUED\b.*1 SENT$/), patience);
    await end();
    now += 60 * 60_000;
    expect(listening.isAnyTracked()).toBe(false);
    news.stop();
  });

  test('[HOOK-2] Live hints leave behind only the newest change, and no reader', async () => {
    const { store } = given;
    const { heard, end } = await heardOf(open(store), 1);
    await store.write(
      putMessages,
      [1, 2, 3].map((id) => ({ id, listened: true })),
    );
    await vi.waitFor(() => expect(heard.length).toBe(1), patience);
    const tellings: object[] = [];
    const later = { now: () => Date.now() + 60 * 60_000 };
    const log = { warn: (details: object) => tellings.push(details) };
    // The reader moves past reported changes a moment later.
    await vi.waitFor(async () => {
      await trim({ store, clock: later, log });
      expect((await store.read(listChanges, null)).length).toBe(1);
    }, patience);
    await end();
    expect(await store.read(listReaders, null)).toEqual([]);
    expect(tellings).toEqual([]);
  });

  test('[PORT-4] An observed message is announced to all nodes, and only while someone listens', async () => {
    const { store } = given;
    const another = engine.name === 'postgres' ? await given.fresh.openAnother() : store;
    let announced = 0;
    another.onAnnouncement((topic) => {
      if (topic === 'changes') announced += 1;
    });
    let isAny = false;
    let seen = 0;
    const observer = announcing(
      {
        accepted: () => seen++,
        outcome: () => seen++,
        receipts: () => seen++,
        unmatchedReceipts: () => seen++,
        unreadableReceipt: () => seen++,
        incoming: () => seen++,
      },
      { isAnyTracked: () => isAny },
      store,
    );
    const observe = () => {
      observer.accepted(1, 1);
      observer.outcome('carrier', 'accepted');
      observer.receipts('carrier', 'DELIVERED', 1);
      observer.incoming('carrier', true);
    };
    observe();
    await delay(400);
    expect(announced).toBe(0);
    isAny = true;
    observe();
    await vi.waitFor(() => expect(announced).toBe(1), patience);
    expect(seen).toBe(8);
  });
});
