/** Writes the text of a delivery receipt as appendix B of SMPP 3.4 has it, for whatever stands in for an SMSC. */
import { absoluteTime } from './smpp-time.ts';

export interface WrittenReceipt {
  readonly id: string;
  /** How many parts were, in three digits. */
  readonly delivered: string;
  readonly submittedAt: number;
  readonly doneAt: number;
  readonly stat: string;
  readonly err: string;
  /** The beginning of the message. */
  readonly text: string;
}

export function receiptText({ id, delivered, submittedAt, doneAt, stat, err, text }: WrittenReceipt): string {
  const dates = `submit date:${minute(submittedAt)} done date:${minute(doneAt)}`;
  return `id:${id} sub:001 dlvrd:${delivered} ${dates} stat:${stat} err:${err} text:${text}`;
}

/** Of the last two, since many are written in a minute. */
let known: readonly (readonly [minute: number, written: string])[] = [];

/** YYMMDDhhmm. */
function minute(time: number): string {
  const at = Math.floor(time / 60_000);
  const found = known.find(([one]) => one === at);
  if (found !== undefined) return found[1];
  const written = absoluteTime(time).slice(0, 10);
  known = [[at, written], ...known.slice(0, 1)];
  return written;
}
