import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computedMs } from '../../../test/harness/awake.ts';
import { messageIdRules, otherForms, receiptIds } from './message-id.ts';

/** As SMSCs write numbers. */
const hexForms = [
  (value: bigint) => value.toString(16),
  (value: bigint) => value.toString(16).toUpperCase(),
  (value: bigint) => value.toString(16).padStart(8, '0'),
  (value: bigint) => value.toString(16).toUpperCase().padStart(16, '0'),
];
const decimalForms = [
  (value: bigint) => value.toString(),
  (value: bigint) => value.toString().padStart(10, '0'),
  (value: bigint) => value.toString().padStart(20, '0'),
];

const value = fc.oneof(
  fc.bigInt({ min: 0n, max: 1_000n }),
  fc.bigInt({ min: 0n, max: 2n ** 32n }),
  fc.bigInt({ min: 2n ** 52n, max: 2n ** 128n - 1n }),
);
const hex = fc.constantFrom(...hexForms);
const decimal = fc.constantFrom(...decimalForms);

describe('the forms of a carrier’s message id', () => {
  test('[DLV-5] hexadecimal in the answer and decimal in the receipt, to 128 bits', () => {
    fc.assert(
      fc.property(value, hex, decimal, (number, answer, receipt) => {
        expect(otherForms(receipt(number), 'hexToDecimal')).toContain(answer(number));
        expect([receipt(number), ...otherForms(receipt(number), 'auto')]).toContain(answer(number));
      }),
    );
  });

  test('[DLV-5] decimal in the answer and hexadecimal in the receipt', () => {
    fc.assert(
      fc.property(value, decimal, hex, (number, answer, receipt) => {
        expect(otherForms(receipt(number), 'decimalToHex')).toContain(answer(number));
        expect([receipt(number), ...otherForms(receipt(number), 'auto')]).toContain(answer(number));
      }),
    );
    expect(otherForms('0xFF', 'decimalToHex')[0]).toBe('255');
  });

  test('[DLV-5] the same number with other zeros in front or in the other case', () => {
    fc.assert(
      fc.property(
        value,
        fc.constantFrom(hexForms, decimalForms),
        fc.nat(),
        fc.nat(),
        (number, forms, a, b) => {
          const [answer, receipt] = [forms[a % forms.length], forms[b % forms.length]];
          const written = receipt?.(number) as string;
          for (const rule of ['text', 'auto'] as const) {
            expect([written, ...otherForms(written, rule)]).toContain(answer?.(number));
          }
        },
      ),
    );
  });

  test('[DLV-5] of an id that is no number only the letter case varies', () => {
    const id = '7D6F4C4E-93A1-4B6F-9B5A-0C8F7C0B1A2D';
    for (const rule of messageIdRules) expect(otherForms(id, rule)).toContain(id.toLowerCase());
    expect(otherForms(id, 'auto')).toEqual([id.toLowerCase()]);
    expect(otherForms('Zug-007', 'text')).toEqual(['zug-007', 'ZUG-007']);
  });

  test('[DLV-5] beyond 128 bits a number is text, and takes no time', () => {
    expect(otherForms('9'.repeat(40), 'hexToDecimal')).toEqual(['9'.repeat(40)]);
    const startedAt = computedMs();
    for (const rule of messageIdRules) expect(otherForms('0'.repeat(60_000), rule).length).toBeLessThan(8);
    expect(computedMs() - startedAt).toBeLessThan(1_000);
  });

  test('[DLV-5] are few, differ, and leave out what was written, whatever that is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), value.map(String)), (id) => {
        for (const rule of messageIdRules) {
          const forms = otherForms(id, rule);
          expect(forms.length).toBeLessThanOrEqual(16);
          expect(new Set(forms).size).toBe(forms.length);
          if (rule === 'auto' || rule === 'text') expect(forms).not.toContain(id);
        }
      }),
    );
  });
});

describe('the ids of a receipt', () => {
  test('[DLV-5] keep what was written, and name the form to look for first', () => {
    const plain = receiptIds(['xyz'], 'text');
    expect(plain).toMatchObject({ carrierMessageId: 'xyz' });
    expect(plain.submittedId).toBeUndefined();
    expect(plain.otherIds?.()).toEqual(['XYZ']);
    const converted = receiptIds(['255'], 'hexToDecimal');
    expect(converted).toMatchObject({ carrierMessageId: '255', submittedId: 'ff' });
    expect(converted.otherIds?.()).toEqual([
      'FF',
      '000000ff',
      '000000FF',
      '00000000000000ff',
      '00000000000000FF',
    ]);
    expect(receiptIds(['ff'], 'decimalToHex')).toMatchObject({ carrierMessageId: 'ff', submittedId: '255' });
  });

  test('[DLV-5] look first for the form that submissions are answered in', () => {
    fc.assert(
      fc.property(value, value, hex, decimal, (number, other, answer, receipt) => {
        // A sample without letters says nothing of their case, and a number without room for zeros nothing of zeros.
        fc.pre(number > 9n && /[a-f]/i.test(answer(other)));
        fc.pre(number.toString(16).length < 8 && other.toString(16).length < 8);
        const { submittedId, carrierMessageId } = receiptIds(
          [receipt(number)],
          'hexToDecimal',
          answer(other),
        );
        expect(submittedId ?? carrierMessageId).toBe(answer(number));
      }),
    );
    expect(receiptIds(['ff'], 'decimalToHex', '0000004711').submittedId).toBe('0000000255');
  });

  test('[DLV-5] the text’s form of the TLV’s id comes right behind it', () => {
    const ids = receiptIds(['75BCD15', '0123456789'], 'auto');
    expect(ids.carrierMessageId).toBe('75BCD15');
    expect(ids.otherIds?.()[0]).toBe('0123456789');
  });

  test('[DLV-5] a rule that converts never looks for the form that was written', () => {
    fc.assert(
      fc.property(value, (number) => {
        fc.pre(number > 9n);
        const { submittedId, otherIds } = receiptIds([String(number)], 'hexToDecimal');
        expect([submittedId, ...(otherIds?.() ?? [])]).not.toContain(String(number));
      }),
    );
  });
});
