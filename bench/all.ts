/** Runs every benchmark, one after the other, and keeps what they measured in `bench/results/`. */
import { accept } from './accept.ts';
import { lifecycle } from './lifecycle.ts';
import { hasWrk, publish } from './measure.ts';
import { manyRecipients } from './recipients.ts';
import { text } from './text.ts';

if (!hasWrk()) {
  console.error('The benchmarks make their load with wrk: apt-get install wrk');
  process.exit(1);
}
await text();
for (const benchmark of [accept, manyRecipients, lifecycle]) publish(await benchmark());
