import { describe, expect, test } from 'vitest';
import { batchRequest, bodyOf, jsonList, toEnd } from '../../../test/harness/batch-bodies.ts';
import { type BatchRequest, judgeBatch } from './judge.ts';
import { LineRecipients } from './recipient.ts';

function judge(body: object, request: Partial<BatchRequest> = {}) {
  return toEnd(judgeBatch(jsonList(JSON.stringify(body), 1_000), batchRequest(request)));
}

function judgeLines(text: string, request: Partial<BatchRequest> = {}) {
  const asked = batchRequest(request);
  return toEnd(judgeBatch(new LineRecipients(bodyOf(text), asked.holders.length), asked));
}

function faultsOf(batch: readonly unknown[], request: Partial<BatchRequest> = {}) {
  return (judge({ batch }, request).fault?.errors ?? []).map(({ field, code }) => [field, code]);
}

const good = { t: '46701740001' };

describe('validating a batch', () => {
  test('[BATCH-5] A valid batch passes without a fault', () => {
    const { fault, recipients, repeated } = judge({
      batch: [good, { t: '+46 70-174.00.02', m: 'Hi', i: 'c' }],
    });
    expect({ fault, recipients, repeated: [...(repeated ?? [])] }).toEqual({
      fault: undefined,
      recipients: 2,
      repeated: [],
    });
  });

  test('[BATCH-5] Each number in a country that the account may not send to is reported', () => {
    const batch = [good, { t: '46701740002' }];
    expect(faultsOf(batch, { countries: ['NO', 'SE'] })).toEqual([]);
    expect(faultsOf(batch, { countries: ['NO'] })).toEqual([
      ['batch[0].t', 'country_not_allowed'],
      ['batch[1].t', 'country_not_allowed'],
    ]);
  });

  test('[BATCH-1] [BATCH-5] Each fault of a batch is reported by its index and field, in order', () => {
    const batch = [
      { t: 'abc' },
      good,
      { t: 46_701_740_001 },
      { m: 'Hi' },
      { t: '', i: 'c' },
      { ...good, i: 'x'.repeat(101) },
      { ...good, m: ['Hi'] },
      { ...good, s: 'Anna' },
      { ...good, s: ['Anna', 5] },
      { t: '0701740001' },
      { t: '123' },
      { t: '4520000001' },
      null,
      'x',
      [good],
    ];
    expect(faultsOf(batch)).toEqual([
      ['batch[0].t', 'invalid_number'],
      ['batch[2].t', 'invalid_type'],
      ['batch[3].t', 'missing_parameter'],
      ['batch[4].t', 'missing_parameter'],
      ['batch[5].i', 'invalid_value'],
      ['batch[6].m', 'invalid_type'],
      ['batch[7].s', 'invalid_type'],
      ['batch[8].s[1]', 'invalid_type'],
      ['batch[9].t', 'invalid_number'],
      ['batch[10].t', 'invalid_number'],
      ['batch[11].t', 'no_route'],
      ['batch[12]', 'invalid_type'],
      ['batch[13]', 'invalid_type'],
      ['batch[14]', 'invalid_type'],
    ]);
  });

  test('[BATCH-5] A wrong type deep in a long recipient list is reported too', () => {
    const batch: unknown[] = Array.from({ length: 9_000 }, () => good);
    batch[8_999] = { ...good, i: 7 };
    expect(faultsOf(batch, { maxRecipients: 10_000 })).toEqual([['batch[8999].i', 'invalid_type']]);
  });

  test('[BATCH-5] The first hundred faults of a batch are listed, and all are counted', () => {
    const { fault } = judge({ batch: Array.from({ length: 250 }, () => ({ t: 'x' })) });
    expect(fault?.errors.length).toBe(100);
    expect(fault?.message).toContain('(249 more faults');
    expect(fault?.code).toBe('invalid_number');
  });

  test('[BATCH-5] Faults of recipient lines are reported by line number', () => {
    const { fault } = judgeLines('# numbers\n46701740001\nabc\n4520000001;Hi\n46701740001;%zz');
    expect(fault?.errors.map(({ field, code }) => [field, code])).toEqual([
      ['line 3', 'invalid_number'],
      ['line 4', 'no_route'],
      ['line 5', 'bad_encoding'],
    ]);
  });

  test('[BATCH-5] Each recipient needs a text, either its own or the common one', () => {
    expect(faultsOf([{ ...good, m: 'Hi' }, good], { message: undefined })).toEqual([
      ['batch[1].m', 'no_text'],
    ]);
    const lines = judgeLines('46701740001;Hi\n46701740002', { message: undefined });
    expect(lines.fault?.errors.map(({ field, code }) => [field, code])).toEqual([['line 2', 'no_text']]);
    expect(lines.fault?.message).toMatch(/^`line 2` has no text after its number, and .*\(M8\)\.$/);
  });

  test('[BATCH-5] In a recipient, null and the empty string count as absent, and unknown fields are ignored', () => {
    const batch = [{ ...good, m: null, i: '', s: null, x: { y: [1] } }];
    expect(judge({ batch }).fault).toBeUndefined();
  });

  test('[BATCH-5] A batch without recipients is refused', () => {
    expect(judge({ batch: [] }).fault?.code).toBe('no_recipients');
    expect(judgeLines('# none\n \n').fault?.code).toBe('no_recipients');
  });

  test('[BATCH-1] A leading zero in a recipient’s number is replaced by the default country code', () => {
    expect(judge({ batch: [{ t: '070-174 00 01' }] }, { defaultCountryCode: '46' }).fault).toBeUndefined();
  });

  test('[BATCH-5] More recipients than the account may have are counted, and are not reported as a fault', () => {
    const judged = judge({ batch: [good, good, good] }, { maxRecipients: 2 });
    expect(judged).toMatchObject({ fault: undefined, recipients: 3, repeated: undefined });
    expect(judge({ batch: [good, good] }, { maxRecipients: 2 }).repeated).toEqual(new Set([46_701_740_001]));
  });

  test('[BATCH-4] Numbers that occur more than once are recognised in whatever form they are written', () => {
    const batch = ['+46701740001', '0046701740001', '46701740002', '0701740002', '46701740003'].map((t) => ({
      t,
    }));
    const { repeated } = judge({ batch }, { defaultCountryCode: '46' });
    expect(repeated).toEqual(new Set([46_701_740_001, 46_701_740_002]));
  });

  test('[BATCH-10] The request hash covers the batch as it was understood, in either form', () => {
    const hashOf = (body: object, understood = 'x') => judge(body, { understood }).requestHash;
    const batch = [{ ...good, m: 'Hi', s: ['a'] }];
    const hash = hashOf({ batch });
    expect(hash).toMatch(/^[\w-]{43}$/);
    expect(hashOf({ apikey: 'k', batch: [{ s: ['a'], x: 1, i: null, m: 'Hi', ...good }] })).toBe(hash);
    expect(judgeLines('46701740001;Hi;;a', { understood: 'x', holders: ['A'] }).requestHash).toBe(hash);
    for (const other of [[{ ...good, m: 'Hi' }], [...batch, good], [...batch, 1], [...batch, {}]])
      expect(hashOf({ batch: other })).not.toBe(hash);
    expect(hashOf({ batch }, 'y')).not.toBe(hash);
    expect(judge({ batch }).requestHash).toBeUndefined();
    // The fault may have arisen since, so this still counts as the same request.
    const elsewhere = { understood: 'x', routes: { ...batchRequest().routes, routes: [] } };
    expect(judge({ batch }, elsewhere)).toMatchObject({ requestHash: hash, fault: { code: 'no_route' } });
  });
});
