/** Runs before each test file: notes the processor time that the file takes, with all processes it starts. */
import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

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
  return (user + system) / 1_000 + ofEndedChildrenMs();
}

/** proc(5): fields 16 and 17 of the status, `cutime` and `cstime`, in hundredths of a second. */
function ofEndedChildrenMs(): number {
  if (process.platform !== 'linux') return 0;
  const status = readFileSync('/proc/self/stat', 'utf8');
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
