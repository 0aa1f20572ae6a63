/** Claim: a batch with hundreds of thousands of recipients is accepted and expanded quickly, and no other caller notices. */
import { setTimeout as wait } from 'node:timers/promises';
import { countDelivered, countUnderWay, type Database, openDirectly } from './database.ts';
import { insertAgain } from './finished-rows.ts';
import { load } from './load.ts';
import { type Figure, medianOf, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { memoryOf } from './process-usage.ts';
import { runWhenMain } from './run.ts';
import { type Server, startServer } from './server.ts';
import { startSink } from './sink.ts';

/** A carrier that accepts one full window and then stays silent, so that only the batch itself is measured. */
const silentCarrier = '{ name: silent, type: simulator, submitDelayMs: 60000 }';
const small = 100_000;
const large = 500_000;
const connections = 10;
const pollMs = 10;
const limitMs = 300_000;

export async function batch(options: Options): Promise<Report> {
  const { quick, rounds = quick ? 1 : 3 } = options;
  const sizes = quick ? [10_000, 50_000] : [small, large];
  const figures: Figure[] = [];
  for (const engine of options.engines) {
    figures.push(...(await alone(engine, sizes as [number, number], rounds)));
    figures.push(...(await beside(engine, sizes[0] as number, options)));
    figures.push(...(await overSmpp(engine, sizes[0] as number)));
  }
  return {
    name: 'batch',
    claim:
      'A batch of 100,000 SMS with individual substitutions is answered within 1.5 s and completely queued within 5 s; five times as many SMS take five times as long; the calls of others continue meanwhile.',
    method: [
      'POST /batchsend/json: one common message with three labels, and different substitutions and a conversation of its own for each recipient; about 80 bytes per recipient. Timed from the first byte sent to the answer, and to the first /batchinfo that reports code 0 (polled every 10 ms).',
      'The carrier accepts one full window and then nothing for a minute, so that nothing is sent meanwhile. The ceiling: the rows of the batch are inserted once more into the same database over one plain connection with prepared statements (SQLite) or arrays (PostgreSQL), 1,000 per transaction, while nothing else runs.',
      `Effect on others: /send with one recipient from ${connections} connections (wrk) to the same server, without and with batches of that size, one after the other without a pause. The delay of the event loop is the 99th percentile since the previous reading, as prom-client reports it.`,
      'Over SMPP: to the sink of the carrier benchmark, with one bind, window 1,000, and a receipt for each message a second later; timed from the first byte of the batch until all messages are DELIVERED.',
    ],
    figures,
  };
}

async function alone(engine: Engine, sizes: [number, number], rounds: number): Promise<readonly Figure[]> {
  const measured: { size: number; answerMs: number; okMs: number; ceilingMs: number; peak: number }[] = [];
  const bytes = new Map<number, number>();
  for (const size of sizes) {
    for (let round = 0; round < rounds; round++) {
      const server = await startServer({ engine, carrier: silentCarrier });
      const database = await openDirectly(server);
      try {
        const key = await server.apiKey();
        // A warm-up, so that what a process compiles and opens for its first batch is not measured.
        await sendBatch(server, key, bodyOf(1_000, 0));
        const body = bodyOf(size, 1);
        bytes.set(size, body.length);
        const memory = watchMemory(server);
        const { answerMs, okMs, batchId } = await sendBatch(server, key, body);
        const peak = memory.stop();
        const ceilingMs = await insertAgain(database, batchId);
        measured.push({ size, answerMs, okMs, ceilingMs, peak });
      } finally {
        await database.close();
        await server.close();
      }
    }
  }
  return sizes.flatMap((size, index) => {
    const those = measured.filter((one) => one.size === size);
    const figure = (
      what: string,
      unit: string,
      of: (one: (typeof those)[number]) => number,
      claim?: Figure['claim'],
    ) => medianOf(those.map(of), { engine, what: `${size.toLocaleString('en')}: ${what}`, unit }, claim);
    const isSmall = index === 0;
    const first = measured.filter((one) => one.size === sizes[0]);
    const perMessage = (one: { okMs: number; size: number }) => one.okMs / one.size;
    const base = [...first.map(perMessage)].sort((a, b) => a - b)[first.length >> 1] ?? Number.NaN;
    return [
      { engine, what: `${size.toLocaleString('en')}: body`, value: (bytes.get(size) ?? 0) / 1e6, unit: 'MB' },
      figure('answered after', 'ms', ({ answerMs }) => answerMs, isSmall ? { atMost: 1_500 } : undefined),
      figure('queued (code 0) after', 'ms', ({ okMs }) => okMs, isSmall ? { atMost: 5_000 } : undefined),
      figure('rate, first byte to code 0', 'messages/s', (one) => one.size / (one.okMs / 1_000)),
      figure('rate, answer to code 0', 'messages/s', (one) => one.size / ((one.okMs - one.answerMs) / 1_000)),
      figure('plain insertion of the same rows', 'rows/s', (one) => one.size / (one.ceilingMs / 1_000)),
      figure(
        'first byte to code 0, relative to the ceiling',
        '',
        (one) => one.ceilingMs / one.okMs,
        isSmall ? { atLeast: 0.4 } : undefined,
      ),
      figure('memory, highest', 'MiB', ({ peak }) => peak, isSmall ? undefined : { atMost: 700 }),
      ...(isSmall
        ? []
        : [
            figure('time per message, relative to the small batch', '', (one) => perMessage(one) / base, {
              atMost: 1.3,
            }),
          ]),
    ];
  });
}

async function beside(engine: Engine, size: number, { quick }: Options): Promise<readonly Figure[]> {
  const seconds = quick ? 4 : 15;
  const server = await startServer({ engine, carrier: silentCarrier });
  try {
    const key = await server.apiKey();
    const headers = { 'x-api-key': key };
    const call = JSON.stringify({ to: ['46701740699'], message: 'Your appointment is tomorrow at 9:30.' });
    const calls = () =>
      load({ url: `${server.url}/restsms/svcrest/send`, headers, body: call, seconds, connections });
    await load({ url: `${server.url}/restsms/svcrest/send`, headers, body: call, seconds: 3, connections });
    await loopDelayMs(server);
    const idle = await calls();
    const idleDelay = await loopDelayMs(server);
    let isLoaded = true;
    let batches = 0;
    const body = bodyOf(size, 1);
    const sending = (async () => {
      while (isLoaded) {
        await sendBatch(server, key, body);
        batches += 1;
      }
    })();
    const busy = await calls();
    isLoaded = false;
    const busyDelay = await loopDelayMs(server);
    await sending;
    const figure = (what: string, value: number, unit: string, claim?: Figure['claim']): Figure => ({
      engine,
      what: `/send during batches: ${what}`,
      value,
      unit,
      ...(claim === undefined ? {} : { claim }),
    });
    return [
      figure('99th percentile without', idle.p99Ms, 'ms'),
      figure('99th percentile with', busy.p99Ms, 'ms'),
      figure('99th percentile, with / without', busy.p99Ms / idle.p99Ms, '', { atMost: 5 }),
      figure('rate without', idle.perSecond, 'requests/s'),
      figure('rate with', busy.perSecond, 'requests/s'),
      figure('event loop delay without', idleDelay, 'ms'),
      figure('event loop delay with', busyDelay, 'ms', { atMost: 30 }),
      figure('batches queued meanwhile', batches, 'batches'),
    ];
  } finally {
    await server.close();
  }
}

async function overSmpp(engine: Engine, size: number): Promise<readonly Figure[]> {
  const sink = await startSink();
  const carrier = `{ name: sink, type: smpp, host: 127.0.0.1, port: ${sink.ports.smpp}, systemId: bench, password: bench, window: 1000 }`;
  const server = await startServer({ engine, carrier });
  const database = await openDirectly(server);
  try {
    const key = await server.apiKey();
    const startedAt = performance.now();
    await sendBatch(server, key, bodyOf(size, 1));
    await untilDelivered(database, size);
    const seconds = (performance.now() - startedAt) / 1_000;
    const what = `${size.toLocaleString('en')} over SMPP to DELIVERED`;
    const claim = engine === 'sqlite' ? { atLeast: 10_000 } : undefined;
    return [{ engine, what, value: size / seconds, unit: 'messages/s', ...(claim && { claim }) }];
  } finally {
    await database.close();
    await server.close();
    await sink.close();
  }
}

async function untilDelivered(database: Database, size: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while ((await countUnderWay(database)) > 0) {
    if (performance.now() > deadline) throw new Error('some messages of the batch were not delivered');
    await wait(50);
  }
  const delivered = await countDelivered(database);
  if (delivered !== size) throw new Error(`${delivered} of ${size} messages were delivered`);
}

interface SentBatch {
  readonly answerMs: number;
  /** Milliseconds until the whole batch was queued. */
  readonly okMs: number;
  readonly batchId: string;
}

async function sendBatch(server: Server, key: string, body: string): Promise<SentBatch> {
  const url = `${server.url}/restsms/svcrest`;
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const startedAt = performance.now();
  const answer = await fetch(`${url}/batchsend/json`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`the batch was refused: ${await answer.text()}`);
  const { batchid } = (await answer.json()) as { batchid: string };
  const answerMs = performance.now() - startedAt;
  for (;;) {
    const info = await fetch(`${url}/batchinfo?BI=${batchid}`, { headers: { 'x-api-key': key } });
    const { batchstatuscode: code } = (await info.json()) as { batchstatuscode: number };
    if (code === 0) return { answerMs, okMs: performance.now() - startedAt, batchId: batchid };
    if (code >= 10) throw new Error(`the batch ended with ${code}`);
    if (performance.now() - startedAt > limitMs) throw new Error(`the batch is still at ${code}`);
    await wait(pollMs);
  }
}

/** Each `series` uses numbers of its own. */
function bodyOf(size: number, series: number): string {
  const first = 46_700_000_000 + series * 1_000_000;
  return JSON.stringify({
    message: 'Dear [name], your parcel [number] waits for you at [place] until Friday.',
    holders: ['[name]', '[number]', '[place]'],
    batch: Array.from({ length: size }, (_, index) => ({
      t: String(first + index),
      i: `parcel-${index}`,
      s: [`Customer ${index}`, String(900_000_000 + index), `Shop ${index % 97}`],
    })),
  });
}

function watchMemory(server: Server) {
  let peak = 0;
  const look = () => {
    const { total, files } = memoryOf(server.pid);
    peak = Math.max(peak, total - files);
  };
  const timer = setInterval(look, 20);
  return {
    stop() {
      clearInterval(timer);
      look();
      return peak;
    },
  };
}

/** The 99th percentile of the event loop's delay since the previous reading. */
async function loopDelayMs(server: Server): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const [, seconds] = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(metrics) ?? [];
  return Number(seconds) * 1_000;
}

await runWhenMain(import.meta, batch);
