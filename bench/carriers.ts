/**
 * Measures how many messages one process carries over SMPP to DELIVERED, compared with Kannel under the same load and with
 * the same SMSC.
 */
import { everyKannelStore, Kannel, type KannelStore, kannelVersion } from '../test/carriers/kannel.ts';
import { countDelivered, countUnderWay, openDirectly } from './database.ts';
import { type LoadResult, load } from './load.ts';
import { type Figure, medianOf, pause, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { cpuMs } from './process-usage.ts';
import { runWhenMain } from './run.ts';
import { startServer } from './server.ts';
import { type Sink, startSink } from './sink.ts';

const connections = 50;
const windows = [1_000, 10] as const;
const drainLimitMs = 120_000;
/** Kannel accepts faster than it sends, so its queue grows. Its rate counts messages delivered up to this long after the load. */
const kannelDrainMs = 30_000;
/** Kannel's `dlr-mask`: accepted by the SMSC (8), delivered (1), failed (2), buffered (4), refused by the SMSC (16). */
const everyReport = 31;
/** What `claim` says, relative to Kannel. */
const targets: Readonly<Record<KannelStore, number>> = { spool: 2, memory: 1.5 };
const body = JSON.stringify({ to: ['46701740699'], message: 'Hello from the benchmark' });

interface Round {
  readonly accepted: LoadResult;
  readonly through: number;
  readonly perSecond: number;
  readonly cpuMs: number;
}

export async function carriers(options: Options): Promise<Report> {
  const { quick, rounds = quick ? 1 : 3, seconds = quick ? 5 : 60 } = options;
  if (kannelVersion === undefined)
    console.error('Kannel is not installed here (apt-get install kannel), so it is not measured.');
  const figures: Figure[] = [];
  for (const window of windows) {
    const ours = new Map<Engine, Round[]>(options.engines.map((engine) => [engine, []]));
    const theirs = new Map<KannelStore, Round[]>(
      kannelVersion === undefined ? [] : everyKannelStore.map((store) => [store, []]),
    );
    // Rounds alternate, so that drift in the machine affects all of them alike.
    for (let round = 0; round < rounds; round++) {
      for (const [engine, measured] of ours) measured.push(await measureOurs(engine, window, seconds));
      for (const [store, measured] of theirs) measured.push(await measureKannel(store, window, seconds));
    }
    for (const [engine, measured] of ours) figures.push(...summarise(engine, window, measured, theirs));
    for (const [store, measured] of theirs) figures.push(...summariseKannel(store, window, measured));
  }
  return { name: 'carriers', claim, method: method(seconds), figures };
}

const claim =
  'One process carries 10,000 messages/s over one SMPP bind from HTTP to DELIVERED, at least twice as many as Kannel with its spool, and 1.5 times as many as Kannel with messages only in memory.';

function method(seconds: number): readonly string[] {
  return [
    `wrk, one thread, ${connections} kept-alive connections, for ${seconds} s, with one recipient per request. The SMSC is a sink in a process of its own that answers each submit_sm at once and sends a receipt a second later. Load, server, sink and PostgreSQL share the cores.`,
    'A message is through when its receipt has made it DELIVERED in the store. The rate counts these messages, over the time from the first request to the last receipt. Each round is a fresh process on a fresh store.',
    kannelVersion === undefined
      ? 'Kannel was not installed.'
      : `Kannel ${kannelVersion}: bearerbox and smsbox, once with its spool in files and once with messages only in memory, all delivery reports asked for (dlr-mask 31), one bind with the same window. A message is through when smsbox has called the address given for its delivery report; the sink handles that call with as little work as possible. Kannel's rate counts the messages that are through half a minute after the load. Kannel does not sync its spool to disk and keeps no statuses that can be queried; Carillon does both.`,
  ];
}

async function measureOurs(engine: Engine, window: number, seconds: number): Promise<Round> {
  const sink = await startSink();
  const carrier = `{ name: sink, type: smpp, host: 127.0.0.1, port: ${sink.ports.smpp}, systemId: bench, password: bench, window: ${window} }`;
  const server = await startServer({ engine, carrier });
  const database = await openDirectly(server);
  try {
    const headers = { 'x-api-key': await server.apiKey() };
    const before = cpuMs(server.pid);
    const startedAt = performance.now();
    const accepted = await load({
      url: `${server.url}/restsms/svcrest/send`,
      headers,
      body,
      seconds,
      connections,
    });
    await untilDone(async () => (await countUnderWay(database)) === 0);
    const elapsedMs = performance.now() - startedAt;
    const through = await countDelivered(database);
    if (through < accepted.answered)
      throw new Error(`${accepted.answered - through} messages were accepted but not delivered`);
    return { accepted, through, perSecond: (through * 1_000) / elapsedMs, cpuMs: cpuMs(server.pid) - before };
  } finally {
    await database.close();
    await server.close();
    await sink.close();
  }
}

async function measureKannel(store: KannelStore, window: number, seconds: number): Promise<Round> {
  const sink = await startSink();
  const login = { systemId: 'bench', password: 'bench' };
  const kannel = await Kannel.start({ smsc: sink.ports.smpp, login, store, window, isQuiet: true });
  const url = kannel.sendsmsUrl({
    to: '46701740699',
    text: 'Hello from the benchmark',
    'dlr-mask': String(everyReport),
    'dlr-url': `http://127.0.0.1:${sink.ports.http}/%d`,
  });
  const usedMs = () => kannel.pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  try {
    await untilDone(async () => (await fetch(url)).status === 202);
    // Waits until the reports of that call are over.
    await untilDone(() => isQuiet(sink));
    const { callbacks: earlier } = await sink.count();
    const before = usedMs();
    const startedAt = performance.now();
    const accepted = await load({ url, seconds, connections });
    let through = 0;
    let endedAt = performance.now();
    const patienceEndsAt = endedAt + kannelDrainMs;
    // Messages that Kannel lost never arrive, and its queue may be long, so only messages reported as delivered by then
    // count.
    while (through < accepted.answered && performance.now() < patienceEndsAt) {
      await pause(50);
      const { callbacks } = await sink.count();
      if (callbacks - earlier > through) endedAt = performance.now();
      through = callbacks - earlier;
    }
    const perSecond = (through * 1_000) / (endedAt - startedAt);
    return { accepted, through, perSecond, cpuMs: usedMs() - before };
  } finally {
    await kannel.close();
    await sink.close();
  }
}

async function isQuiet(sink: Sink): Promise<boolean> {
  const { callbacks } = await sink.count();
  await pause(1_500);
  return (await sink.count()).callbacks === callbacks;
}

async function untilDone(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + drainLimitMs;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error('some messages did not get through');
    await pause(50);
  }
}

function summarise(
  engine: Engine,
  window: number,
  rounds: readonly Round[],
  theirs: ReadonlyMap<KannelStore, readonly Round[]>,
) {
  const figure = (what: string, unit: string, of: (round: Round) => number, bound?: Figure['claim']) =>
    medianOf(rounds.map(of), { engine, what: `window ${window}: ${what}`, unit }, bound);
  const target = engine === 'sqlite' ? { atLeast: 10_000 } : undefined;
  return [
    figure('accepted', 'messages/s', ({ accepted }) => accepted.perSecond),
    figure('accept: 99th percentile', 'ms', ({ accepted }) => accepted.p99Ms),
    figure('through, DELIVERED', 'messages/s', ({ perSecond }) => perSecond, target),
    figure('CPU of the server', 'µs/message', (round) => (round.cpuMs * 1_000) / round.through),
    ...[...theirs].map(([store, rivals]) =>
      medianOf(
        rounds.map(({ perSecond }, index) => perSecond / (rivals[index]?.perSecond ?? Number.NaN)),
        { engine, what: `window ${window}: through, relative to Kannel, ${store}`, unit: '' },
        engine === 'sqlite' ? { atLeast: targets[store] } : undefined,
      ),
    ),
  ];
}

function summariseKannel(store: KannelStore, window: number, rounds: readonly Round[]) {
  const figure = (what: string, unit: string, of: (round: Round) => number) =>
    medianOf(rounds.map(of), { what: `window ${window}: Kannel, ${store}: ${what}`, unit });
  return [
    figure('accepted', 'messages/s', ({ accepted }) => accepted.perSecond),
    figure('accept: 99th percentile', 'ms', ({ accepted }) => accepted.p99Ms),
    figure('through, reported', 'messages/s', ({ perSecond }) => perSecond),
    figure('accepted but not reported by the end', 'messages', ({ accepted, through }) =>
      Math.max(0, accepted.answered - through),
    ),
    figure('CPU of bearerbox and smsbox', 'µs/message', (round) => (round.cpuMs * 1_000) / round.through),
  ];
}

await runWhenMain(import.meta, carriers);
