/** Whether a text can be sent at all, whatever of it can be replaced: for those that nobody has judged by then. */
import type { Fault } from '../foundation/result.ts';
import { finisher } from '../messages/sending/wording.ts';

const asItIs = { flash: false, replacing: false } as const;

export function reasonAgainst(text: string): Fault | undefined {
  const finished = finisher(asItIs, { stepsLeft: Number.POSITIVE_INFINITY })(text);
  return finished.ok ? undefined : finished;
}
