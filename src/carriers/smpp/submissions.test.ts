import { describe, expect, test } from 'vitest';
import { messages } from '../../../test/carriers/carrier-recorder.ts';
import type { OutgoingPart } from '../carrier.ts';
import { type Answer, Submissions } from './submissions.ts';
import { newTally } from './tally.ts';

function submissions() {
  const told: string[] = [];
  const tally = newTally();
  const made = new Submissions(10, tally, {
    answered: (part, { status }) => told.push(`${part.messageId} answered ${status}`),
    inDoubt: (part, reason) => told.push(`${part.messageId} in doubt: ${reason}`),
    unwritten: (parts) => told.push(`${parts.map(({ messageId }) => messageId)} unwritten`),
  });
  return { made, told, tally };
}

function answer(sequence: number, status = 0): Answer {
  return { command: 'submitSmResp', status, sequence, messageId: 'id', tlvs: {} };
}

const [one, two, three] = messages(3) as [OutgoingPart, OutgoingPart, OutgoingPart];
const written: number[] = [];
const write = (sequence: number) => written.push(sequence);

describe('submissions', () => {
  test('[DLV-3] given up, are in doubt if they were written, and else are not', () => {
    const { made, told } = submissions();
    made.add(one, write);
    made.flushed();
    made.add(two, write);
    made.add(three, write);
    expect(made.size).toBe(3);
    made.giveUpAll('lost');
    expect(told).toEqual([
      `${two.messageId},${three.messageId} unwritten`,
      `${one.messageId} in doubt: lost`,
    ]);
    expect(made.size).toBe(0);
  });

  test('[DLV-3] an answer to what was not written yet is none', () => {
    const { made, told, tally } = submissions();
    made.add(one, (sequence) => made.answered(answer(sequence)));
    expect(told).toEqual([]);
    expect(tally.unexpectedAnswers).toBe(1);
    made.flushed();
    made.answered(answer(1));
    made.answered(answer(1));
    expect(told).toEqual([`${one.messageId} answered 0`]);
    expect(tally.unexpectedAnswers).toBe(2);
  });

  test('[DLV-3] what cannot be written leaves no trace', () => {
    const { made, told } = submissions();
    const fail = () => {
      throw new RangeError('too long');
    };
    expect(() => made.add(one, fail)).toThrow('too long');
    expect(made.size).toBe(0);
    made.giveUpAll('lost');
    expect(told).toEqual([]);
  });
});
