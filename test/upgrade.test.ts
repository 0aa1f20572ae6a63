/**
 * An upgrade: who brings a store of the version before forward, what is said of it, and what becomes of servers of the
 * older version. It waits for the lease of a node that has fallen silent, on both engines at the same time.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaVersion } from '../src/storage/schema.ts';
import { databasePath, openDatabase } from '../src/storage/sqlite/database.ts';
import { lockFolder } from '../src/storage/sqlite/folder-lock.ts';
import { standardProvisioning, startWholeApp, type WholeApp } from './harness/app.ts';
import { until } from './harness/awake.ts';
import { describePostgres, eachEngine } from './harness/engines.ts';
import { lookInto, makeOlderStore, type OlderStore, olderVersion } from './harness/older-store.ts';

const storedVersion = 'SELECT MAX(version) AS version FROM schema_versions';
const provisioned = ['apply', 'provisioning.yaml'];

eachEngine(
  'a store of the version before',
  (engine) =>
    describe.sequential('step by step', () => {
      let app: WholeApp;
      let older: OlderStore;
      const copy = () => `${databasePath(older.folder)}.before-${schemaVersion}`;
      const version = async () => (await older.query(storedVersion))[0]?.version;

      beforeAll(async () => {
        app = await startWholeApp({ engine, provisioning: standardProvisioning });
        await app.stop();
        older = await makeOlderStore(engine);
        Object.assign(app.env, older.env);
      });
      afterAll(async () => {
        await app.close();
        await older.remove();
      });

      async function expectRefused(commands: readonly (readonly string[])[], said: RegExp): Promise<void> {
        for (const command of commands) {
          const { exitCode, stderr } = await app.run(...command);
          expect([command, exitCode, await version()]).toEqual([command, 1, olderVersion]);
          expect(stderr, command.join(' ')).toMatch(said);
        }
        expect(existsSync(copy())).toBe(false);
      }

      test('[RUN-5] is read and changed by no command of this version, which say what to do', () =>
        expectRefused(
          [
            ...[['carriers'], ['usage'], ['user', 'list'], ['message', '1000000001'], ['batch', 'list']],
            ...[
              ['watch', 'Nordic Care'],
              ['secret', 'accept'],
              ['jobs', 'list'],
              ['webhooks', 'list'],
            ],
            ...[provisioned, [...provisioned, '--dry-run']],
          ],
          new RegExp(
            `^The database has schema version ${olderVersion}, and this version of Carillon knows ${schemaVersion}\\. .*carillon migrate\\.\\n$`,
          ),
        ));

      test('[RUN-5] is not migrated while a node beats, which the refusal names', async () => {
        await older.query(`INSERT INTO nodes VALUES (7, ${Date.UTC(2026, 10, 21)}, 40, 0)`);
        const beating = setInterval(() => {
          void older.query('UPDATE nodes SET beat = beat + 1 WHERE id = 7').catch(() => undefined);
        }, 300);
        try {
          await expectRefused(
            [['migrate'], ['serve']],
            /^(\{.*\n)*The store can't be migrated while a server uses it: node 7, which has beaten since 2026-11-21T00:00:00Z\. .*\n$/,
          );
        } finally {
          clearInterval(beating);
        }
      });

      test.runIf(engine === 'sqlite')(
        '[RUN-5] is not migrated by a command while a server has its folder',
        async () => {
          const lock = lockFolder(older.folder);
          try {
            await expectRefused(
              [['migrate']],
              new RegExp(`: the process ${process.pid} has the data folder .* \\(node 7, which`),
            );
            await expectRefused(
              [['serve']],
              new RegExp(`^Another Carillon server uses .* \\(process ${process.pid}\\)`),
            );
          } finally {
            lock.release();
          }
        },
      );

      test('[RUN-5] is migrated when its node is silent for a lease, with a line before and one after', async () => {
        const { exitCode, stdout } = await app.run('migrate');
        expect([exitCode, await version()]).toEqual([0, schemaVersion]);
        expect(stdout.split('\n')).toEqual([
          expect.stringMatching(/^the store is to be migrated.*"nodeIds":\[7\]/),
          expect.stringMatching(
            new RegExp(`^the schema of the store is brought .*"from":${olderVersion},"to":${schemaVersion}`),
          ),
          expect.stringMatching(
            new RegExp(
              `^the schema of the store has been brought .*"from":${olderVersion},"to":${schemaVersion}`,
            ),
          ),
          `The database has schema version ${schemaVersion}, that of this version of Carillon.`,
          '',
        ]);
      });

      test.runIf(engine === 'sqlite')(
        '[RUN-5] leaves a copy of what was there before, its owner’s alone',
        () => {
          expect(statSync(copy()).mode & 0o777).toBe(0o600);
          const before = openDatabase(copy(), { readOnly: true });
          expect(before.prepare(storedVersion).get()).toEqual({ version: olderVersion });
          expect(before.prepare('SELECT id FROM nodes').all()).toMatchObject([{ id: 7 }]);
          before.close();
          expect(readdirSync(older.folder).filter((name) => name.endsWith('.part'))).toEqual([]);
        },
      );

      test('[RUN-5] is then served, and asks for no migration any more', async () => {
        const told = app.stderr.length;
        await app.restart();
        expect(app.stderr.slice(told)).not.toContain('brought forward');
        expect((await app.run('carriers')).exitCode).toBe(0);
        expect(await app.run('migrate')).toMatchObject({
          exitCode: 0,
          stdout: `The database has schema version ${schemaVersion}, that of this version of Carillon.\n`,
        });
        expect(await app.stop()).toBe(0);
      });
    }),
  { concurrent: true },
);

eachEngine(
  'a server',
  (engine) => {
    const roles = engine === 'sqlite' ? [[]] : [[], ['--roles', 'http']];
    describe.each(roles.map((parameters) => [parameters]))('with %j', (serve) => {
      let app: WholeApp;
      let older: OlderStore;
      beforeAll(async () => {
        app = await startWholeApp({ engine, provisioning: standardProvisioning, serve });
        await app.stop();
        older = await makeOlderStore(engine);
      });
      afterAll(async () => {
        await app.close();
        await older.remove();
      });

      test('[RUN-5] migrates a store of the version before, and says so; ends when a newer version has migrated it', async () => {
        const told = app.stderr.length;
        Object.assign(app.env, older.env);
        await app.restart();
        const lines = app.stderr.slice(told).split('\n');
        const migrated = lines.filter((line) =>
          line.includes(`"from":${olderVersion},"to":${schemaVersion}`),
        );
        expect(migrated.map((line) => JSON.parse(line).level)).toEqual(['info', 'info']);
        const newer = `INSERT INTO schema_versions VALUES (${schemaVersion + 1}, 'a step of the future', 0)`;
        await lookInto(app.env).query(newer);
        await until(() => app.pid === undefined, 60_000);
        expect(app.lastExitCode).toBe(1);
        expect(app.stderr).toMatch(
          new RegExp(`"level":"fatal".*The database has schema version ${schemaVersion + 1}, but .*`),
        );
        for (const command of [['serve'], ['carriers'], ['migrate']])
          expect(await app.run(...command)).toMatchObject({
            exitCode: 1,
            stderr: expect.stringMatching(/^The database has schema version .* knows only .*\n$/),
          });
      });
    });
  },
  { concurrent: true },
);

describePostgres('a node that only accepts', () => {
  test('[RUN-5] beats as long as it lives, under a new id when it was declared dead, and says that it ends', async (context) => {
    const app = await startWholeApp({
      engine: 'postgres',
      provisioning: standardProvisioning,
      serve: ['--roles', 'http'],
    });
    context.onTestFinished(() => app.close());
    const { query } = lookInto(app.env);
    const alive = async () =>
      (await query('SELECT id FROM nodes WHERE ended = 0')).map(({ id }) => Number(id));
    const [first] = await alive();
    await until(async () => (await query('SELECT id FROM nodes WHERE beat > 1')).length === 1, 60_000);
    await query('UPDATE nodes SET ended = 1');
    await until(async () => (await alive()).length === 1, 60_000);
    expect(await alive()).not.toEqual([first]);
    expect(await app.stop()).toBe(0);
    expect(await alive()).toEqual([]);
  });
});
