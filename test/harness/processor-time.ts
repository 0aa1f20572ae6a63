/** Runs before each test file and records the processor time that the file uses, including all processes it starts. */
import { afterAll } from 'vitest';
import { endedChildrenCpuMs } from '../../bench/process-usage.ts';

declare module '@vitest/runner' {
  interface TaskMeta {
    /** Processor milliseconds of this process and of the child processes it has waited for (Linux only). */
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
