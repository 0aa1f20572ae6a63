/** Reads the resources that a process has used so far from Linux's `/proc`. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

interface Stat {
  readonly parent: number;
  readonly ownMs: number;
  /** CPU time of children that have ended and were waited for. */
  readonly endedChildrenMs: number;
}

function stat(pid: number | 'self'): Stat {
  // The name in parentheses may contain anything, so fields are counted after it (proc(5): 4 ppid, 14 utime … 17 cstime).
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ms = (first: number) =>
    ((Number(fields[first - 3]) + Number(fields[first - 2])) * 1_000) / ticksPerSecond;
  return { parent: Number(fields[1]), ownMs: ms(14), endedChildrenMs: ms(16) };
}

/** User and system time of all threads of the process. */
export function cpuMs(pid: number): number {
  return stat(pid).ownMs;
}

/** The time that the process's main thread has spent on processors, to the nanosecond (proc(5), schedstat). */
export function runMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

export function parentOf(pid: number): number {
  return stat(pid).parent;
}

/** CPU time of a process, its children, and those of them that have ended. */
export function cpuMsWithChildren(pid: number): number {
  const { ownMs, endedChildrenMs } = stat(pid);
  let sum = ownMs + endedChildrenMs;
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    try {
      const child = stat(Number(name));
      if (child.parent === pid) sum += child.ownMs;
    } catch {
      // The process has ended in the meantime.
    }
  }
  return sum;
}

/** CPU time of our own children that have ended; the difference before and after wrk is wrk's share. */
export function endedChildrenCpuMs(): number {
  return stat('self').endedChildrenMs;
}

export interface Memory {
  /** Resident memory in MiB. */
  readonly total: number;
  /** The file-mapped part: the program, its libraries, and SQLite's database. */
  readonly files: number;
}

export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(text)?.[1]) / 1_024;
  return { total: mebibytes('VmRSS'), files: mebibytes('RssFile') };
}
