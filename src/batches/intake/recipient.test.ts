import { describe, expect, test } from 'vitest';
import { bodyOf, faultsOf, jsonList } from '../../../test/harness/batch-bodies.ts';
import { standardMaxLength } from '../../http/parameters/bounds.ts';
import { maxLabels, maxTextLength } from '../../wire/sms/substitution.ts';
import { LineRecipients } from './line-recipients.ts';

const t = '46701740001';
const inJson = (recipient: object) =>
  faultsOf(jsonList(JSON.stringify({ batch: [recipient] }), 65_536)).map(([, error]) => error);
const inLines = (line: string) =>
  faultsOf(new LineRecipients(bodyOf(line, 65_536), 1)).map(([, error]) => error);

describe('the fields of a recipient', () => {
  test.each([
    ['number', 't', standardMaxLength, (long: string) => [{ t: long }, long]],
    ['text', 'm', maxTextLength, (long: string) => [{ t, m: long }, `${t};${long}`]],
    ['conversation', 'i', 100, (long: string) => [{ t, i: long }, `${t};;${long}`]],
    ['substitution', 's', maxTextLength, (long: string) => [{ t, s: [long] }, `${t};;;${long}`]],
  ] as const)(
    '[CONV-12] [BATCH-1] a %s has a length, in both forms of a batch',
    (_name, field, most, forms) => {
      const [json, line] = forms('1'.repeat(most)) as [object, string];
      expect([...inJson(json), ...inLines(line)]).toEqual([]);
      const [longJson, longLine] = forms('1'.repeat(most + 1)) as [object, string];
      const rule = `must have at most ${most} characters, but has ${most + 1}.`;
      expect(inJson(longJson)).toEqual([expect.stringContaining(`batch[0].${field}`)]);
      for (const errors of [inJson(longJson), inLines(longLine)])
        expect(errors).toEqual([expect.stringContaining(rule)]);
    },
  );

  test('[CONV-12] [BATCH-1] of substitutions there are no more than there may be labels', () => {
    expect(inJson({ t, s: Array(maxLabels).fill('x') })).toEqual([]);
    expect(inJson({ t, s: Array(maxLabels + 1).fill('x') })).toEqual([
      expect.stringContaining(`at most ${maxLabels} items`),
    ]);
  });
});
