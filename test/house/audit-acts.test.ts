/** The portal has a sentence, in both languages, for each act of the audit log. */
import { expect, test } from 'vitest';
import { actsOf, kinds, wordsOfAct } from '../../portal/src/audit/acts.ts';
import { acts } from '../../src/administration/audit-endpoints.ts';

test('[PORT-7] [PORT-13] The portal has a sentence in English and in Swedish for each act of the audit log', () => {
  const known = kinds.flatMap(actsOf);
  // The page asks for all acts of a kind, so none of them may be unknown to the server.
  expect(known.toSorted()).toEqual([...acts].sort());
  for (const act of known) {
    const [en, sv] = wordsOfAct(act) ?? ['', ''];
    expect([act, en.length > 5, sv.length > 5, en === sv]).toEqual([act, true, true, false]);
  }
});
