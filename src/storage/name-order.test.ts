import fc from 'fast-check';
import { expect, test } from 'vitest';
import { putCompany } from '../../test/harness/account-verbs.ts';
import { putBook } from '../../test/harness/contact-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { groups } from '../contacts/management/groups.ts';
import { languages } from '../foundation/language.ts';
import { indexedKey, type NamePlace } from './name-order.ts';

/** Letters that the order knows, others, and signs that have a meaning in SQL or sort beside letters. */
const sign = fc.constantFrom(...'aAbzZåÅäÄöÖæÆøØéÜüñłŁžßþİı', ...'019 -~_%\'"\\€', '\u{1f691}', '\u0301');
const names = fc.uniqueArray(fc.string({ unit: sign, minLength: 1, maxLength: 4 }), {
  minLength: 400,
  maxLength: 400,
});

eachStore('lists by name', (engine) => {
  test('[PORT-4] A list by name has each name once, however many pages it is read in, and the same order on both engines', async () => {
    const { store } = await engine.openFreshStore();
    const [all = []] = fc.sample(names, { numRuns: 1, seed: 7 });
    await store.write(putCompany, { id: 1, name: 'Care' });
    await store.write(putBook, {
      id: 12,
      companyId: 1,
      name: 'Board',
      groups: Object.fromEntries(all.map((name) => [name, []])),
    });
    for (const language of languages) {
      const found: string[] = [];
      for (let from: NamePlace | undefined = { language }; from !== undefined; ) {
        const rows: readonly { readonly key: string }[] = await store.read(groups.list, {
          scopeId: 12,
          from,
          limit: 7,
        });
        found.push(...rows.map(({ key }) => key));
        const name: string | undefined = rows.at(-1)?.key;
        from = name === undefined ? undefined : { language, name };
      }
      const bytes = (name: string) => Buffer.from(`${indexedKey(name, language)}\0${name}`);
      expect(found).toEqual(all.toSorted((one, other) => Buffer.compare(bytes(one), bytes(other))));
    }
  });
});
