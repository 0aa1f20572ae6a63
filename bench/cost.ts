/**
 * What a message costs, step by step: the pages and bytes that each B-tree adds to the write-ahead log, the time of each
 * statement, and the memory that each thread and function allocates. The bytes are the same on every machine.
 */
import { allocationsPerMessage } from './allocations.ts';
import { type CostStore, costStore, type Spent } from './cost-store.ts';
import type { Bound, Figure, Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { runWhenMain } from './run.ts';
import { commitsOfALife, Traffic } from './traffic.ts';

/** Messages per commit, as on a quiet service, a busy one, and one whose queue is full; and how many such commits are measured. */
const groups = [
  { size: 15, commits: 400 },
  { size: 60, commits: 200 },
  { size: 500, commits: 60 },
] as const;
/** The store holds this many finished messages before anything is measured, so that its B-trees have their usual depth. */
const earlier = 40_000;

/** Bytes of the write-ahead log per message, over its whole life. docs/performance.md explains the budget. */
const budget: Readonly<Record<Engine, Readonly<Record<number, number>>>> = {
  sqlite: { 15: 11_500, 60: 4_700, 500: 1_600 },
  postgres: { 15: 2_700, 60: 2_700, 500: 2_800 },
};

export async function cost(options: Options): Promise<Report> {
  const { quick, seconds = quick ? 3 : 15 } = options;
  const figures: Figure[] = [];
  for (const engine of options.engines) {
    const store = await costStore(engine);
    try {
      const traffic = new Traffic(store.parties);
      await pass(store, traffic, 500, quick ? 2_000 : earlier);
      for (const { size, commits } of groups)
        figures.push(...(await measure(store, traffic, size, quick ? 20 : commits)));
    } finally {
      await store.close();
    }
    figures.push(...(await allocationsPerMessage(engine, seconds)));
  }
  return { name: 'cost', claim, method, figures };
}

const claim = 'A message stays within its budget of bytes written.';

const method = [
  `The verbs of the store run in one process, without HTTP and without carriers: each commit accepts a group of messages, records what the carrier answered to the group before, and the receipts of the group that it took a second before. The store holds ${earlier.toLocaleString('en')} finished messages.`,
  'Bytes of the write-ahead log: on SQLite, the pages in the log, by the B-tree that each belongs to; on PostgreSQL, the records in the log, with whole pages left out, since these depend on the time between checkpoints.',
  'Times: of each statement, as the caller sees it; on PostgreSQL they contain a round trip. “Around the statements” is what is left of a verb: composing, binding and reading rows. Compare times of one run only.',
  'Memory: V8’s sampling heap profiler in each thread of a whole server, under wrk with 50 connections, over SMPP to a sink in another process. It also counts what was freed since. The server has had the same load for five seconds before.',
];

async function pass(store: CostStore, traffic: Traffic, size: number, messages: number): Promise<void> {
  for (let done = 0; done < messages; done += size) await store.commit(traffic.next(size));
}

async function measure(
  store: CostStore,
  traffic: Traffic,
  size: number,
  commits: number,
): Promise<readonly Figure[]> {
  // Before counting starts, each commit has groups of this size in all steps of their lives.
  for (let group = 0; group < commitsOfALife; group++) await store.commit(traffic.next(size));
  await store.startCounting();
  for (let done = 0; done < commits; done++) await store.commit(traffic.next(size));
  const spent = await store.spent();
  return figuresOf(store.engine, size, commits, spent);
}

function figuresOf(engine: Engine, size: number, commits: number, spent: Spent): readonly Figure[] {
  const messages = commits * size;
  const figure = (what: string, unit: string, value: number, claim?: Bound): Figure => ({
    engine,
    what: `${size} a commit: ${what}`,
    unit,
    value,
    ...(claim === undefined ? {} : { claim }),
  });
  const trees = [...spent.bytesByTree].sort(([, a], [, b]) => b - a);
  const bytes = trees.reduce((sum, [, one]) => sum + one, 0);
  const limit = budget[engine][size];
  return [
    figure('log', 'bytes/message', bytes / messages, limit === undefined ? undefined : { atMost: limit }),
    ...(spent.pages === undefined ? [] : [figure('pages in the log', 'pages/commit', spent.pages / commits)]),
    ...trees
      .map(([tree, one]) => [tree, one / messages] as const)
      .filter(([, perMessage]) => perMessage >= leastBytes)
      .map(([tree, perMessage]) => figure(`log of ${tree}`, 'bytes/message', perMessage)),
    figure('all verbs and the commit', 'µs/message', spent.microseconds / messages),
    ...[...spent.microsecondsByStep]
      .sort(([, a], [, b]) => b - a)
      .map(([step, one]) => [step, one / messages] as const)
      .filter(([, perMessage]) => perMessage >= leastMicroseconds)
      .map(([step, perMessage]) => figure(step, 'µs/message', perMessage)),
  ];
}

/** What is less is left out. */
const leastBytes = 10;
const leastMicroseconds = 0.1;

await runWhenMain(import.meta, cost);
