/** Runs before each test file: notes the processor time that the file takes, with all processes it starts. */
import { afterAll } from 'vitest';
import { endedChildrenCpuMs } from '../../bench/process-usage.ts';

declare module '@vitest/runner' {
  interface TaskMeta {
    /** Milliseconds of processor time, of this process and of those it has started and waited for (Linux only). */
    processorMs?: number;
  }
}

const before = processorMs();

// biome-ignore lint/correctness/noEmptyPattern: the runner wants fixtures named, and none are needed.
afterAll(({}, file) => {
  file.meta.processorMs = processorMs() - before;
});

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + (process.platform === 'linux' ? endedChildrenCpuMs() : 0);
}
