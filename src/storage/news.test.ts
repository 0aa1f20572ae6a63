import { afterEach, expect, test } from 'vitest';
import { pause, until } from '../../test/harness/awake.ts';
import { announceChange } from '../../test/harness/storage-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import type { Stopwatch } from '../foundation/clock.ts';
import { News } from './news.ts';
import type { Store } from './store.ts';

eachStore('news', (engine) => {
  const started: News[] = [];
  afterEach(() => {
    for (const news of started.splice(0)) news.stop();
  });

  async function follow(store: Store, stopwatch?: Stopwatch): Promise<News> {
    const news = new News(store, stopwatch);
    started.push(news);
    await news.start();
    return news;
  }

  test('[AUTH-5] A change on one node is announced to every node, but only to listeners of its topic', async () => {
    const { openAnother, store } = await engine.openFreshStore();
    await store.write(announceChange, 'carriers');
    const heard: string[] = [];
    for (const [node, one] of [store, await openAnother()].entries()) {
      const news = await follow(one);
      news.on('accounts', () => void heard.push(`accounts on ${node}`));
      news.on('carriers', () => void heard.push(`carriers on ${node}`));
    }
    expect(heard).toEqual([]);
    await store.write(announceChange, 'accounts');
    await until(() => heard.length === 2);
    await store.write(announceChange, 'accounts');
    await until(() => heard.length === 4);
    expect(heard.sort()).toEqual(['accounts on 0', 'accounts on 0', 'accounts on 1', 'accounts on 1']);
  });

  test('[AUTH-5] A node learns of its own change as soon as it asks, and of several changes once', async () => {
    const { store } = await engine.openFreshStore();
    const news = await follow(store);
    let heard = 0;
    news.on('accounts', () => {
      heard += 1;
    });
    for (let change = 0; change < 3; change++) await store.write(announceChange, 'accounts');
    await news.read();
    expect(heard).toBe(1);
    await news.read();
    expect(heard).toBe(1);
  });

  test('[AUTH-5] News whose listener fails is delivered again, and a slow listener is waited for', async () => {
    const { store } = await engine.openFreshStore();
    const news = new News(store);
    await news.start();
    news.stop();
    let attempts = 0;
    let finished = 0;
    news.on('accounts', async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('the cache could not be renewed');
      await pause(50);
      finished += 1;
    });
    await store.write(announceChange, 'accounts');
    await expect(news.read()).rejects.toThrow('renewed');
    await news.read();
    expect({ attempts, finished }).toEqual({ attempts: 2, finished: 1 });
  });

  test('[AUTH-5] Cached data is trusted while the store can be read, and no longer than a second after', async () => {
    const fresh = await engine.openFreshStore();
    const stopwatch = { time: 1_000, elapsed: () => stopwatch.time };
    expect(new News(fresh.store, stopwatch).trusted).toBe(false);
    const news = await follow(fresh.store, stopwatch);
    for (let time = 1; time <= 2; time++) {
      expect(news.trusted).toBe(true);
      stopwatch.time += 1_000;
      expect(news.trusted).toBe(false);
      await until(() => news.trusted);
    }
    await fresh.store.close();
    stopwatch.time += 1_000;
    expect(news.trusted).toBe(false);
    // The node keeps asking.
    await pause(400);
    expect(news.trusted).toBe(false);
  });
});
