/** Sending, in the product and in its model: recipient clean-up, parts, times, quota and idempotency keys. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Sent } from '../../src/messages/sending/send.ts';
import { type Act, type Model, users } from './message-agreement.ts';
import type { MessagingRoom } from './messaging-room.ts';

export const quota: Readonly<Record<string, number>> = { 'company 1': 20, 'user 10': 16, 'user 11': 12 };

/** Recipients as people write them, and the number each stands for, or undefined. */
const written: Readonly<Record<string, string | undefined>> = {
  '46701740600': '46701740600',
  '+46 70-174 06 00': '46701740600',
  '0046701740601': '46701740601',
  '46701740602': '46701740602',
  'my sister': undefined,
};

/** The resulting numbers. */
export const phones = [...new Set(Object.values(written).flatMap((number) => number ?? []))];

interface Sending {
  readonly userId: number;
  readonly to: readonly string[];
  readonly parts: number;
  readonly delayMs: number | undefined;
  readonly validMinutes: number;
  readonly key: string | undefined;
  readonly twoWay: boolean;
  readonly conversation: string;
  /** How often the same call is made concurrently. */
  readonly calls: number;
}

const tooLongAgoMs = -120_000;

export const sending = fc
  .record({
    userId: fc.constantFrom(...users),
    to: fc.array(fc.constantFrom(...Object.keys(written)), { minLength: 1, maxLength: 3 }),
    parts: fc.constantFrom(1, 1, 1, 1, 2, 3),
    delayMs: fc.constantFrom(
      ...Array.from({ length: 8 }, () => undefined),
      3_000,
      3_600_000,
      -30_000,
      tooLongAgoMs,
    ),
    validMinutes: fc.constantFrom(1, 10, 1_440),
    key: fc.constantFrom(...Array.from({ length: 6 }, () => undefined), 'first', 'second'),
    twoWay: fc.boolean(),
    conversation: fc.constantFrom('', '', 'a', 'b', 'c'),
    twice: fc.boolean(),
  })
  .map(({ twice, ...one }): Sending => ({ ...one, calls: twice && one.key !== undefined ? 2 : 1 }))
  .map(
    (one): Act => ({
      name: `send ${JSON.stringify(one)}`,
      run: (model, room) => sendAct(model, room, one),
    }),
  );

async function sendAct(model: Model, room: MessagingRoom, one: Sending): Promise<void> {
  const { sent } = model;
  const sendAt = sent.now + (one.delayMs ?? 0);
  const request = {
    to: one.to,
    message: one.parts === 1 ? 'Hello' : 'x'.repeat(153 * one.parts),
    validminutes: one.validMinutes,
    twoway: one.twoWay,
    conversation: one.conversation,
    scheduletime: one.delayMs === undefined ? undefined : new Date(sendAt).toISOString(),
  };
  const expected = expectedOf(model, one, JSON.stringify(request));
  const calls = Array.from({ length: one.calls }, () => room.send(one.userId, request, one.key));
  const [answer, ...others] = await Promise.all(calls);
  for (const other of others) expect(other).toEqual(answer);
  if (expected.kind === 'answer') {
    expect(answer).toEqual(expected.answer);
    return;
  }
  expect(answer).toBeTypeOf('object');
  const { accepted, rejected } = answer as Sent;
  expect(accepted.map(({ to, parts }) => ({ to, parts }))).toEqual(
    expected.numbers.map((to) => ({ to, parts: one.parts })),
  );
  expect(rejected).toEqual(expected.rejected);
  const known = new Set(sent.messages.map(({ id }) => id));
  expect(accepted.filter(({ id }) => known.has(id))).toEqual([]);
  const until = sent.now + 24 * 3_600_000;
  if (one.key !== undefined)
    model.keys.set(`${one.userId}/${one.key}`, { request: JSON.stringify(request), answer, until });
  sent.accept({ ...one, accepted, sendAt: Math.max(sendAt, sent.now) });
}

type Expected =
  /** A refusal's code, an earlier response, or what was accepted. */
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'accepted'; readonly numbers: readonly string[]; readonly rejected: readonly string[] };

function expectedOf({ sent, keys }: Model, one: Sending, request: string): Expected {
  const earlier = keys.get(`${one.userId}/${one.key}`);
  if (earlier !== undefined && earlier.until > sent.now) {
    return earlier.request === request
      ? { kind: 'answer', answer: earlier.answer }
      : { kind: 'answer', answer: 'idempotency_mismatch' };
  }
  if (one.delayMs === tooLongAgoMs) return { kind: 'answer', answer: 'invalid_time' };
  const numbers = [...new Set(one.to.flatMap((given) => written[given] ?? []))];
  if (numbers.length === 0) return { kind: 'answer', answer: 'nothing_queued' };
  const cost = numbers.length * one.parts;
  const tooMuch =
    sent.used(one.userId) + cost > (quota[`user ${one.userId}`] as number) ||
    sent.used() + cost > (quota['company 1'] as number);
  if (tooMuch) return { kind: 'answer', answer: 'quota_exceeded' };
  const rejected = [...new Set(one.to.filter((given) => written[given] === undefined))];
  return { kind: 'accepted', numbers, rejected };
}
