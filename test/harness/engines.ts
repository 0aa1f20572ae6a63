/** Runs a block of tests once per storage engine. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, inject } from 'vitest';
import type { SharedPostgresAnswer } from './global-setup.ts';
import { createDatabase, dropDatabase, emptyDatabase, shapeOfDatabase } from './postgres.ts';

export type EngineName = 'sqlite' | 'postgres';

const titles: Readonly<Record<EngineName, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

/** Why PostgreSQL tests can't run here; absent if they can. */
export function postgresMissing(): string | undefined {
  const shared = inject('postgres');
  return 'missing' in shared ? shared.missing : undefined;
}

export interface BlockOptions {
  /**
   * The block's tests mostly wait, so they run concurrently with each other, and with the tests of enclosing blocks
   * that set this too.
   */
  readonly concurrent?: boolean;
}

/** A block that needs PostgreSQL, reported as skipped if there is none. */
export function describePostgres(title: string, tests: () => void, options: BlockOptions = {}): void {
  const missing = postgresMissing();
  describe.skipIf(missing !== undefined)(
    missing === undefined ? title : `${title} (skipped: ${missing})`,
    options,
    tests,
  );
}

export function eachEngine(
  title: string,
  tests: (engine: EngineName) => void,
  options: BlockOptions = {},
): void {
  describe(`${title}, ${titles.sqlite}`, options, () => tests('sqlite'));
  describePostgres(`${title}, ${titles.postgres}`, () => tests('postgres'), options);
}

let asked: Promise<{ url: string; template: string }> | undefined;

/** The server shared by the test files of this run. */
export function sharedPostgres(): Promise<{ readonly url: string; readonly template: string }> {
  asked ??= ask();
  return asked;
}

async function ask(): Promise<{ url: string; template: string }> {
  const shared = inject('postgres');
  if ('missing' in shared) throw new Error(shared.missing);
  const answer = JSON.parse(await text(connect(shared.socket))) as SharedPostgresAnswer;
  if ('error' in answer) throw new Error(answer.error);
  return answer;
}

export interface FreshDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Emptied databases for reuse, because creating one takes ten times as long as emptying it. */
const idleDatabases: string[] = [];
let shape: string | undefined;

/**
 * A separate database on the shared server, with this version's schema or empty. `unused` has the schema and is neither
 * reused nor passed on, since an emptied database keeps the statistics the server has gathered about its tables.
 */
export async function freshDatabase(
  content: 'migrated' | 'unused' | 'empty' = 'migrated',
): Promise<FreshDatabase> {
  const { url: server, template } = await sharedPostgres();
  if (content !== 'migrated') {
    const url = await createDatabase(server, content === 'empty' ? 'template1' : template);
    return { url, drop: () => dropDatabase(server, url) };
  }
  const url = idleDatabases.pop() ?? (await createDatabase(server, template));
  shape ??= await shapeOfDatabase(url);
  return {
    url,
    async drop() {
      if (await emptyDatabase(server, url, shape)) idleDatabases.push(url);
      else await dropDatabase(server, url);
    },
  };
}
