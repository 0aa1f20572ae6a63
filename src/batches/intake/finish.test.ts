import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchRequest, bodyOf, jsonList, toEnd } from '../../../test/harness/batch-bodies.ts';
import { type Sentence, storedReason } from '../../foundation/sentences.ts';
import { type ChunkRow, chunkSize } from '../batch.ts';
import { type FinishedChunk, finishBatch } from './finish.ts';
import { type BatchRequest, judgeBatch } from './judge.ts';
import { LineRecipients, type RecipientList } from './recipient.ts';

function finishList(list: RecipientList, request: Partial<BatchRequest>) {
  const asked = batchRequest({ maxRecipients: 10_000, ...request });
  const { repeated, fault } = toEnd(judgeBatch(list, asked));
  if (fault !== undefined || repeated === undefined) throw fault ?? new Error('too many recipients');
  const chunks: FinishedChunk[] = [];
  const work = finishBatch(list, asked, repeated);
  for (;;) {
    const step = work.next();
    if (step.done) return { ...step.value, chunks, rows: chunks.flatMap(rowsOf) };
    if (step.value !== undefined) chunks.push(step.value);
  }
}

function rowsOf({ finished, messages }: FinishedChunk): ChunkRow[] {
  const rows = JSON.parse(finished) as ChunkRow[];
  expect(rows.length).toBe(messages);
  return rows;
}

function finish(batch: readonly object[], request: Partial<BatchRequest> = {}) {
  return finishList(jsonList(JSON.stringify({ batch }), 100_000), request);
}

function textsOf(batch: readonly object[], request: Partial<BatchRequest> = {}): readonly string[] {
  return finish(batch, request).rows.map(([, text]) => text);
}

/** The stored reason of a batch that failed because of a text. */
const wrongText = (field: string, wrong: Sentence) =>
  storedReason({ sentence: 'batch_text', field, wrong: storedReason(wrong) });

const to = (index: number) => `4670174${String(index).padStart(4, '0')}`;

describe('the messages of a batch', () => {
  test('[BATCH-1] Batch messages have the common text or their own, and their own conversation or that of the batch', () => {
    const { rows, ...sums } = finish([{ t: '+46 70 174 00 01' }, { t: to(2), m: 'Hi', i: 'mine' }], {
      message: 'Hello',
      conversation: 'all',
    });
    expect(rows).toEqual([
      [to(1), 'Hello', 1, 'all', 1],
      [to(2), 'Hi', 1, 'mine', 1],
    ]);
    expect(sums).toMatchObject({ messages: 2, parts: 2, duplicates: 0, failure: null });
  });

  test('[BATCH-1] Substitutions replace labels by position; a missing one is empty, and a surplus one is ignored', () => {
    const request = { message: 'Dear NAME, at TIME. NAME!', holders: ['NAME', 'TIME'] };
    const batch = [
      { t: to(1), s: ['Anna', '10.30'] },
      { t: to(2), s: ['Bo'] },
      { t: to(3) },
      { t: to(4), s: ['TIME', 'NAME', 'more', 'and more'] },
    ];
    expect(textsOf(batch, request)).toEqual([
      'Dear Anna, at 10.30. Anna!',
      'Dear Bo, at . Bo!',
      'Dear , at . !',
      'Dear TIME, at NAME. TIME!',
    ]);
    const lines = `${to(1)};;;Anna;10.30\n${to(2)};;;Bo\n${to(3)}\n${to(4)};;;TIME;NAME;more;%zz`;
    const list = new LineRecipients(bodyOf(lines), 2);
    expect(finishList(list, request).rows.map(([, text]) => text)).toEqual(textsOf(batch, request));
  });

  test('[BATCH-1] A text for one recipient alone is left as it is, even if it contains labels', () => {
    const request = { message: 'Dear NAME', holders: ['NAME'] };
    expect(textsOf([{ t: to(1), m: 'NAME is here', s: ['Anna'] }], request)).toEqual(['NAME is here']);
  });

  test('[BATCH-1] Batch texts are made safe for phones, and characters are replaced by GSM-7 characters where requested', () => {
    expect(textsOf([{ t: to(1), m: 'a\r\nb\t“c”\ud800' }])).toEqual(['a\nb “c”\ufffd']);
    expect(textsOf([{ t: to(1), m: 'a “c”' }], { replacing: true })).toEqual(['a "c"']);
  });

  test('[BATCH-1] Invalid characters in the conversation id of a batch message are replaced', () => {
    expect(finish([{ t: to(1), i: 'a\ud800' }]).rows[0]?.[3]).toBe('a\ufffd');
  });

  test('[BATCH-1] Batch messages cost the SMS parts that their texts need', () => {
    const { rows, parts } = finish([
      { t: to(1), m: 'x'.repeat(161) },
      { t: to(2), m: 'ł'.repeat(71) },
      { t: to(3) },
    ]);
    expect([rows.map((row) => row[2]), parts]).toEqual([[2, 2, 1], 5]);
  });

  test('[BATCH-5] A text that is empty after substitution fails the batch, and the reason names it', () => {
    const { failure } = finish([{ t: to(1), s: ['a'] }, { t: to(2) }], { message: 'X', holders: ['X'] });
    expect(failure).toEqual({ code: 14, reason: wrongText('batch[1]', { sentence: 'text_empty' }) });
    expect(finish([{ t: to(1), m: ' \u0007'.trim() }]).failure?.code).toBe(14);
  });

  test('[BATCH-5] A text of more than 255 SMS parts fails the batch, however long it is', () => {
    const most = 'x'.repeat(255 * 153);
    expect(finish([{ t: to(1), m: most }]).failure).toBeNull();
    expect(finish([{ t: to(1) }, { t: to(2), m: `${most}x` }]).failure).toEqual({
      code: 14,
      reason: wrongText('batch[1]', { sentence: 'text_parts', parts: 256, most: 255 }),
    });
    const request = { message: 'X'.repeat(1_000), holders: ['X'] };
    expect(finish([{ t: to(1), s: ['y'.repeat(78_000)] }], request).failure?.code).toBe(14);
    expect(finish([{ t: to(1) }], { message: 'x'.repeat(900_000) }).failure?.code).toBe(14);
  });

  test('[BATCH-3] Batch messages come in chunks of one size, and in smaller ones where texts are long', () => {
    const many = finish(Array.from({ length: chunkSize * 2 + 1 }, (_, index) => ({ t: to(index) })));
    expect(many.chunks.map(({ messages }) => messages)).toEqual([chunkSize, chunkSize, 1]);
    expect(many.rows.map(([number]) => number)).toEqual(many.rows.map((_, index) => to(index)));
    const long = finish(
      Array.from({ length: 100 }, (_, index) => ({ t: to(index) })),
      { message: 'x'.repeat(30_000) },
    );
    expect(long.rows.length).toBe(100);
    expect(Math.max(...long.chunks.map(({ finished }) => finished.length))).toBeLessThan(1_200_000);
  });

  test('[BATCH-1] Batch messages are shared evenly among carriers that take turns', () => {
    const routes = {
      routes: [{ name: 'all', prefix: '', carriers: ['a', 'b', 'down'] }],
      carriers: ['a', 'b', 'down'].map((name, index) => ({ id: index + 1, name })),
      usable: new Set([1, 2]),
    };
    const batch = Array.from({ length: 10 }, (_, index) => ({ t: to(index) }));
    const carriers = finish(batch, { routes }).rows.map((row) => row[4]);
    expect([...carriers].sort()).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
  });
});

describe('[BATCH-4] duplicates', () => {
  test('[BATCH-4] The same final text goes to the same number once, however each is written', () => {
    const batch = [
      { t: to(1), s: ['Anna'] },
      { t: `+${to(1)}`, m: 'Dear Anna' },
      { t: `00${to(1)}`, m: 'Dear Anna\u0007' },
      { t: to(1), s: ['Bo'] },
      { t: to(2), s: ['Anna'] },
    ];
    const { rows, duplicates, messages } = finish(batch, { message: 'Dear NAME', holders: ['NAME'] });
    expect(rows.map(([number, text]) => [number, text])).toEqual([
      [to(1), 'Dear Anna'],
      [to(1), 'Dear Bo'],
      [to(2), 'Dear Anna'],
    ]);
    expect({ duplicates, messages }).toEqual({ duplicates: 2, messages: 3 });
  });

  test('[BATCH-4] Duplicates left out of a batch are exactly the repeated pairs of number and text', () => {
    const recipient = fc.record({
      t: fc.integer({ min: 0, max: 5 }).map(to),
      m: fc.oneof(
        fc.constantFrom('a', 'b'),
        fc.constantFrom('x', 'y').map((end) => 'long '.repeat(20) + end),
      ),
    });
    fc.assert(
      fc.property(fc.array(recipient, { minLength: 1, maxLength: 40 }), (batch) => {
        const pairs = new Set(batch.map(({ t, m }) => JSON.stringify([t, m])));
        const { rows, duplicates } = finish(batch);
        expect(rows.map(([number, text]) => JSON.stringify([number, text]))).toEqual([...pairs]);
        expect(duplicates).toBe(batch.length - pairs.size);
      }),
    );
  });
});
