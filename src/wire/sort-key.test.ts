import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortKey } from './sort-key.ts';

/**
 * Without ô and ę, to which browsers give the places of ö and ä in Swedish: here they stand with o and e, as in any other name
 * from abroad. Without þ and ı, which stand with th and i here. Other signs than spaces and hyphens stand in the order of ASCII.
 */
const letters = 'abcdefghijklmnopqrstuvwxyzåäöæøœßđðłéèêëáàâãíîïñóõúûüýçšžčćńřşğőű';
const sign = fc.constantFrom(...letters, ...letters.toUpperCase(), ...'åäöÅÄÖüÜ', ...'0123456789', ...'  --');
const name = fc.string({ unit: sign, maxLength: 12 });

const bytewise = (one: string, other: string) =>
  Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(other)));

test('[PORT-4] [PORT-5] Sort keys give names the order that browsers give them in Swedish and in English', () => {
  for (const language of ['sv', 'en'] as const) {
    // Capitals and accents decide nothing here, as in keys.
    const collator = new Intl.Collator(language, { sensitivity: 'base' });
    fc.assert(
      fc.property(name, name, (one, other) => {
        const byKey = bytewise(sortKey(one, language), sortKey(other, language));
        expect([one, other, byKey]).toEqual([one, other, Math.sign(collator.compare(one, other))]);
      }),
      { numRuns: 5_000 },
    );
  }
});
