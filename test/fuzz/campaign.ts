/**
 * Sends a server requests of every kind over many connections, checks each response, and finds the smallest request
 * that fails.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { WholeApp } from '../harness/app.ts';
import { type ApiDescription, describeApi, type Operation } from './api-description.ts';
import { Connection, type WireAnswer } from './connection.ts';
import type { KnownCredentials } from './credentials.ts';
import { type FuzzRequest, fuzzRequests } from './requests.ts';
import { faultsOf, operationOf } from './verdict.ts';
import { repeatable, wireForm } from './wire-form.ts';

export interface CampaignOptions {
  readonly requests: number;
  readonly seed: number;
  readonly connections: number;
  readonly known: KnownCredentials;
  readonly progress?: (report: Report) => void;
}

export interface Finding {
  readonly faults: readonly string[];
  /** A shell command that sends the shortest request found to show the fault. */
  readonly repeat: string;
  /** The seed and path with which fast-check reproduces the request. */
  readonly seed: number;
  readonly path: string | null;
}

export interface Report {
  requests: number;
  /** Counts by call and status, such as `POST /path 200`. */
  readonly answers: Map<string, number>;
  /** Counts by error code. */
  readonly codes: Map<string, number>;
  readonly findings: Finding[];
  connections: number;
  slowestMs: number;
  seconds: number;
  /** The server's peak resident memory, in MiB. */
  peakMemoryMiB: number;
}

/** After this many findings, more would reveal nothing new. */
const maxFindings = 10;
const memoryIntervalMs = 500;

export async function runCampaign(app: WholeApp, options: CampaignOptions): Promise<Report> {
  const api = await describeApi(app.baseUrl);
  const report: Report = {
    requests: 0,
    answers: new Map(),
    codes: new Map(),
    findings: [],
    connections: 0,
    slowestMs: 0,
    seconds: 0,
    peakMemoryMiB: 0,
  };
  const startedMs = performance.now();
  const openedBefore = Connection.opened;
  const look = () => {
    report.peakMemoryMiB = Math.max(report.peakMemoryMiB, residentMiB(app.pid));
    report.connections = Connection.opened - openedBefore;
    report.seconds = (performance.now() - startedMs) / 1_000;
    options.progress?.(report);
  };
  const timer = setInterval(look, memoryIntervalMs);
  const share = Math.ceil(options.requests / options.connections);
  const senders = Array.from({ length: options.connections }, (_, index) =>
    send(app, api, options, { share, seed: options.seed + index * 1_000_003 }, report),
  );
  try {
    await Promise.all(senders);
  } finally {
    clearInterval(timer);
    look();
  }
  return report;
}

/** Runs one connection's share; after a finding it continues with another seed. */
async function send(
  app: WholeApp,
  api: ApiDescription,
  { known }: CampaignOptions,
  { share, seed }: { readonly share: number; readonly seed: number },
  report: Report,
): Promise<void> {
  const port = Number(new URL(app.baseUrl).port);
  const connection = new Connection(port);
  const secrets = [...known.users.map(({ password }) => password), ...known.apiKeys];
  let sent = 0;
  const property = fc.asyncProperty(fuzzRequests(api, known), async (request) => {
    sent += 1;
    const faults = await ask(connection, request, { api, secrets }, report);
    if (faults.length > 0) throw new Error(faults.join('; '));
  });
  for (
    let round = 0;
    app.pid !== undefined && sent < share && report.findings.length < maxFindings;
    round++
  ) {
    const details = await fc.check(property, { seed: seed + round, numRuns: share - sent });
    if (!details.failed) break;
    const request = details.counterexample?.[0];
    report.findings.push({
      faults: [String((details.errorInstance as Error | undefined)?.message ?? 'unknown')],
      repeat: request === undefined ? '' : repeatable(request),
      seed: details.seed,
      path: details.counterexamplePath,
    });
  }
  connection.close();
}

async function ask(
  connection: Connection,
  request: FuzzRequest,
  known: { readonly api: ApiDescription; readonly secrets: readonly string[] },
  report: Report,
): Promise<readonly string[]> {
  const { bytes, isLast, isCutOff } = wireForm(request);
  const isHead = request.method === 'HEAD';
  const answer = await connection.ask(bytes, { isHead, isLast, isCutOff });
  report.requests += 1;
  if (typeof answer === 'string') return [`no answer, but ${answer}`];
  count(operationOf(request, known.api), answer, report);
  return faultsOf(request, answer, known);
}

function count(operation: Operation | undefined, answer: WireAnswer, report: Report): void {
  const call = operation === undefined ? 'other' : `${operation.method} ${operation.path}`;
  increase(report.answers, `${call} ${answer.status}`);
  report.slowestMs = Math.max(report.slowestMs, answer.ms);
  if (answer.status < 400) return;
  const code = /"code":"([a-z_]+)"/.exec(answer.body.toString('latin1', 0, 4_096))?.[1] ?? 'none';
  increase(report.codes, code);
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Zero if the system does not report it. */
function residentMiB(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024);
  } catch {
    return 0;
  }
}
