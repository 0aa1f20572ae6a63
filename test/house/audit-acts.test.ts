/** The portal has a sentence, in both languages, for each act of the audit log. */
import { expect, test } from 'vitest';
import { acts } from '../../src/administration/audit-endpoints.ts';
import { actKinds, wordsOfActs } from '../../src/audit/act-words.ts';

test('[PORT-7] [PORT-13] The portal has a sentence in English and in Swedish for each act of the audit log', () => {
  const english = actKinds.flatMap((kind) => wordsOfActs(kind, 'en'));
  const swedish = new Map(
    actKinds.flatMap((kind) => wordsOfActs(kind, 'sv')).map(({ act, words }) => [act, words]),
  );
  // The page asks for all acts of a kind, so none of them may be unknown to the server.
  expect(english.map(({ act }) => act).sort()).toEqual([...acts].sort());
  for (const { act, words } of english) {
    const sv = swedish.get(act) ?? '';
    expect([act, words.length > 5, sv.length > 5, words === sv]).toEqual([act, true, true, false]);
  }
});
