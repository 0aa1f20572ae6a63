/**
 * An upgrade: who migrates a store of the previous version, what is reported, and what happens to servers of the older
 * version. It waits for the lease of a node that has fallen silent, on both engines at the same time.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaVersion } from '../src/storage/schema.ts';
import { databasePath, openDatabase } from '../src/storage/sqlite/database.ts';
import { lockFolder } from '../src/storage/sqlite/folder-lock.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from './harness/app.ts';
import { pause, until } from './harness/awake.ts';
import { describePostgres, eachEngine } from './harness/engines.ts';
import { acceptedOf, inAnHour, query, sendOne, sendPath } from './harness/messaging.ts';
import { dumpOf, makeOlderStore, type OlderStore, olderVersion } from './harness/older-store.ts';

const storedVersion = 'SELECT MAX(version) AS version FROM schema_versions';
const provisioned = ['apply', 'provisioning.yaml'];

/** The standard company, with a carrier that accepts nothing. */
const withIdleCarrier = standardProvisioning
  .replace('roles: [send] }', 'roles: [send, companyAdmin] }')
  .replace(
    '{ name: all, prefix: "", carriers: [sim] }',
    '{ name: all, prefix: "4670", carriers: [sim] }\n  - { name: later, prefix: "4673", carriers: [idle] }',
  )
  .replace('routes:', '  - { name: idle, type: simulator, down: true }\nroutes:');

/** A recipient for each stage that a message may be in. */
const recipients = {
  QUEUED: '46731230020',
  SENT: '46701740601',
  DELIVERED: '46701740620',
  UNDELIVERABLE: '46701740606',
  SCHEDULED: '46701740621',
} as const;

/** Leaves a message in each stage, and returns the list of these messages. */
async function leaveMessages(app: WholeApp): Promise<readonly object[]> {
  for (const [stage, to] of Object.entries(recipients)) {
    const when = stage === 'SCHEDULED' ? { scheduletime: inAnHour() } : {};
    await sendOne(app.as(alice), { to: [to], ...when });
  }
  const stages = Object.entries(recipients).map(([status, to]) => ({ status, to }));
  let messages: readonly object[] = [];
  await until(async () => {
    messages = await listed(app);
    const reached = messages as typeof stages;
    return stages.every((one) => reached.some(({ status, to }) => status === one.status && to === one.to));
  });
  return messages;
}

const listed = async (app: WholeApp) => (await app.as(alice).get('/api/v1/messages')).body.messages;

eachEngine(
  'a store of the version before',
  (engine) =>
    describe.sequential('step by step', () => {
      let app: WholeApp;
      let older: OlderStore;
      let left: readonly object[];
      const copy = () => `${databasePath(older.folder)}.before-${schemaVersion}`;
      const version = async () => (await query(older, storedVersion))[0]?.version;

      beforeAll(async () => {
        app = await startWholeApp({ engine, provisioning: withIdleCarrier });
        left = await leaveMessages(app);
        await app.stop();
        older = await makeOlderStore(engine, app.env);
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

      test('[RUN-5] Commands neither read nor change a store of an older version, and say what to do', () =>
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
            `^The database has schema version ${olderVersion}, but this version of Carillon needs ${schemaVersion}\\. .*carillon migrate\\.\\n$`,
          ),
        ));

      test('[RUN-5] A store is not migrated while a node still sends heartbeats, and the refusal names that node', async () => {
        await query(
          older,
          `INSERT INTO nodes (id, started_at, beat, ended) VALUES (7, ${Date.UTC(2026, 10, 21)}, 40, 0)`,
        );
        const beating = setInterval(() => {
          void query(older, 'UPDATE nodes SET beat = beat + 1 WHERE id = 7').catch(() => undefined);
        }, 300);
        try {
          await expectRefused(
            [['migrate'], ['serve']],
            /^(\{.*\n)*The store can't be migrated while a server uses it: node 7, which has been running since 2026-11-21T00:00:00Z\. .*\n$/,
          );
        } finally {
          clearInterval(beating);
        }
      });

      test.runIf(engine === 'sqlite')(
        '[RUN-5] A store is not migrated by a command while a server has its folder',
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

      test('[RUN-5] A store is migrated when its node has been silent for a lease, with a line before and one after', async () => {
        const { exitCode, stdout } = await app.run('migrate');
        expect([exitCode, await version()]).toEqual([0, schemaVersion]);
        expect(stdout.split('\n')).toEqual([
          expect.stringMatching(/^nodes have not reported that they stopped.*"nodeIds":\[7\]/),
          expect.stringMatching(
            new RegExp(`^migrating the schema of the store; .*"from":${olderVersion},"to":${schemaVersion}`),
          ),
          expect.stringMatching(
            new RegExp(`^migrated the schema of the store.*"from":${olderVersion},"to":${schemaVersion}`),
          ),
          `The database has schema version ${schemaVersion}, which this version of Carillon uses.`,
          '',
        ]);
      });

      test.runIf(engine === 'sqlite')(
        '[RUN-5] A migration leaves a copy of the store as it was before, accessible to its owner only',
        () => {
          expect(statSync(copy()).mode & 0o777).toBe(0o600);
          const before = openDatabase(copy(), { readOnly: true });
          expect(before.prepare(storedVersion).get()).toEqual({ version: olderVersion });
          expect(before.prepare('SELECT id FROM nodes WHERE ended = 0').all()).toMatchObject([{ id: 7 }]);
          before.close();
          expect(readdirSync(older.folder).filter((name) => name.endsWith('.part'))).toEqual([]);
        },
      );

      test('[RUN-5] A migrated store is served, and asks for no further migration', async () => {
        const writtenBefore = app.stderr.length;
        await app.restart();
        expect(app.stderr.slice(writtenBefore)).not.toContain('the schema of the store');
        expect((await app.run('carriers')).exitCode).toBe(0);
        expect(await app.run('migrate')).toMatchObject({
          exitCode: 0,
          stdout: `The database has schema version ${schemaVersion}, which this version of Carillon uses.\n`,
        });
      });

      test('[RUN-5] [PORT-4] [PORT-7] A migrated store lists the messages that it had, in every stage, and erases them', async () => {
        expect(await listed(app)).toEqual(left);
        const erasureOf = async (to: string) =>
          (await app.as(alice).get(`/api/v1/people/${to}`)).body.erasure;
        const all = Object.values(recipients);
        for (const to of all)
          expect((await app.as(alice).post(`/api/v1/people/${to}/erase`, {})).status).toBe(200);
        const gone = all.filter((to) => to !== recipients.SENT);
        for (const to of gone) {
          await until(async () => (await erasureOf(to)).done !== undefined);
          expect(await erasureOf(to)).toMatchObject({ kept: [] });
        }
        // As long as a message at its carrier awaits its receipt, its recipient's number is kept.
        await until(async () => (await erasureOf(recipients.SENT)).kept.length > 0);
        expect(await erasureOf(recipients.SENT)).toMatchObject({ kept: [{ by: 'messages', count: 1 }] });
        expect(await listed(app)).toMatchObject([{ to: recipients.SENT, status: 'SENT' }]);
        const dump = await dumpOf(app.env);
        expect(dump.filter((row) => gone.some((to) => row.includes(to)))).toEqual([]);
        expect(await app.stop()).toBe(0);
      });
    }),
  { concurrent: true },
);

/** Sends until the server is gone, and adds what it accepted to the ids. */
async function sendUntilGone(app: WholeApp, ids: string[]): Promise<void> {
  while (app.pid !== undefined) {
    // A call that is cut off by the end of the server has no response.
    const answer = await app
      .as(alice)
      .post(sendPath, { to: [recipients.DELIVERED], message: 'Hi' })
      .catch(() => undefined);
    if (answer?.status === 200) ids.push(...acceptedOf(answer).map(({ id }) => id));
    await pause(20);
  }
}

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

      test('[RUN-5] A server migrates an older store and says so, and ends without storing more once a newer version migrates it', async () => {
        const before = app.stderr.length;
        Object.assign(app.env, older.env);
        await app.restart();
        const lines = app.stderr.slice(before).split('\n');
        const migrated = lines.filter((line) =>
          line.includes(`"from":${olderVersion},"to":${schemaVersion}`),
        );
        expect(migrated.map((line) => JSON.parse(line).level)).toEqual(['info', 'info']);
        const newer = `INSERT INTO schema_versions VALUES (${schemaVersion + 1}, 'a step of the future', 0)`;
        const accepted: string[] = [];
        const sending = sendUntilGone(app, accepted);
        await until(() => accepted.length > 0);
        await query(app, newer);
        await until(() => app.pid === undefined);
        await sending;
        expect(app.lastExitCode).toBe(1);
        const fatal = JSON.parse(/^.*"level":"fatal".*$/m.exec(app.stderr)?.[0] ?? '{}');
        expect(fatal.msg).toMatch(
          new RegExp(`^The database has schema version ${schemaVersion + 1}, but .* This process ends\\.$`),
        );
        const failedAt = Date.parse(fatal.time);
        const stored = await query(app, 'SELECT id, created_at, changed_at FROM messages');
        expect(
          stored.filter((one) => Math.max(Number(one.created_at), Number(one.changed_at)) > failedAt),
        ).toEqual([]);
        const ids = new Set(stored.map(({ id }) => String(id)));
        expect(accepted.filter((id) => !ids.has(id))).toEqual([]);
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
  test('[RUN-5] A node sends heartbeats as long as it lives, under a new id if declared dead, and records that it ends', async (context) => {
    const app = await startWholeApp({
      engine: 'postgres',
      provisioning: standardProvisioning,
      serve: ['--roles', 'http'],
    });
    context.onTestFinished(() => app.close());
    const alive = async () =>
      (await query(app, 'SELECT id FROM nodes WHERE ended = 0')).map(({ id }) => Number(id));
    const [first] = await alive();
    await until(async () => (await query(app, 'SELECT id FROM nodes WHERE beat > 1')).length === 1);
    await query(app, 'UPDATE nodes SET ended = 1');
    await until(async () => (await alive()).length === 1);
    expect(await alive()).not.toEqual([first]);
    expect(await app.stop()).toBe(0);
    expect(await alive()).toEqual([]);
  });
});
