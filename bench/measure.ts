/** What the benchmarks share: rounds with medians, a load from outside, and a report with the machine it was made on. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export interface Load {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly seconds: number;
  readonly connections: number;
}

export interface LoadResult {
  /** Answers 2xx a second. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not 2xx, and broken connections. */
  readonly failed: number;
}

/** POSTs one body over and over by wrk (apt: wrk), which takes little from the cores that it shares with the server. */
export async function load({ url, headers = {}, body, seconds, connections }: Load): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-load-'));
  const script = join(folder, 'post.lua');
  const headerLines = Object.entries({ 'content-type': 'application/json', ...headers }).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  writeFileSync(script, ['wrk.method = "POST"', ...headerLines, `wrk.body = ${luaText(body)}`].join('\n'));
  try {
    const { stdout } = await promisify(execFile)('wrk', [
      '-t1',
      `-c${connections}`,
      `-d${seconds}`,
      '--latency',
      '-s',
      script,
      url,
    ]);
    return readWrk(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function luaText(text: string): string {
  if (text.includes(']==]')) throw new Error('this text cannot stand in a Lua script');
  return `[==[${text}]==]`;
}

function readWrk(text: string): LoadResult {
  const requests = Number(/(\d+) requests in/.exec(text)?.[1]);
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0);
  const broken = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text);
  const failed =
    refused + (broken === null ? 0 : broken.slice(1).reduce((sum, count) => sum + Number(count), 0));
  return {
    perSecond: perSecond * (1 - refused / requests),
    p50Ms: percentile(text, 50),
    p99Ms: percentile(text, 99),
    failed,
  };
}

function percentile(text: string, percent: number): number {
  const [, value, unit] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s|m)`).exec(text) ?? [];
  const factor = { us: 0.001, ms: 1, s: 1_000, m: 60_000 }[unit as 'us' | 'ms' | 's' | 'm'];
  return Number(value) * factor;
}

export function hasWrk(): boolean {
  try {
    execFileSync('which', ['wrk'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** One line of a report: what was measured, and for a claim the bound that it must keep. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly claim?: { readonly atLeast: number } | { readonly atMost: number };
}

export interface Report {
  readonly name: string;
  readonly figures: readonly Figure[];
}

export function holds({ value, claim }: Figure): boolean {
  if (claim === undefined) return true;
  return 'atLeast' in claim ? value >= claim.atLeast : value <= claim.atMost;
}

/** Prints a report and keeps it in `bench/results/`. */
export function publish({ name, figures }: Report): void {
  console.log(`\n${name}`);
  for (const figure of figures) {
    const bound =
      figure.claim === undefined
        ? ''
        : 'atLeast' in figure.claim
          ? `  (claim: at least ${figure.claim.atLeast})`
          : `  (claim: at most ${figure.claim.atMost})`;
    const verdict = figure.claim === undefined ? '' : holds(figure) ? '  holds' : '  FAILS';
    console.log(
      `  ${figure.what.padEnd(64)}${format(figure.value).padStart(10)} ${figure.unit}${bound}${verdict}`,
    );
  }
  const folder = new URL('./results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const text = JSON.stringify(
    { name, date: new Date().toISOString().slice(0, 10), machine, figures },
    null,
    2,
  );
  writeFileSync(new URL(`${name}.json`, folder), `${text}\n`);
}

function format(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
}

/** Runs a benchmark when its file is the one that was started. */
export async function runWhenMain(meta: ImportMeta, benchmark: () => Promise<Report>): Promise<void> {
  if (meta.url === pathToFileURL(process.argv[1] ?? '').href) publish(await benchmark());
}
