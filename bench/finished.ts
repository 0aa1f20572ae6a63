/** Claim: what the store does for a message costs the same, however many messages that have ended are stored beside it. */
import pg from 'pg';
import { claimMessages } from '../src/messages/dispatch/claim.ts';
import { purgeMessages } from '../src/messages/upkeep/purge.ts';
import { planSettings } from '../src/storage/postgres/store.ts';
import { raw, sql } from '../src/storage/sql.ts';
import { postgresRecorder, type Recorder } from '../test/plans/recorded.ts';
import { type CostStore, costStore } from './cost-store.ts';
import { openDirectly } from './database.ts';
import { fillFinished } from './finished-stock.ts';
import { type Figure, median, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { plansOf } from './plan.ts';
import { runMs } from './process-usage.ts';
import { runWhenMain } from './run.ts';
import { commitsOfALife, firstId, type Step, Traffic } from './traffic.ts';

const few = 40_000;
const groupSize = 30;
const claimSizes = [20, 500] as const;
const purgeSize = 500;
/** One more level of a B-tree takes less. What takes more reads what has ended, or writes to pages that are not in memory. */
const limit = 1.5;

export async function finished(options: Options): Promise<Report> {
  const { quick, rounds = quick ? 5 : 60, rows: many = quick ? 100_000 : 2_000_000 } = options;
  const figures: Figure[] = [];
  const plans: string[] = [];
  for (const engine of options.engines) {
    const stores: Filled[] = [];
    try {
      stores.push(await openFilled(engine, few, rounds));
      stores.push(await openFilled(engine, many, rounds));
      figures.push(...(await measure(stores, many, rounds)));
      plans.push(await claimPlans(stores));
    } finally {
      for (const { store } of stores) await store.close();
    }
  }
  return {
    name: 'finished',
    claim: `What the store does for a message costs at most ${limit} times as much beside ${count(many)} messages that have ended as beside ${count(few)}.`,
    method: [
      `Two stores of each engine, one with ${count(few)} messages that have ended and one with ${count(many)}, all with a part, a receipt and their row in the log, and none read by its user. They are copies of one that the verbs of the store made, filled in by statements; PostgreSQL has vacuumed and analysed its tables then, and not again.`,
      `Each verb has its own commit, made durable. Times are the processor time of the engine: on SQLite of the process, on PostgreSQL of the process that serves the connection. In every round both stores in turn accept ${groupSize} messages, record as many outcomes and receipts, claim ${claimSizes.join(' and ')} of ${count(waitingFor(rounds))} that wait, and purge the ${purgeSize} oldest.`,
      'Pages and rows: what the statements of one call visit on PostgreSQL, by EXPLAIN (ANALYZE, BUFFERS).',
      ...plans,
    ],
    figures,
  };
}

const count = (messages: number) => messages.toLocaleString('en');

interface Filled {
  readonly store: CostStore;
  readonly traffic: Traffic;
  /** The id of the oldest message, and how many steps of the purge have been made. */
  readonly oldestId: number;
  /** The processor time that the engine has used for the store: in this process, or in PostgreSQL's for the connection. */
  readonly processorMs: () => number;
  purged: number;
}

/** Enough that the last claim finds as many as the first, and that plans can be looked at. */
const waitingFor = (rounds: number) => (rounds + 3) * (claimSizes[0] + claimSizes[1]);

async function openFilled(engine: Engine, messages: number, rounds: number): Promise<Filled> {
  const store = await costStore(engine);
  try {
    const traffic = new Traffic(store.parties);
    for (let commit = 0; commit <= commitsOfALife; commit++) await store.commit(traffic.next(groupSize));
    await fillFinished(store, messages);
    for (let waiting = 0; waiting < waitingFor(rounds); waiting += purgeSize)
      await store.commit([traffic.waiting(purgeSize)]);
    return { store, traffic, oldestId: firstId - messages, processorMs: await clockOf(store), purged: 0 };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function clockOf({ engine, place }: CostStore): Promise<() => number> {
  if (engine === 'sqlite') {
    return () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    };
  }
  const database = await openDirectly(place);
  const [other] = await database.all<{ pid: number }>(
    sql`SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  await database.close();
  if (other === undefined) throw new Error('the store has no connection');
  return () => runMs(other.pid);
}

function claim({ store: { parties } }: Filled, room: number): Step {
  const { carrierId, nodeId } = parties;
  return {
    verb: claimMessages,
    inputs: [{ carrierId, nodeId, room, bulkFloor: room / 10, now: Date.now() }],
  };
}

function purge(filled: Filled): Step {
  const walk = {
    companyId: filled.store.parties.companyId,
    afterId: filled.oldestId - 1 + filled.purged,
    idsSinceOld: 0,
    createdBefore: Date.now(),
    limit: purgeSize,
  };
  filled.purged += purgeSize;
  return { verb: purgeMessages, inputs: [walk] };
}

/** The steps of one round, by name. */
function stepsOf(filled: Filled): readonly (readonly [name: string, step: Step])[] {
  const [accept, outcomes, receipts] = filled.traffic.next(groupSize);
  if (accept === undefined || outcomes === undefined || receipts === undefined)
    throw new Error('no messages wait for their outcomes or receipts');
  return [
    [`accept ${groupSize}`, accept],
    [`${groupSize} outcomes`, outcomes],
    [`${groupSize} receipts`, receipts],
    ...claimSizes.map((size) => [`claim ${size}`, claim(filled, size)] as const),
    [`purge ${purgeSize}`, purge(filled)],
  ];
}

async function measure(stores: readonly Filled[], many: number, rounds: number): Promise<readonly Figure[]> {
  const times = new Map<string, number[]>();
  const visits = new Map<string, Visits[]>();
  for (let round = 0; round <= rounds; round++) {
    // Who comes first finds the other's pages in the processor's cache.
    for (const filled of round % 2 === 0 ? stores : [...stores].reverse()) {
      const place = stores.indexOf(filled);
      const isLast = round === rounds;
      const recorder = isLast && filled.store.engine === 'postgres' ? await openRecorder(filled) : undefined;
      for (const [name, step] of stepsOf(filled)) {
        if (recorder !== undefined) at(visits, name)[place] = await visitsOf(recorder, step);
        const before = filled.processorMs();
        await filled.store.commit([step]);
        if (round > 0) at(times, `${place} ${name}`).push(filled.processorMs() - before);
      }
      await recorder?.close();
    }
  }
  const engine = stores[0]?.store.engine ?? 'sqlite';
  const names = [...times.keys()].filter((key) => key.startsWith('0 ')).map((key) => key.slice(2));
  return names.flatMap((name) => {
    const [small, large] = [at(times, `0 ${name}`), at(times, `1 ${name}`)];
    return [
      { engine, what: `${name}: beside ${count(many)}`, value: median(large), unit: 'ms', rounds: large },
      {
        engine,
        what: `${name}: relative to beside ${count(few)}`,
        value: median(large) / median(small),
        unit: '',
        claim: { atMost: limit },
      },
      ...figuresOf(engine, name, visits.get(name)),
    ];
  });
}

/** The list under a name, which is made when first asked for. */
function at<Item>(lists: Map<string, Item[]>, name: string): Item[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}

interface Visits {
  readonly rows: number;
  readonly pages: number;
}

function figuresOf(engine: Engine, name: string, visits: readonly Visits[] = []): readonly Figure[] {
  const [small, large] = visits;
  if (small === undefined || large === undefined) return [];
  return [
    { engine, what: `${name}: pages visited`, value: large.pages, unit: '' },
    {
      engine,
      what: `${name}: pages visited, relative`,
      value: large.pages / small.pages,
      unit: '',
      claim: { atMost: limit },
    },
    {
      engine,
      what: `${name}: rows visited, relative`,
      value: large.rows / small.rows,
      unit: '',
      claim: { atMost: limit },
    },
  ];
}

async function openRecorder({ store }: Filled): Promise<Recorder> {
  const client = new pg.Client({ connectionString: store.place.databaseUrl });
  // Counts and ids stay below 2^53.
  for (const oid of [20, 1700]) client.setTypeParser(oid, Number);
  await client.connect();
  await client.query(planSettings);
  return postgresRecorder(client);
}

async function visitsOf(recorder: Recorder, { verb, inputs }: Step): Promise<Visits> {
  const statements = await recorder.record(verb, inputs[0]);
  return {
    rows: statements.reduce((sum, { rows = 0 }) => sum + rows, 0),
    pages: statements.reduce((sum, { pages = 0 }) => sum + pages, 0),
  };
}

/** How the two stores claim, in one sentence. */
async function claimPlans(stores: readonly Filled[]): Promise<string> {
  const plans: string[] = [];
  for (const filled of stores) {
    const database = await openDirectly(filled.store.place);
    try {
      if (database.engine === 'postgres') await database.all(sql`${raw(planSettings)}`);
      const [input] = claim(filled, claimSizes[0]).inputs;
      plans.push((await plansOf(database, claimMessages, input as never)).join(' | '));
    } finally {
      await database.close();
    }
  }
  const [small, large] = plans;
  return `Plans of a claim (${stores[0]?.store.engine}): \`${large}\`${small === large ? '' : `; in the small store: \`${small}\``}.`;
}

await runWhenMain(import.meta, finished);
