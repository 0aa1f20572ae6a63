import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pause } from '../../test/harness/awake.ts';
import {
  describePostgres,
  type EngineName,
  type FreshDatabase,
  freshDatabase,
} from '../../test/harness/engines.ts';
import { describePostgresSchema, describeSqlite } from '../../test/harness/schema-description.ts';
import { testWorker } from '../../test/harness/stores.ts';
import { StartError } from '../foundation/errors.ts';
import type { Migration } from './first-schema.ts';
import { migratePostgres } from './postgres/migrate.ts';
import { openPostgresStore } from './postgres/store.ts';
import { migrations, schemaVersion } from './schema.ts';
import { readVersion } from './schema-version.ts';
import { databasePath, openDatabase } from './sqlite/database.ts';
import { copyPath, migrateSqlite, removeOlderCopies, requireRoom } from './sqlite/migrate.ts';
import { openSqliteStore } from './sqlite/store.ts';

/** Steps that encounter rows stored by earlier versions. */
const stepsWithRows = [
  {
    title: '[RUN-5] [DLV-5] Receipts that are parked before a migration go on waiting after it',
    what: 'receipts that wait are told apart',
    before: [
      `INSERT INTO parked_receipts (carrier_id, carrier_message_id, received_at, status, recipient, next_try_at)
       VALUES (1, 'x', 1795231680123, 2, '46701740600', 7)`,
    ],
    changes: [],
    read: `SELECT carrier_message_id, recipient, CAST(next_try_at AS TEXT) AS next_try_at FROM parked_receipts`,
    rows: [{ carrier_message_id: 'x', recipient: '46701740600', next_try_at: '7' }],
  },
  {
    // Nobody listens to the message at first; somebody does later.
    title: '[RUN-5] [HOOK-2] Messages stored before a migration can be listened to after it',
    what: 'the journal of changes',
    before: [
      `INSERT INTO messages (company_id, id, user_id, recipient, sender, text, flash, parts, conversation, cost_center,
         created_at, expires_at, status, changed_at, version, unread, expired_by_timer, carrier_id, lane, attempts, charge, in_doubt)
       VALUES (1, 5, 10, '46701740600', 'S', 'Hi', 0, 1, '', '', 1, 2, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0)`,
    ],
    changes: [
      'UPDATE messages SET status = 1',
      'UPDATE messages SET listened = 1',
      'UPDATE messages SET status = 2',
    ],
    read: 'SELECT kind, CAST(subject_id AS TEXT) AS subject_id, status FROM changes ORDER BY place',
    rows: [
      { kind: 0, subject_id: '5', status: 1 },
      { kind: 0, subject_id: '5', status: 2 },
    ],
  },
  {
    title: '[RUN-5] [INC-3] Migration gives the incoming SMS of no user to the company that has their number',
    what: 'incoming SMS that belong to nobody stay with the company that had their number',
    before: [
      "INSERT INTO companies (id, name, active) VALUES (1, 'Care', 1), (2, 'Taxi', 1)",
      "INSERT INTO users (id, company_id, username, roles, active) VALUES (10, 1, 'alice', '', 1)",
      `INSERT INTO numbers (number, rented_by, pool, company_id)
       VALUES ('4671', 10, 0, NULL), ('4672', NULL, 1, 2), ('4673', NULL, 0, NULL)`,
      `INSERT INTO incoming_messages (id, company_id, user_id, sender, recipient, text, conversation, received_at, unread)
       VALUES (1, NULL, NULL, '467', '4671', '', '', 1, 0), (2, NULL, NULL, '467', '4672', '', '', 1, 0),
         (3, NULL, NULL, '467', '4673', '', '', 1, 0), (4, NULL, NULL, '467', '4674', '', '', 1, 0),
         (5, 1, 10, '467', '4671', '', '', 1, 0)`,
    ],
    changes: [],
    read: 'SELECT CAST(id AS TEXT) AS id, CAST(number_company_id AS TEXT) AS company FROM incoming_messages ORDER BY id',
    rows: [
      { id: '1', company: '1' },
      { id: '2', company: '2' },
      { id: '3', company: null },
      { id: '4', company: null },
      { id: '5', company: null },
    ],
  },
  {
    title: '[RUN-5] [INC-4] Migration gives incomplete incoming SMS to those who have their number',
    what: 'incoming SMS in parts belong',
    before: [
      "INSERT INTO companies (id, name, active) VALUES (1, 'Care', 1), (2, 'Taxi', 1)",
      "INSERT INTO users (id, company_id, username, roles, active) VALUES (10, 1, 'alice', '', 1)",
      `INSERT INTO numbers (number, rented_by, pool, company_id) VALUES ('4671', 10, 0, NULL), ('4672', NULL, 1, 2)`,
      `INSERT INTO incoming_assemblies (carrier_id, sender, recipient, reference, parts, id, texts, started_at, ended_at)
       VALUES (1, '467', '4671', 7, 2, 1, '["a",null]', 1, NULL), (1, '467', '4672', 7, 2, 2, '["a",null]', 1, NULL),
         (1, '467', '4673', 7, 2, 3, '["a",null]', 1, NULL)`,
    ],
    changes: [],
    read: `SELECT CAST(id AS TEXT) AS id, CAST(renter_id AS TEXT) AS renter, CAST(number_company_id AS TEXT) AS company
           FROM incoming_assemblies ORDER BY id`,
    rows: [
      { id: '1', renter: '10', company: '1' },
      { id: '2', renter: null, company: '2' },
      { id: '3', renter: null, company: null },
    ],
  },
  {
    title:
      '[RUN-5] [JOB-8] Migration counts the people of stored runs, and has those under way counted again at once',
    what: 'runs by phase and saved job',
    before: [
      ...[
        '1, 1, 9, 1, 500, NULL, \'{"phase":"open","savedJobId":71,"tasks":[{"goal":1},{"goal":null}]}\'',
        '2, 1, 9, 1, NULL, 400, \'{"phase":"ended","savedJobId":72,"tasks":[{"goal":1}]}\'',
        '3, 1, 9, 1, 700, NULL, \'{"phase":"scheduled","savedJobId":71,"tasks":[]}\'',
      ].map(
        (values) =>
          `INSERT INTO job_runs (id, company_id, system_user_id, version, due_at, ended_at, run) VALUES (${values})`,
      ),
      ...[
        '1, 0, \'{"state":"yes","task":1}\'',
        '1, 1, \'{"state":"yes","task":1}\'',
        '1, 2, \'{"state":"no","task":null}\'',
        '2, 0, \'{"state":"unreachable","task":null}\'',
      ].map((values) => `INSERT INTO job_people (run_id, place, person) VALUES (${values})`),
    ],
    changes: [],
    read: `SELECT CAST(id AS TEXT) AS id, phase, CAST(saved_job_id AS TEXT) AS job, CAST(due_at AS TEXT) AS due,
             REPLACE(tally, ' ', '') AS tally, (SELECT MAX(state) FROM job_people WHERE run_id = id) AS state
           FROM job_runs ORDER BY job_runs.id`,
    rows: [
      {
        id: '1',
        phase: 1,
        job: '71',
        due: '0',
        state: 4,
        tally:
          '{"people":{"waiting":0,"asked":0,"unreachable":0,"yes":2,"no":1},"held":[0,2],"short":false,"canAsk":0}',
      },
      {
        id: '2',
        phase: 3,
        job: '72',
        due: null,
        state: 2,
        tally:
          '{"people":{"waiting":0,"asked":0,"unreachable":1,"yes":0,"no":0},"held":[0],"short":false,"canAsk":0}',
      },
      {
        id: '3',
        phase: 0,
        job: '71',
        due: '700',
        state: null,
        tally:
          '{"people":{"waiting":0,"asked":0,"unreachable":0,"yes":0,"no":0},"held":[],"short":false,"canAsk":0}',
      },
    ],
  },
  {
    title: '[RUN-5] [HOOK-5] Migration counts the kept attempts of webhooks by hour and outcome',
    what: 'the audit log by user, act, object and time; attempts of webhooks counted by hour',
    before: [
      `INSERT INTO webhook_attempts (endpoint_id, number, at, first_seq, events, tries, status, duration_ms, answer) VALUES
         (1, 1, 3600000, 1, 1, 1, 503, 7, ''), (1, 2, 7199999, 1, 1, 2, 204, 7, ''), (1, 3, 7200000, 2, 1, 1, NULL, 7, ''),
         (2, 1, 3600001, 1, 1, 1, 200, 7, ''), (2, 2, 3600002, 2, 1, 1, 299, 7, '')`,
    ],
    changes: [],
    read: `SELECT CAST(endpoint_id AS TEXT) AS id, CAST(hour_at AS TEXT) AS hour, CAST(ok AS TEXT) AS ok,
             CAST(failed AS TEXT) AS failed FROM webhook_attempt_counts ORDER BY endpoint_id, hour_at`,
    rows: [
      { id: '1', hour: '3600000', ok: '1', failed: '1' },
      { id: '1', hour: '7200000', ok: '0', failed: '1' },
      { id: '2', hour: '3600000', ok: '2', failed: '0' },
    ],
  },
] as const;

/** The statements of all earlier steps, then those of this step between the rows stored before it and later changes. */
function statementsOf({ what, before, changes }: (typeof stepsWithRows)[number], engine: EngineName) {
  const step = migrations.find((one) => one.what.startsWith(what)) as Migration;
  const earlier = migrations.filter(({ version }) => version < step.version);
  return [
    ...earlier.flatMap(({ statements }) => statements(engine)),
    ...[...before, ...step.statements(engine), ...changes],
  ];
}

const writeNewerVersion = `INSERT INTO schema_versions VALUES (${schemaVersion + 1}, 'a step of the future', 0)`;
/** A table of the operator's that makes the first step fail midway. */
const obstacle = 'CREATE TABLE users (id BIGINT)';

test('[RUN-5] Schema versions are numbered from 1 without gaps, and say what they bring', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  for (const { what } of migrations) expect(what).not.toBe('');
});

describe('migration of SQLite', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-migrate-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('[RUN-5] Migration brings a fresh database to this version, and does nothing the second time', () => {
    const database = openDatabase(databasePath(folder));
    expect(migrateSqlite(database)).toEqual({ from: 0, to: schemaVersion });
    const schema = describeSqlite(database);
    expect(migrateSqlite(database)).toEqual({ from: schemaVersion, to: schemaVersion });
    expect(describeSqlite(database)).toEqual(schema);
    database.close();
  });

  test('[RUN-5] A newer schema is refused with a sentence that names both versions', async () => {
    const database = openDatabase(databasePath(folder));
    migrateSqlite(database);
    database.exec(writeNewerVersion);
    const opening = openSqliteStore({ folder, worker: testWorker });
    await expect(opening).rejects.toThrow(StartError);
    await expect(opening).rejects.toThrow(/schema version \d+, but this version of Carillon knows only \d+/);
    database.close();
  });

  test('[RUN-5] A migration step that fails leaves nothing behind and can be tried again', () => {
    const database = openDatabase(databasePath(folder));
    database.exec(obstacle);
    expect(() => migrateSqlite(database)).toThrow(/users/);
    expect(Object.keys(describeSqlite(database))).toEqual(['users']);
    database.exec('DROP TABLE users');
    expect(migrateSqlite(database)).toEqual({ from: 0, to: schemaVersion });
    database.close();
  });

  test('[RUN-5] The copy of the store from before the latest migration replaces earlier copies, and needs room on the disk', async () => {
    const path = databasePath(folder);
    const database = openDatabase(path);
    // Steps that only replace an index or a trigger, or change only PostgreSQL, could run a second time.
    const runsOnce = ({ statements }: Migration) =>
      statements('sqlite').some((statement) => /^(CREATE|ALTER) TABLE /.test(statement));
    const latest = migrations.findLast(runsOnce)?.version ?? 0;
    const older = () => database.exec(`DELETE FROM schema_versions WHERE version >= ${latest}`);
    migrateSqlite(database);
    older();
    const names = () => readdirSync(folder).filter((name) => name.includes('.before-'));
    const earlier = `carillon.db.before-${schemaVersion - 1}`;
    writeFileSync(join(folder, earlier), 'of the migration before');
    writeFileSync(`${copyPath(path)}.part`, 'of a copy that broke off');
    // The step fails because what it creates exists already.
    await expect(openSqliteStore({ folder, worker: testWorker })).rejects.toThrow(
      /already exists|duplicate column|no such column/,
    );
    expect(names()).toEqual([earlier, basename(copyPath(path))]);
    const copy = openDatabase(copyPath(path), { readOnly: true });
    expect(copy.prepare(readVersion).get()).toEqual({ version: latest - 1 });
    copy.close();
    removeOlderCopies(path);
    expect(names()).toEqual([basename(copyPath(path))]);
    expect(() => requireRoom(folder, 1_048_576, 2_097_151)).toThrow(
      /takes 2 MiB in .*, half of them for a copy .* 1 MiB are free\..* Nothing was changed\.$/,
    );
    expect(requireRoom(folder, 1_048_576, 2_097_152)).toBe(undefined);
    database.close();
  });

  test('[RUN-5] [RUN-6] Migration takes the newest time that it finds as the last trusted time', () => {
    const database = openDatabase(databasePath(folder));
    migrateSqlite(database);
    const believed = () => database.prepare('SELECT believed_at FROM believed_time').all();
    expect(believed()).toEqual([]);
    database.exec(
      "INSERT INTO nodes (id, started_at, beat, ended) VALUES (1, 7000, 0, 0); INSERT INTO provisioned VALUES ('file', 'hash', 9000)",
    );
    database.exec('DROP TABLE believed_time');
    const step = migrations.find(({ what }) => what === 'the time of day that was believed last');
    for (const statement of step?.statements('sqlite') ?? []) database.exec(statement);
    expect(believed()).toMatchObject([{ believed_at: 9_000 }]);
    database.close();
  });

  test.each(stepsWithRows)('$title', (one) => {
    const database = openDatabase(databasePath(folder));
    for (const statement of statementsOf(one, 'sqlite')) database.exec(statement);
    expect(database.prepare(one.read).all()).toMatchObject(one.rows);
    database.close();
  });

  test('[RUN-5] Processes that start at the same time on an empty folder all open the store', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => openSqliteStore({ folder, worker: testWorker })));
    await Promise.all(stores.map((store) => store.close()));
  });
});

describePostgres('migration of PostgreSQL', () => {
  let database: FreshDatabase;
  let pool: pg.Pool;
  let client: pg.PoolClient;
  beforeEach(async () => {
    database = await freshDatabase('empty');
    pool = new pg.Pool({ connectionString: database.url });
    client = await pool.connect();
  });
  afterEach(async () => {
    client.release();
    await pool.end();
    await database.drop();
  });

  const openStore = () => openPostgresStore({ url: database.url, log: { warn: () => undefined } });

  test('[RUN-5] Migration brings a fresh PostgreSQL database to this version, and does nothing the second time', async () => {
    expect(await migratePostgres(client)).toEqual({ from: 0, to: schemaVersion });
    const schema = await describePostgresSchema(client);
    expect(await migratePostgres(client)).toEqual({ from: schemaVersion, to: schemaVersion });
    expect(await describePostgresSchema(client)).toEqual(schema);
  });

  test('[RUN-5] A PostgreSQL store with a newer schema is refused with a sentence that names both versions', async () => {
    await migratePostgres(client);
    await client.query(writeNewerVersion);
    const opening = openStore();
    await expect(opening).rejects.toThrow(StartError);
    await expect(opening).rejects.toThrow(/schema version \d+, but this version of Carillon knows only \d+/);
  });

  test('[RUN-5] A migration step that fails leaves nothing behind, releases the lock, and can be tried again', async () => {
    await client.query(obstacle);
    await expect(openStore()).rejects.toThrow(/"users" already exists/);
    expect(Object.keys(await describePostgresSchema(client))).toEqual(['schema_versions', 'users']);
    await client.query('DROP TABLE users');
    expect(await migratePostgres(client)).toEqual({ from: 0, to: schemaVersion });
  });

  test('[RUN-5] [RUN-2] Nodes that start at the same time on an empty database all open the store, and one node migrates it', async () => {
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore()));
    await Promise.all(stores.map((store) => store.close()));
    const { rows } = await client.query('SELECT version FROM schema_versions ORDER BY version');
    expect(rows.map(({ version }) => version)).toEqual(migrations.map(({ version }) => version));
  });

  test.each(stepsWithRows)('$title', async (one) => {
    for (const statement of statementsOf(one, 'postgres')) await client.query(statement);
    expect((await client.query(one.read)).rows).toEqual(one.rows);
  });

  test('[RUN-5] A start waits for a node that migrates, longer than a statement of a request may wait', async () => {
    const limited = new pg.Pool({ connectionString: database.url, statement_timeout: 200 });
    const waiting = await limited.connect();
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock(7166014332)');
    const migrated = migratePostgres(waiting);
    await pause(500);
    await client.query('COMMIT');
    expect(await migrated).toEqual({ from: 0, to: schemaVersion });
    const { rows } = await waiting.query('SHOW statement_timeout');
    expect(rows).toEqual([{ statement_timeout: '200ms' }]);
    waiting.release();
    await limited.end();
  });

  test('[RUN-2] [RUN-5] SQLite and PostgreSQL have the same tables, columns, keys, indexes and references', async () => {
    await migratePostgres(client);
    const sqlite = openDatabase(':memory:');
    migrateSqlite(sqlite);
    const expected = describeSqlite(sqlite);
    sqlite.close();
    expect(Object.keys(expected).length).toBeGreaterThan(10);
    expect(await describePostgresSchema(client)).toEqual(expected);
  });
});

describePostgres('a database that is not there', () => {
  test('[RUN-2] A PostgreSQL database that is not there stops the start with a sentence that names the variable', async () => {
    const { url, drop } = await freshDatabase('empty');
    await drop();
    const opening = openPostgresStore({ url, log: { warn: () => undefined } });
    await expect(opening).rejects.toThrow(StartError);
    await expect(opening).rejects.toThrow(/DATABASE_URL.*does not exist/);
    const nobody = openPostgresStore({ url: 'postgres://127.0.0.1:9/none', log: { warn: () => undefined } });
    await expect(nobody).rejects.toThrow(/DATABASE_URL.*ECONNREFUSED/);
  });
});

test('[RUN-1] A data folder that cannot be made stops the start with a sentence that names the variable', async () => {
  const opening = openSqliteStore({ folder: '/dev/null/carillon', worker: testWorker });
  await expect(opening).rejects.toThrow(StartError);
  await expect(opening).rejects.toThrow(/CARILLON_DATA/);
});
