import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { parseTemplate } from '../../wire/sms/substitution.ts';
import { type WordingRequest, wordingOf } from './wording.ts';

const plain = { onlytemplateplaceholders: false, flash: false, replacecharacters: false };

function wording(request: Partial<WordingRequest> & { readonly message: string }) {
  return wordingOf({ replaceCharacters: true }, { ...plain, ...request });
}

type Texts = Readonly<Record<string, string>>;

/** The number of recipients that get a text before the call is refused. */
function servedOf(
  count: number,
  textsOf: (at: number) => Texts,
  request: Parameters<typeof wording>[0],
): number {
  const { of } = wording(request);
  for (let at = 0; at < count; at += 1) {
    try {
      if (!of(textsOf(at)).ok) throw new Error(`the text of ${at} is no SMS`);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'text_too_long') return at;
      throw error;
    }
  }
  return count;
}

describe('a template of placeholders only', () => {
  const template = parseTemplate('{Text:customer}{DateTime:when}');
  const { common, of } = wordingOf({ replaceCharacters: true }, { ...plain, message: undefined }, template);

  test('[SEND-6] [SEND-7] [SEND-9] A template of placeholders only is refused with its labels when none of them is filled', () => {
    const empty = {
      code: 'no_text',
      error: expect.stringMatching(
        /the template has only placeholders, .* given for “customer”, “when”\. Labels/,
      ),
    };
    expect([common(), of({}), of({ Customer: 'Ann' }), of({ customer: '' })]).toMatchObject(
      Array(4).fill(empty),
    );
    expect(of({ when: 'today' })).toMatchObject({ ok: true, value: { text: 'today' } });
  });

  test('[SEND-7] The error for a template without text names only a few of many labels', () => {
    const many = parseTemplate(Array.from({ length: 9 }, (_, at) => `{Text:${at % 8}}`).join(''));
    const wording = wordingOf({ replaceCharacters: true }, { ...plain, message: undefined }, many);
    expect(wording.common()).toMatchObject({ error: expect.stringContaining('“4” and 3 more.') });
  });
});

describe('the work for one call', () => {
  test('[SEND-6] [SEND-21] A text far beyond 255 parts is refused before its labels are looked for', () => {
    expect(() => wording({ message: 'x'.repeat(78_031) })).toThrow(
      expect.objectContaining({ code: 'text_too_long' }),
    );
    const { of } = wording({ message: 'x'.repeat(78_030) });
    expect(of({ x: '', xx: 'y' })).toMatchObject({
      ok: true,
      value: { text: 'y'.repeat(39_015), parts: 255 },
    });
  });

  test('[SEND-6] [SEND-21] A text that its labels make longer than 255 parts is refused for its recipient', () => {
    const { of } = wording({ message: `a${'x'.repeat(30_000)}` });
    expect(of({ x: '' })).toMatchObject({ value: { text: 'a' } });
    expect(of({ x: '12' })).toMatchObject({
      code: 'text_too_long',
      error: 'The text needs 393 SMS parts; the limit is 255.',
    });
    expect(of({ x: 'y'.repeat(1_000_000) })).toMatchObject({
      code: 'text_too_long',
      error: 'The text has more than 78030 characters, which is more than 255 SMS parts hold.',
    });
  });

  const ways: [
    what: string,
    textsOf: (at: number) => Texts,
    request: Omit<Partial<WordingRequest>, 'message'>,
  ][] = [
    ['texts', (at) => ({ x: `${at}` }), {}],
    ['labels', (at) => ({ x: '', [`x${at}`]: `${at}` }), {}],
    ['texts with characters to be replaced', (at) => ({ x: `${at} ж“` }), { replacecharacters: true }],
  ];

  test.each(ways)(
    '[SEND-6] Thousands of recipients, each with different %s, get texts of five parts',
    (_, textsOf, request) => {
      expect(servedOf(10_000, textsOf, { message: `${'y'.repeat(750)} x`, ...request })).toBe(10_000);
    },
  );

  test.each(ways)(
    '[SEND-6] Thousands of recipients, each with different %s in long texts, are soon found to be too many for one call',
    (_, textsOf, request) => {
      const message = 'y'.repeat(17_000);
      expect(servedOf(10_000, textsOf, { message: `${message} x`, ...request })).toBeLessThan(3_000);
    },
  );

  test('[SEND-6] A long text that no label changes is processed once for all recipients', async () => {
    // Looking at the text once per recipient would take quadratic time.
    const serve = (size: number) => {
      const request = { message: 'x'.repeat(1.3 * size), onlytemplateplaceholders: true };
      expect(servedOf(size, () => ({ x: '1' }), request)).toBe(size);
    };
    await expectLinearTime(serve, { from: 3_000, times: 10 });
  });
});
