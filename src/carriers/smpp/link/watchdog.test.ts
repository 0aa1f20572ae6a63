import { expect, test } from 'vitest';
import { until } from '../../../../test/harness/awake.ts';
import { Watchdog } from './watchdog.ts';

test('[DLV-3] nothing is called late right after this process was held up itself', async () => {
  const looks: number[] = [];
  const vigil = new Watchdog(200, (now) => looks.push(now));
  vigil.start();
  await until(() => looks.length > 0);
  const before = looks.length;
  const heldUpUntil = performance.now() + 300;
  while (performance.now() < heldUpUntil);
  // What came meanwhile is read in this turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  expect(looks).toHaveLength(before);
  await until(() => looks.length > before);
  vigil.stop();
});
