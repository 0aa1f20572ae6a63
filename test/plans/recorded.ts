/** Runs a verb in a transaction that is rolled back, and reports how much each of its statements visited. */
import type pg from 'pg';
import { plansByKeys } from '../../src/storage/postgres/pooled-connection.ts';
import { PostgresTransaction } from '../../src/storage/postgres/transaction.ts';
import type { Database, Statement } from '../../src/storage/sqlite/database.ts';
import { SqliteTransaction } from '../../src/storage/sqlite/transaction.ts';
import type { AnyVerb, Transaction } from '../../src/storage/verb.ts';

export interface Measurement {
  readonly text: string;
  /** The engine's plan, one line per step. */
  readonly plan: string;
  /** For PostgreSQL: rows visited, whether returned or not, and pages read for them. */
  readonly rows?: number;
  readonly pages?: number;
  /** For SQLite, which does not count rows: processor time relative to a walk through all messages. */
  readonly shareOfWalk?: number;
  /** For SQLite: whether a statement with `orFail` can still be undone by itself, so that the pages it changes are copied. */
  readonly copiesPages?: boolean;
}

export interface Recorder {
  /** The statements of one call. */
  record(verb: AnyVerb, input: unknown): Promise<readonly Measurement[]>;
  /** Has the engine analyse its tables. */
  analyze(): Promise<void>;
  close(): Promise<void>;
}

async function run(verb: AnyVerb, transaction: Transaction, input: unknown): Promise<void> {
  if (verb.kind === 'read') await verb.run(transaction, input);
  else await verb.run(transaction, [input]);
}

/** Statements that lock, or that begin or undo part of a transaction. */
const hasNoPlan = /^\s*(LOCK|SAVEPOINT|ROLLBACK TO)\b/;

/** Slow statements are retried, because a garbage collection or a busy machine may be the cause. */
const tries = 6;
const slowShare = 1 / 8;
/**
 * If a statement takes more than this share, the walk is measured again. If the walk is then slower than before, something
 * else on the machine has slowed the statements around it too.
 */
const doubtfulShare = 1 / 3;

/** The least processor time of several tries, which end early once the time is small enough. */
function leastMs(work: () => void, between: () => void = () => undefined, littleMs = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 1; ; count++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
    if (least < littleMs || count === tries) return least;
    between();
  }
}

/** By https://sqlite.org/opcode.html: an error of a function undoes the statement, and so does a `Halt` with `undoing`. */
function copiesPages(database: Database, text: string): boolean {
  if (!/^UPDATE OR FAIL/.test(text)) return false;
  const program = database.prepare(`EXPLAIN ${text}`).all() as { opcode: string; p1: number; p2: number }[];
  return program.some(
    ({ opcode, p1, p2 }) =>
      /^(Pure)?Function$/.test(opcode) || (/^Halt/.test(opcode) && p1 !== 0 && p2 === undoing),
  );
}

const undoing = 2;

export function sqliteRecorder(database: Database): Recorder {
  const measurements: Measurement[] = [];
  const walk = database.prepare('SELECT SUM(id) FROM messages');
  const measureWalk = () => leastMs(() => walk.all());
  let walkMs = measureWalk();
  const prepare = (text: string): Statement => {
    const statement = database.prepare(text);
    if (hasNoPlan.test(text)) return statement;
    const explain = database.prepare(`EXPLAIN QUERY PLAN ${text}`);
    const watched = <Answer>(runStatement: () => Answer, parameters: readonly unknown[]): Answer => {
      const plan = (explain.all(...parameters) as { detail: string }[])
        .map(({ detail }) => detail)
        .join('\n');
      let answer: Answer | undefined;
      database.exec('SAVEPOINT look');
      const ms = leastMs(
        () => {
          answer = runStatement();
        },
        () => database.exec('ROLLBACK TO look'),
        slowShare * walkMs,
      );
      database.exec('RELEASE look');
      if (ms > doubtfulShare * walkMs) walkMs = Math.max(walkMs, measureWalk());
      measurements.push({ text, plan, shareOfWalk: ms / walkMs, copiesPages: copiesPages(database, text) });
      return answer as Answer;
    };
    return {
      all: (...parameters) => watched(() => statement.all(...parameters), parameters),
      get: (...parameters) => watched(() => statement.get(...parameters), parameters),
      run: (...parameters) => watched(() => statement.run(...parameters), parameters),
    };
  };
  const watching = { exec: database.exec.bind(database), prepare, close: () => database.close() };
  return {
    async record(verb, input) {
      measurements.length = 0;
      database.exec('BEGIN');
      try {
        await run(verb, new SqliteTransaction(watching), input);
      } finally {
        database.exec('ROLLBACK');
      }
      return [...measurements];
    },
    analyze: async () => database.exec('ANALYZE'),
    close: async () => database.close(),
  };
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Subplan Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function visited(node: PlanNode): number {
  const ofJoin = node['Rows Removed by Join Filter'] ?? 0;
  const isScan =
    / Scan$/.test(node['Node Type']) && (node['Relation Name'] ?? node['Index Name']) !== undefined;
  const seen =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return node['Actual Loops'] * (ofJoin + (isScan ? seen : 0));
}

/** The changes in a WITH that nothing reads are made after the rest, and the topmost node does not count their pages. */
const isChangeOfWith = (node: PlanNode) =>
  node['Node Type'] === 'ModifyTable' && node['Subplan Name'] !== undefined;
const pagesOf = (node: PlanNode) => node['Shared Hit Blocks'] + node['Shared Read Blocks'];

interface Explained {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }];
}

const explain = 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)';

export function postgresRecorder(client: pg.Client): Recorder {
  const measurements: Measurement[] = [];
  /** Explains the plan for these values, or the one that is kept for all values. */
  let isByKeys = false;
  const explained = async ({ text, values = [] }: pg.QueryConfig) => {
    if (!isByKeys) return client.query<Explained>({ text: `${explain} ${text}`, values });
    await client.query(`PREPARE looked AS ${text}`);
    const literals = values.map((value) => (value === null ? 'NULL' : client.escapeLiteral(String(value))));
    const found = await client.query<Explained>(
      `${explain} EXECUTE looked${values.length === 0 ? '' : `(${literals.join(', ')})`}`,
    );
    await client.query('DEALLOCATE looked');
    return found;
  };
  /** Statements are looked at one after the other, also those that a verb sends together. */
  let before: Promise<unknown> = Promise.resolve();
  const connection = {
    query<Result extends pg.QueryResultRow>(statement: pg.QueryConfig) {
      const looked = before.then(() => this.look<Result>(statement));
      before = looked.catch(() => undefined);
      return looked;
    },
    async look<Result extends pg.QueryResultRow>({ text, values }: pg.QueryConfig) {
      if (hasNoPlan.test(text)) return client.query<Result>({ text, values } as pg.QueryConfig);
      await client.query('SAVEPOINT look');
      const { rows } = await explained({ text, values } as pg.QueryConfig);
      await client.query('ROLLBACK TO look');
      const plan = (rows[0] as Explained)['QUERY PLAN'][0].Plan;
      const nodes = nodesOf(plan);
      measurements.push({
        text,
        plan: nodes
          .map(
            (node) =>
              `${node['Node Type']} ${node['Relation Name'] ?? ''} ${node['Index Name'] ?? ''}: ${visited(node)}`,
          )
          .join('\n'),
        rows: nodes.reduce((sum, node) => sum + visited(node), 0),
        pages: nodes
          .filter((node) => node === plan || isChangeOfWith(node))
          .reduce((sum, node) => sum + pagesOf(node), 0),
      });
      return client.query<Result>({ text, values } as pg.QueryConfig);
    },
  };
  return {
    async record(verb, input) {
      measurements.length = 0;
      await client.query('BEGIN');
      isByKeys = verb.kind === 'write' && verb.isByKeys === true;
      if (isByKeys) for (const { text } of plansByKeys) await client.query(text);
      try {
        await run(verb, new PostgresTransaction(connection), input);
      } finally {
        await client.query('ROLLBACK');
      }
      return [...measurements];
    },
    analyze: async () => void (await client.query('ANALYZE')),
    close: () => client.end(),
  };
}
