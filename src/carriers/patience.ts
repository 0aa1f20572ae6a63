/** How patient a carrier is: what it does about doubt, how long it waits, and the pauses between its tries. */
import { Type } from 'typebox';
import { defaultInDoubtTries } from './carrier.ts';

export const hourMs = 3_600_000;

export function milliseconds(least: number, most: number, value: number, description: string) {
  return Type.Integer({ minimum: least, maximum: most, default: value, description });
}

export function choice<Word extends string>(words: readonly Word[], value: Word, description: string) {
  return Type.Enum([...words], { default: value, description });
}

/** What to do with a submission without a response. */
export const doubtSettings = {
  inDoubt: choice(
    ['retry', 'fail'],
    'retry',
    'A submission without a response: send it again, at the risk of sending it twice, or give it up as UNKNOWN.',
  ),
  inDoubtTries: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: defaultInDoubtTries,
    description: 'How often a message may be without a response before `inDoubt: retry` gives it up too.',
  }),
};

/** Time limits, and the pauses between tries. */
export const patienceSettings = {
  connectTimeoutMs: milliseconds(100, hourMs, 10_000, 'Milliseconds to connect, TLS included.'),
  responseTimeoutMs: milliseconds(100, hourMs, 30_000, 'Milliseconds for any response of the carrier.'),
  reconnectMinMs: milliseconds(10, hourMs, 1_000, 'Milliseconds before the first try after a failure.'),
  reconnectMaxMs: milliseconds(
    10,
    hourMs,
    60_000,
    'Longest pause between tries, in milliseconds; pauses grow up to this length.',
  ),
  throttlePauseMs: milliseconds(10, 600_000, 1_000, 'Milliseconds of rest when the carrier throttles us.'),
};
