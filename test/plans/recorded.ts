/** Runs a verb in a transaction that is taken back, and tells of each of its statements how much it looked at. */
import type pg from 'pg';
import { PostgresTransaction } from '../../src/storage/postgres/transaction.ts';
import type { Database, Statement } from '../../src/storage/sqlite/database.ts';
import { SqliteTransaction } from '../../src/storage/sqlite/transaction.ts';
import type { AnyVerb, Transaction } from '../../src/storage/verb.ts';

export interface Look {
  readonly text: string;
  /** The engine's way, a line a step. */
  readonly plan: string;
  /** PostgreSQL: rows that were visited, whether they were answered or not, and pages that were read for them. */
  readonly rows?: number;
  readonly pages?: number;
  /** SQLite, which counts no rows: processor time. */
  readonly computedMs?: number;
}

export interface Recorder {
  /** The statements of one call. */
  record(verb: AnyVerb, input: unknown): Promise<readonly Look[]>;
  /** Has the engine look at its tables. */
  analyze(): Promise<void>;
  close(): Promise<void>;
}

async function run(verb: AnyVerb, transaction: Transaction, input: unknown): Promise<void> {
  if (verb.kind === 'read') await verb.run(transaction, input);
  else await verb.run(transaction, [input]);
}

/** Locks, and what is undone. */
const hasNoPlan = /^\s*(LOCK|SAVEPOINT|ROLLBACK TO)\b/;

/** A collection of garbage, or a machine that is busy, is not the statement's: what took long is tried again. */
const triesOfSlow = 6;
const slowMs = 8;

export function sqliteRecorder(database: Database): Recorder {
  const looks: Look[] = [];
  const prepare = (text: string): Statement => {
    const statement = database.prepare(text);
    if (hasNoPlan.test(text)) return statement;
    const explain = database.prepare(`EXPLAIN QUERY PLAN ${text}`);
    const watched = <Answer>(runStatement: () => Answer, parameters: readonly unknown[]): Answer => {
      const plan = (explain.all(...parameters) as { detail: string }[])
        .map(({ detail }) => detail)
        .join('\n');
      let answer: Answer;
      let leastMs = Number.POSITIVE_INFINITY;
      let tries = 0;
      database.exec('SAVEPOINT look');
      for (;;) {
        const before = process.cpuUsage();
        answer = runStatement();
        const { user, system } = process.cpuUsage(before);
        leastMs = Math.min(leastMs, (user + system) / 1_000);
        tries += 1;
        if (leastMs < slowMs || tries === triesOfSlow) break;
        database.exec('ROLLBACK TO look');
      }
      database.exec('RELEASE look');
      looks.push({ text, plan, computedMs: leastMs });
      return answer;
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
      looks.length = 0;
      database.exec('BEGIN');
      try {
        await run(verb, new SqliteTransaction(watching), input);
      } finally {
        database.exec('ROLLBACK');
      }
      return [...looks];
    },
    analyze: async () => database.exec('ANALYZE'),
    close: async () => database.close(),
  };
}

interface PlanNode {
  readonly 'Node Type': string;
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

interface Explained {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }];
}

export function postgresRecorder(client: pg.Client): Recorder {
  const looks: Look[] = [];
  const connection = {
    async query<Result extends pg.QueryResultRow>({ text, values }: pg.QueryConfig) {
      if (hasNoPlan.test(text)) return client.query<Result>({ text, values } as pg.QueryConfig);
      await client.query('SAVEPOINT look');
      const explained = await client.query<Explained>({
        text: `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
        values,
      } as pg.QueryConfig);
      await client.query('ROLLBACK TO look');
      const plan = (explained.rows[0] as Explained)['QUERY PLAN'][0].Plan;
      const nodes = nodesOf(plan);
      looks.push({
        text,
        plan: nodes
          .map(
            (node) =>
              `${node['Node Type']} ${node['Relation Name'] ?? ''} ${node['Index Name'] ?? ''}: ${visited(node)}`,
          )
          .join('\n'),
        rows: nodes.reduce((sum, node) => sum + visited(node), 0),
        pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      });
      return client.query<Result>({ text, values } as pg.QueryConfig);
    },
  };
  return {
    async record(verb, input) {
      looks.length = 0;
      await client.query('BEGIN');
      try {
        await run(verb, new PostgresTransaction(connection), input);
      } finally {
        await client.query('ROLLBACK');
      }
      return [...looks];
    },
    analyze: async () => void (await client.query('ANALYZE')),
    close: () => client.end(),
  };
}
