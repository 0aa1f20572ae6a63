import { describe, expect, test } from 'vitest';
import { pause } from '../../test/harness/awake.ts';
import {
  inOrderOf,
  readVerb,
  runVerb,
  singleWriteVerb,
  type Transaction,
  verbsOf,
  writeVerb,
} from './verb.ts';

/** These verbs use no table. */
const noTransaction = {} as Transaction;

describe('verbs', () => {
  test('[SEND-5] A single verb works through its inputs one after the other, and weighs one unless it states more', async () => {
    const order: number[] = [];
    const slowFirst = singleWriteVerb('test.slowFirst', async (_, number: number) => {
      await pause(10 - number);
      order.push(number);
      return number * 2;
    });
    expect(await runVerb(slowFirst, noTransaction, [1, 5, 9])).toEqual([2, 10, 18]);
    expect(order).toEqual([1, 5, 9]);
    expect(slowFirst.weight(7)).toBe(1);
    const heavy = singleWriteVerb(
      'test.heavy',
      async () => null,
      (rows: number) => rows,
    );
    expect(heavy.weight(7)).toBe(7);
  });

  test('[RUN-2] Inputs are worked through in the order of their rows, and answered in the order they came', async () => {
    const order: string[] = [];
    const answers = await inOrderOf(
      ['b1', 'a1', 'b2', 'a2'],
      ([row]) => String(row),
      async (input) => {
        order.push(input);
        return `${input} done`;
      },
    );
    expect(order).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(answers).toEqual(['b1 done', 'a1 done', 'b2 done', 'a2 done']);
    expect(
      await inOrderOf(
        [10, 9],
        (input) => input,
        async (input) => input,
      ),
    ).toEqual([10, 9]);
  });

  test('[SEND-5] Answers of a verb that do not fit its inputs are an error', async () => {
    const silent = writeVerb('test.silent', async (): Promise<null[]> => []);
    await expect(runVerb(silent, noTransaction, [1, 2])).rejects.toThrow(
      'test.silent gave 0 answers to 2 inputs',
    );
  });

  test('[RUN-1] The verbs of a module are found among its exports, in their order, and two of one name are refused', () => {
    const write = writeVerb('test.write', async (_, inputs: readonly null[]) => [...inputs]);
    const read = readVerb('test.read', async () => null);
    const module = { write, limit: 3, read, sentence: 'text', Class: class {}, nothing: null, list: [write] };
    expect([...verbsOf(module, {})]).toEqual([
      ['test.write', write],
      ['test.read', read],
    ]);
    expect(() => verbsOf(module, { again: readVerb('test.write', async () => null) })).toThrow('test.write');
  });
});
