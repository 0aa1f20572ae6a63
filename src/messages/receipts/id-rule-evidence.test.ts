import { describe, expect, test } from 'vitest';
import { plainId } from '../../wire/smpp/message-id.ts';
import { findIdRule, idsToLookFor, type SubmittedPart, type UnmatchedId } from './unmatched.ts';

const anna = '46701740601';
const numbers = [4_711, 65_535, 1_234_567, 900_001, 77_777_777];

function receipts(idOf: (number: number) => string, recipient: string | null = anna): UnmatchedId[] {
  return numbers.map((number) => ({ id: idOf(number), recipient }));
}

function parts(idOf: (number: number) => string, recipient = anna): SubmittedPart[] {
  return numbers.map((number) => ({ id: idOf(number), recipient, sender: 'Carillon' }));
}

const hex = (number: number) => number.toString(16).toUpperCase().padStart(8, '0');
const padded = (number: number) => String(number).padStart(10, '0');

describe('id rules derived from receipts that belong to no message', () => {
  test.each([
    ['hexToDecimal', String, hex],
    ['decimalToHex', hex, String],
    ['text', padded, String],
    ['text', (number: number) => `x${number}`, (number: number) => `X${number}`],
  ] as const)(
    '[DLV-5] The id rule %s follows from what ids of unmatched receipts have in common with ids of parts',
    (rule, reported, taken) => {
      for (const recipient of [anna, null]) {
        const unmatched = receipts(reported, recipient);
        const wanted = new Set(idsToLookFor(unmatched));
        for (const part of parts(taken)) expect(wanted).toContain(plainId(part.id));
        expect(findIdRule(unmatched, parts(taken))).toEqual({ rule, matching: 5, of: 5 });
      }
    },
  );

  test('[DLV-5] No id rule follows from parts to other numbers, from too few receipts, or if the rule fits no more than half of them', () => {
    expect(findIdRule(receipts(String), parts(hex, '46701740602'))).toBeUndefined();
    expect(findIdRule(receipts(String).slice(0, 2), parts(hex))).toBeUndefined();
    const strangers = numbers.map((number) => ({ id: `stranger ${number}`, recipient: anna }));
    expect(findIdRule([...receipts(String), ...strangers], parts(hex))).toBeUndefined();
    expect(findIdRule([...receipts(String), ...strangers.slice(1)], parts(hex))).toMatchObject({ of: 9 });
    expect(findIdRule([], parts(hex))).toBeUndefined();
    expect(findIdRule(receipts(String), [])).toBeUndefined();
  });
});
