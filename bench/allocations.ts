/** Counts the bytes that each thread of a server allocates per message, and in which functions. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countDelivered, countUnderWay, openDirectly } from './database.ts';
import { load } from './load.ts';
import { type Figure, pause } from './measure.ts';
import type { Engine } from './options.ts';
import { startServer } from './server.ts';
import { startSink } from './sink.ts';

const hook = fileURLToPath(new URL('./allocations-hook.cjs', import.meta.url));
const body = JSON.stringify({
  to: ['46701740699'],
  message: 'Your appointment is tomorrow at 9:30. Please be there ten minutes early.',
});
const connections = 50;
/** For what is under way when the load ends, and for the threads to write what they have counted. */
const patienceMs = 60_000;
const functionsShown = 8;
const warmUpSeconds = 5;
/** By then each thread has seen that it is to begin. */
const beginMs = 1_000;

/** A node of V8's sampling heap profile. */
interface Allocating {
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly selfSize: number;
  readonly children: readonly Allocating[];
}

interface ThreadProfile {
  readonly thread: string;
  readonly fault?: string;
  readonly profile: { readonly head: Allocating };
}

export async function allocationsPerMessage(engine: Engine, seconds: number): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-allocations-'));
  const sink = await startSink();
  const carrier = `{ name: sink, type: smpp, host: 127.0.0.1, port: ${sink.ports.smpp}, systemId: bench, password: bench, window: 1000 }`;
  const environment = { NODE_OPTIONS: `--require ${hook}`, CARILLON_BENCH_ALLOCATIONS: folder };
  const server = await startServer({ engine, carrier, environment });
  const database = await openDirectly(server);
  try {
    const headers = { 'x-api-key': await server.apiKey() };
    const url = `${server.url}/restsms/svcrest/send`;
    const deliver = async (forSeconds: number) => {
      await load({ url, headers, body, seconds: forSeconds, connections });
      await until(async () => (await countUnderWay(database)) === 0);
      return countDelivered(database);
    };
    const before = await deliver(warmUpSeconds);
    writeFileSync(join(folder, 'begin'), '');
    await pause(beginMs);
    const after = await deliver(seconds);
    writeFileSync(join(folder, 'end'), '');
    return figuresOf(engine, await profilesIn(folder), after - before);
  } finally {
    await database.close();
    await server.close();
    await sink.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until no further thread has written its profile for a while. */
async function profilesIn(folder: string): Promise<readonly ThreadProfile[]> {
  const written = () => readdirSync(folder).filter((name) => name.endsWith('.json'));
  await until(async () => written().length > 0);
  for (let before = 0; before < written().length; await pause(1_000)) before = written().length;
  const profiles = written().map(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ThreadProfile,
  );
  for (const { thread, fault } of profiles) if (fault !== undefined) throw new Error(`${thread}: ${fault}`);
  return profiles;
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error('the server did not finish what was under way');
    await pause(50);
  }
}

function figuresOf(engine: Engine, threads: readonly ThreadProfile[], messages: number): readonly Figure[] {
  const counted = new Map<string, Map<string, number>>();
  for (const { thread, profile } of threads) {
    const functions = counted.get(thread) ?? new Map<string, number>();
    counted.set(thread, functions);
    add(functions, profile.head);
  }
  const figure = (what: string, bytes: number): Figure => ({
    engine,
    what,
    unit: 'bytes/message',
    value: bytes / messages,
  });
  return [...counted].flatMap(([thread, functions]) => {
    const sorted = [...functions].sort(([, a], [, b]) => b - a).slice(0, functionsShown);
    const all = [...functions.values()].reduce((sum, bytes) => sum + bytes, 0);
    return [
      figure(`allocated by ${thread}`, all),
      ...sorted.map(([name, bytes]) => figure(`… in ${name}`, bytes)),
    ];
  });
}

function add(functions: Map<string, number>, { callFrame, selfSize, children }: Allocating): void {
  const { functionName, url, lineNumber } = callFrame;
  const name = functionName || `line ${lineNumber + 1} of ${url.slice(url.lastIndexOf('/') + 1)}`;
  functions.set(name, (functions.get(name) ?? 0) + selfSize);
  for (const child of children) add(functions, child);
}
