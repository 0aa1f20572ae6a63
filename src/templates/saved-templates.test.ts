import { afterEach, beforeEach, expect, test } from 'vitest';
import { putCompany } from '../../test/harness/account-verbs.ts';
import { pause, until } from '../../test/harness/awake.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { putTemplate } from '../../test/harness/template-verbs.ts';
import { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { SavedTemplates } from './saved-templates.ts';

const text = 'Dear {Text:customer}';
const parsed = { literals: ['Dear ', ''], placeholders: ['customer'] };

eachStore('saved templates', (engine) => {
  let fresh: FreshStore;
  let store: Store;
  const followed: News[] = [];

  beforeEach(async () => {
    fresh = await engine.openFreshStore();
    store = fresh.store;
    for (const [id, name] of ['Clinic', 'Taxi'].entries())
      await store.write(putCompany, { id: id + 1, name });
    await store.write(putTemplate, { companyId: 1, id: 1_001, text });
  });
  afterEach(() => {
    for (const news of followed.splice(0)) news.stop();
  });

  async function node(of: Store): Promise<SavedTemplates> {
    const news = new News(of);
    followed.push(news);
    await news.start();
    return new SavedTemplates(of, news);
  }

  test('[SEND-7] A saved template of the company is found, and is parsed only once', async () => {
    const templates = await node(store);
    const first = await templates.find(1, '1001');
    expect(first).toEqual(parsed);
    // While news is late, the template is read again; afterwards it stays cached.
    const isKept = async () => (await templates.find(1, '1001')) === (await templates.find(1, '01001'));
    await until(isKept);
  });

  test.each<[what: string, companyId: number, id: string]>([
    ['one that is nowhere', 1, '1002'],
    ['one of another company', 2, '1001'],
    ['no id', 1, '0'],
    ['more than any id', 1, '9223372036854775807'],
  ])('[SEND-7] %s is unknown, and the error names it', async (_, companyId, id) => {
    const templates = await node(store);
    // The cache must not be a way around the check.
    await templates.find(1, '1001');
    await expect(templates.find(companyId, id)).rejects.toMatchObject({
      code: 'unknown_template',
      message: expect.stringContaining(`no template ${id}`),
      errors: [{ field: 'templateid', code: 'unknown_template' }],
    });
  });

  test('[SEND-7] Saved templates with the same id at two companies are two templates', async () => {
    await store.write(putTemplate, { companyId: 2, id: 1_001, text: 'Your taxi' });
    const templates = await node(store);
    expect(await templates.find(2, '1001')).toEqual({ literals: ['Your taxi'], placeholders: [] });
    expect(await templates.find(1, '1001')).toEqual(parsed);
  });

  test('[SEND-7] A saved template that is new, changed or removed is known on every node within a second', async () => {
    const nodes = [await node(store), await node(await fresh.openAnother())];
    const literals = (id: string) =>
      Promise.all(
        nodes.map((templates) =>
          templates.find(1, id).then(
            (template) => template.literals.join(),
            () => 'unknown',
          ),
        ),
      );
    expect(await literals('1001')).toEqual(['Dear ,', 'Dear ,']);
    for (const [id, changed, expected] of [
      [1_001, 'Hello', 'Hello'],
      [1_001, undefined, 'unknown'],
      [1_002, 'New', 'New'],
      [1_001, 'Back', 'Back'],
    ] as const) {
      await store.write(putTemplate, { companyId: 1, id, text: changed });
      await pause(1_000);
      expect(await literals(String(id))).toEqual([expected, expected]);
    }
  });

  test('[SEND-7] Cached templates are not trusted without news', async () => {
    const templates = new SavedTemplates(store, new News(store));
    expect(await templates.find(1, '1001')).toEqual(parsed);
    await store.write(putTemplate, { companyId: 1, id: 1_001, text: 'Hello' });
    expect(await templates.find(1, '1001')).toEqual({ literals: ['Hello'], placeholders: [] });
  });
});
