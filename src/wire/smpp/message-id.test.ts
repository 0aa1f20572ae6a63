import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { type MessageIdRule, messageIdRules, otherForms, plainId, receiptIds } from './message-id.ts';

/** Writes numbers as SMSCs do: padded with zeros to any width up to SMPP's 64, with letters in either case. */
const width = fc.integer({ min: 1, max: 64 });
const hex = fc.tuple(width, fc.boolean()).map(([digits, isUpper]) => (value: bigint) => {
  const written = value.toString(16).padStart(digits, '0');
  return isUpper ? written.toUpperCase() : written;
});
const decimal = width.map((digits) => (value: bigint) => value.toString().padStart(digits, '0'));

const value = fc.oneof(
  fc.bigInt({ min: 0n, max: 1_000n }),
  fc.bigInt({ min: 0n, max: 2n ** 32n }),
  fc.bigInt({ min: 2n ** 52n, max: 2n ** 128n - 1n }),
);

/** The forms that the store looks for. */
function formsOf(written: string, rule: MessageIdRule): readonly string[] {
  const { carrierMessageId, submittedId, otherIds } = receiptIds([written], rule);
  return [submittedId ?? carrierMessageId, ...otherIds()].map(plainId);
}

describe('the forms of a carrier’s message id', () => {
  test('[DLV-5] A decimal id in a receipt finds a hexadecimal one in the response, to 128 bits and with any padding', () => {
    fc.assert(
      fc.property(value, hex, decimal, (number, answer, receipt) => {
        expect(formsOf(receipt(number), 'hexToDecimal')).toEqual([plainId(answer(number))]);
        expect(formsOf(receipt(number), 'auto')).toContain(plainId(answer(number)));
      }),
    );
  });

  test('[DLV-5] A hexadecimal id in a receipt finds a decimal one in the response, with any padding', () => {
    fc.assert(
      fc.property(value, decimal, hex, (number, answer, receipt) => {
        expect(formsOf(receipt(number), 'decimalToHex')).toEqual([plainId(answer(number))]);
        expect(formsOf(receipt(number), 'auto')).toContain(plainId(answer(number)));
      }),
    );
    expect(otherForms('0xFF', 'decimalToHex')).toEqual(['255']);
    expect(otherForms('0x00ff', 'decimalToHex')).toEqual(['255']);
  });

  test('[DLV-5] An id in a receipt finds the same number in the response with other leading zeros or letter case', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(hex, decimal), fc.gen(), (number, forms, some) => {
        const [answer, receipt] = [some(() => forms), some(() => forms)];
        for (const rule of ['text', 'auto'] as const)
          expect(formsOf(receipt(number), rule)).toContain(plainId(answer(number)));
      }),
    );
  });

  test('[DLV-5] A message id that is not a number varies only in leading zeros and letter case', () => {
    const id = '7D6F4C4E-93A1-4B6F-9B5A-0C8F7C0B1A2D';
    for (const rule of messageIdRules) expect(formsOf(id, rule)).toEqual([id.toLowerCase()]);
    expect(formsOf('Zug-007', 'text')).toEqual(['zug-007']);
  });

  test('[DLV-5] A message id beyond 128 bits is treated as text', () => {
    expect(otherForms('9'.repeat(40), 'hexToDecimal')).toEqual(['9'.repeat(40)]);
  });

  test.each(['1', '0'])(
    '[DLV-5] Finding the forms of a message id takes time in proportion to the length only: of %s',
    async (digit) => {
      const read = (size: number) => {
        for (const rule of messageIdRules)
          expect(otherForms(digit.repeat(size), rule).length).toBeLessThan(2);
      };
      await expectLinearTime(read, { from: 6_000, times: 10 });
    },
  );

  test('[DLV-5] The forms of a message id are few, and differ by more than zeros and letter case, whatever was written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), value.map(String)), (id) => {
        for (const rule of messageIdRules) {
          const forms = formsOf(id, rule);
          expect(forms.length).toBeLessThanOrEqual(3);
          expect(new Set(forms).size).toBe(forms.length);
        }
      }),
    );
  });
});

describe('the ids of a receipt', () => {
  test('[DLV-5] The ids of a receipt keep what was written, and name the form to look for first', () => {
    const plain = receiptIds(['xyz'], 'text');
    expect(plain).toMatchObject({ carrierMessageId: 'xyz' });
    expect(plain.submittedId).toBeUndefined();
    expect(plain.otherIds()).toEqual([]);
    const converted = receiptIds(['255'], 'hexToDecimal');
    expect(converted).toMatchObject({ carrierMessageId: '255', submittedId: 'ff' });
    expect(converted.otherIds()).toEqual([]);
    expect(receiptIds(['ff'], 'decimalToHex')).toMatchObject({ carrierMessageId: 'ff', submittedId: '255' });
    expect(receiptIds(['255'], 'auto').otherIds()).toEqual(['ff', '597']);
  });

  test('[DLV-5] The id in the text of a receipt is looked for right after the id in its TLV', () => {
    const ids = receiptIds(['75BCD15', '0123456789'], 'auto');
    expect(ids.carrierMessageId).toBe('75BCD15');
    expect(ids.otherIds()[0]).toBe('0123456789');
  });

  test('[DLV-5] A rule that converts message ids never looks for the form that was written', () => {
    fc.assert(
      fc.property(value, (number) => {
        fc.pre(number > 9n);
        expect(formsOf(String(number), 'hexToDecimal')).not.toContain(String(number));
      }),
    );
  });
});
