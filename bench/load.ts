/** Generates load from outside the server's process: the same request over and over, on persistent connections. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Load, nodeLoad } from './node-load.ts';
import { endedChildrenCpuMs } from './process-usage.ts';

export interface LoadResult {
  /** The number of 2xx answers. */
  readonly answered: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of one core that the load generator used. */
  readonly cores: number;
}

/** Throws when an answer was not 2xx or a connection broke, since a rate that includes refusals would say nothing. */
export async function load(wanted: Load): Promise<LoadResult> {
  const headers = {
    ...(wanted.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...wanted.headers,
  };
  const { failed, ...result } = hasWrk()
    ? await wrkLoad({ ...wanted, headers })
    : await nodeLoad({ ...wanted, headers });
  if (failed > 0 && wanted.mayBreak !== true)
    throw new Error(`${failed} requests to ${new URL(wanted.url).pathname} failed; see the log above`);
  return result;
}

let wrkVersion: string | undefined | null = null;

/** The version, such as `wrk 4.1.0`, or undefined where wrk is missing. */
export function findWrk(): string | undefined {
  if (wrkVersion === null) {
    try {
      execFileSync('sh', ['-c', 'command -v wrk'], { stdio: 'ignore' });
      // `wrk -v` prints its version but exits with an error.
      const text = execFileSync('sh', ['-c', 'wrk -v 2>&1 || true'], { encoding: 'utf8' });
      wrkVersion = /^wrk \S+/.exec(text)?.[0] ?? 'wrk';
    } catch {
      wrkVersion = undefined;
    }
  }
  return wrkVersion;
}

let hasWarned = false;

function hasWrk(): boolean {
  const found = findWrk() !== undefined;
  if (!found && !hasWarned)
    console.error(
      'wrk is missing (apt-get install wrk): a Node process generates the load instead and takes much more of the cores, so the figures are lower.',
    );
  hasWarned = true;
  return found;
}

/** One wrk thread is enough for these rates, and takes little from the cores that it shares with the server. */
async function wrkLoad({ url, headers = {}, body, seconds, connections, mayBreak = false }: Load) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-load-'));
  const script = join(folder, 'post.lua');
  const headerLines = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[ ${luaText(name)} ] = ${luaText(value)}`,
  );
  const bodyLines = body === undefined ? [] : ['wrk.method = "POST"', `wrk.body = ${luaText(body)}`];
  writeFileSync(script, [...headerLines, ...bodyLines].join('\n'));
  const parameters = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}`,
    '--timeout',
    '10',
    '--latency',
    '-s',
    script,
  ];
  const before = endedChildrenCpuMs();
  try {
    const { stdout } = await promisify(execFile)('wrk', [...parameters, url]);
    const result = readWrk(stdout);
    if (result.failed > 0 && !mayBreak) console.error(stdout);
    return { ...result, cores: (endedChildrenCpuMs() - before) / (seconds * 1_000) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function luaText(text: string): string {
  if (text.includes(']==]')) throw new Error('this text cannot be written in a Lua script');
  return `[==[${text}]==]`;
}

function readWrk(text: string) {
  const requests = Number(/(\d+) requests in/.exec(text)?.[1]);
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
  if (!(requests > 0) || !(perSecond > 0)) throw new Error(`wrk had no answers:\n${text}`);
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0);
  const broken =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text)?.slice(1) ?? [];
  const failed = refused + broken.reduce((sum, count) => sum + Number(count), 0);
  const answered = requests - refused;
  return { answered, perSecond, p50Ms: percentile(text, 50), p99Ms: percentile(text, 99), failed };
}

function percentile(text: string, percent: number): number {
  const [, value, unit] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s|m)`).exec(text) ?? [];
  const factor = { us: 0.001, ms: 1, s: 1_000, m: 60_000 }[unit as 'us' | 'ms' | 's' | 'm'];
  return Number(value) * factor;
}
