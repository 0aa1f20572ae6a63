import { expect, test } from 'vitest';
import { until } from '../../test/harness/awake.ts';
import { Watchdog } from './watchdog.ts';

test('[DLV-3] Nothing counts as late right after the process itself was held up', async () => {
  const checks: number[] = [];
  const vigil = new Watchdog(200, (now) => checks.push(now));
  vigil.start();
  await until(() => checks.length > 0);
  const before = checks.length;
  const heldUpUntil = performance.now() + 300;
  while (performance.now() < heldUpUntil);
  // Data that arrived meanwhile is read in this turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  expect(checks).toHaveLength(before);
  await until(() => checks.length > before);
  vigil.stop();
});
