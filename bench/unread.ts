/** Claim: a page of unread items costs the same however many messages the store holds, and however many have been read. */
import { Agent, request } from 'node:http';
import { takeUnreadIncoming } from '../src/messages/incoming/store.ts';
import { takeUnreadStatuses } from '../src/messages/status.ts';
import { raw, sql } from '../src/storage/sql.ts';
import { type Database, openDirectly } from './database.ts';
import { type Figure, median, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { plansOf } from './plan.ts';
import { runWhenMain } from './run.ts';
import { basic, type Server, startServer, type Username } from './server.ts';
import { clear, makeOriginals, stock } from './stock.ts';

const page = 1_000;
const few = 10_000;
const maxSkippedPerStep = 10_000;
/** The number of pages that a user has in the small store; as many pages of the large store are compared with them. */
const pagesOfFew = few / 2 / page;

const kinds = ['status', 'incoming'] as const;
type Kind = (typeof kinds)[number];
const kindNames: Readonly<Record<Kind, string>> = { status: 'statuses', incoming: 'incoming SMS' };

interface Size {
  readonly many: number;
  /** The first page of each range, counted from the oldest unread item; all items before it have been read and marked. */
  readonly depths: readonly number[];
  readonly rounds: number;
}

export async function unread(options: Options): Promise<Report> {
  const { quick, rounds = quick ? 1 : 3 } = options;
  const size: Size = quick
    ? { many: 50_000, depths: [1, 20], rounds }
    : { many: 1_000_000, depths: [1, 50, 200, 400], rounds };
  const figures: Figure[] = [];
  const plans: string[] = [];
  for (const engine of options.engines) {
    const stores = await openStores(engine, size.many);
    try {
      figures.push(...(await measure(stores, size)));
      plans.push(...stores.plans);
    } finally {
      await stores.close();
    }
  }
  return {
    name: 'unread',
    claim: `A page of ${page.toLocaleString('en')} unread items, marked as read, costs at most twice as much at ${size.many.toLocaleString('en')} stored messages as at ${few.toLocaleString('en')}.`,
    method: [...method(size), ...plans],
    figures,
  };
}

function method({ many, depths }: Size): readonly string[] {
  return [
    `Two servers, one with ${few.toLocaleString('en')} messages and as many incoming SMS, one with ${many.toLocaleString('en')} of each, half of them for each of two users, and all unread. The rows are copies of rows that the product itself wrote.`,
    'GET /status and GET /incoming over HTTP with `maxnum=1000`, one client on one kept-alive connection, timed from the request to the last byte; the items read are durably marked as read. Pages of the two servers are read in turn.',
    `At several depths (pages ${depths.join(', ')} and those after them): all items before them have been read and marked, and no vacuum has run since.`,
    'Once before the engine has statistics of its tables, with the first user, and once after ANALYZE, with the second.',
  ];
}

interface Stores {
  readonly engine: Engine;
  readonly small: Stocked;
  readonly large: Stocked;
  readonly plans: string[];
  close(): Promise<void>;
}

interface Stocked {
  readonly server: Server;
  readonly database: Database;
}

async function openStores(engine: Engine, many: number): Promise<Stores> {
  const opened: Stocked[] = [];
  const close = async () => {
    for (const { server, database } of opened) {
      await database.close();
      await server.close();
    }
  };
  const open = async (messages: number) => {
    const server = await startServer({ engine });
    const database = await openDirectly(server);
    opened.push({ server, database });
    await makeOriginals(server, database);
    if (engine === 'postgres') await holdVacuumOff(database);
    await stock(database, messages);
    await settle(database);
    return { server, database };
  };
  try {
    return { engine, small: await open(few), large: await open(many), plans: [], close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Autovacuum could run at any moment, clean up behind the reader, and collect statistics too early. */
async function holdVacuumOff(database: Database): Promise<void> {
  for (const table of ['messages', 'message_parts', 'incoming_messages'])
    await database.all(sql`ALTER TABLE ${raw(table)} SET (autovacuum_enabled = false)`);
}

/** Finishes the work that filling the store left behind, so that none of it runs during a page. */
async function settle(database: Database): Promise<void> {
  await database.all(database.engine === 'sqlite' ? sql`PRAGMA wal_checkpoint(PASSIVE)` : sql`CHECKPOINT`);
}

async function measure(stores: Stores, size: Size): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { user, statistics } of [
    { user: 'ada', statistics: 'without statistics' },
    { user: 'ben', statistics: 'after ANALYZE' },
  ] as const) {
    if (user === 'ben') await analyse(stores);
    for (const kind of kinds) {
      stores.plans.push(...(await describePlans(stores, kind, user, statistics)));
      figures.push(...(await measureDepths(stores, size, kind, user, statistics)));
    }
  }
  return figures;
}

/** Restarts the server as well, because an SQLite connection reads the statistics when it opens. */
async function analyse({ small, large }: Stores): Promise<void> {
  for (const { server, database } of [small, large]) {
    await database.all(sql`ANALYZE`);
    await server.stop();
    await server.start();
  }
}

async function measureDepths(
  stores: Stores,
  { many, depths, rounds }: Size,
  kind: Kind,
  user: Username,
  statistics: string,
): Promise<readonly Figure[]> {
  const { engine, small, large } = stores;
  const figures: Figure[] = [];
  const smallReader = new Reader(small.server, kind, user);
  const largeReader = new Reader(large.server, kind, user);
  const smallTimes: number[] = [];
  let read = 0;
  for (const depth of depths) {
    while (read < depth - 1) {
      const skipped = Math.min(maxSkippedPerStep / page, depth - 1 - read);
      await largeReader.read(skipped * page);
      read += skipped;
    }
    const times = { small: [] as number[], large: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      await restock(small);
      for (let index = 0; index < pagesOfFew - 1; index++, read++) {
        times.small.push(await smallReader.read(page));
        times.large.push(await largeReader.read(page));
      }
    }
    smallTimes.push(...times.small);
    const what = `${kindNames[kind]}, ${statistics}`;
    figures.push(
      {
        engine,
        what: `${what}: at ${many.toLocaleString('en')}, from page ${depth}`,
        value: median(times.large),
        unit: 'ms',
        rounds: times.large,
      },
      {
        engine,
        what: `${what}: from page ${depth}, relative to a page at ${few.toLocaleString('en')}`,
        value: median(times.large) / median(times.small),
        unit: '',
        claim: { atMost: 2 },
      },
    );
  }
  const atFew = {
    engine,
    what: `${kindNames[kind]}, ${statistics}: at ${few.toLocaleString('en')}`,
    unit: 'ms',
  };
  return [{ ...atFew, value: median(smallTimes), rounds: smallTimes }, ...figures];
}

/** Restores the small store: all of its copies are unread again. */
async function restock({ database }: Stocked): Promise<void> {
  await clear(database);
  await stock(database, few);
  await settle(database);
}

class Reader {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  readonly #kind: Kind;
  readonly #user: Username;

  constructor(server: Server, kind: Kind, user: Username) {
    this.#url = `${server.url}/restsms/svcrest/${kind}`;
    this.#kind = kind;
    this.#user = user;
  }

  /** Returns the milliseconds from the request to the last byte of the page, which must be full. */
  async read(maxnum: number): Promise<number> {
    const startedAt = performance.now();
    const text = await this.#get(`${this.#url}?N=${maxnum}`);
    const elapsedMs = performance.now() - startedAt;
    const answer = JSON.parse(text) as { statuses?: unknown[]; incoming?: unknown[] };
    const items = this.#kind === 'status' ? answer.statuses : answer.incoming;
    if (items?.length !== maxnum) throw new Error(`a page had ${items?.length} items instead of ${maxnum}`);
    return elapsedMs;
  }

  #get(url: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, headers: { authorization: basic(this.#user) } };
      const asking = request(url, options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (answer.statusCode === 200) resolve(text);
          else reject(new Error(`reading unread items answered ${answer.statusCode}: ${text}`));
        });
      });
      asking.on('error', reject);
      asking.end();
    });
  }
}

/** Reports how a page is selected and marked, and the small store's plan where it differs. */
async function describePlans(
  { engine, small, large }: Stores,
  kind: Kind,
  user: Username,
  statistics: string,
): Promise<readonly string[]> {
  const [row] = await large.database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = ${user}`);
  const query = { companyId: 0, userId: row?.id ?? 0, limit: page };
  const plans = ({ database }: Stocked) =>
    kind === 'status'
      ? plansOf(database, takeUnreadStatuses, query)
      : plansOf(database, takeUnreadIncoming, { ...query, latest: false, withOriginal: false });
  const atFew = await plans(small);
  return (await plans(large)).map((plan, index) => {
    const of = `Plan of ${index === 0 ? 'selecting' : 'marking'} ${kindNames[kind]} (${engine}, ${statistics})`;
    const same = plan === atFew[index] ? '' : `; in the small store: ${atFew[index]}`;
    return `${of}: \`${plan}\`${same}.`;
  });
}

await runWhenMain(import.meta, unread);
