import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { until } from '../../test/harness/awake.ts';
import { type EngineName, freshDatabase } from '../../test/harness/engines.ts';
import { eachStore, testWorker } from '../../test/harness/stores.ts';
import { systemClock } from '../foundation/clock.ts';
import { applyFile } from '../provisioning/apply.ts';
import { openPostgresStore } from '../storage/postgres/store.ts';
import { migrations } from '../storage/schema.ts';
import { keepSecretCheck, secretCheck } from '../storage/secret-check.ts';
import type { Dialect } from '../storage/sql.ts';
import { databasePath, openDatabase } from '../storage/sqlite/database.ts';
import { openSqliteStore } from '../storage/sqlite/store.ts';
import type { Store } from '../storage/store.ts';
import { readCarriers } from './follow-carriers.ts';
import { joinStore, unreadableCarriers } from './join-store.ts';
import { requireSecret } from './open-store.ts';
import { weaknessOf } from './server-secret.ts';

const first = 'the first secret, of many characters';
const second = 'the second secret, of many characters';
const weak = 'sixteen letters!';
const password = 'hunter2-of-the-smsc';
const unwarned = (sentence: string) => expect.unreachable(sentence);

const provisioning = `
carriers:
  - { name: north, type: smpp, host: smsc.example, systemId: us, password: ${password} }
  - { name: sim, type: simulator }
`;

describe('the strength of a secret', () => {
  test.each([
    ['0123456789abcdef0123456789abcdef', true],
    ['correct horse battery staple, twice', true],
    ['0123456789abcdef0123456789abcde', false],
    ['a'.repeat(64), false],
    ['12345678901234567890123456789012', false],
    ['abcdefghijklmnopqrstuvwxyzabcdefgh', false],
    ['--------------------------------', false],
  ])('[AUTH-5] The server checks whether %s is a strong secret', (secret, isStrong) => {
    const weakness = weaknessOf(secret);
    if (isStrong) expect(weakness).toBe(undefined);
    else expect(weakness).toMatch(/CARILLON_SECRET.*openssl rand -hex 32/);
  });
});

/** Acts as another program on the database. */
async function inDatabase(dialect: Dialect, place: string, statements: readonly string[]): Promise<void> {
  if (dialect === 'sqlite') {
    const database = openDatabase(databasePath(place));
    // Earlier versions used this setting.
    database.exec('PRAGMA secure_delete = OFF');
    for (const statement of statements) database.exec(statement);
    return database.close();
  }
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** The schema from before a store was tied to a secret. */
function earlierSchema(dialect: Dialect): readonly string[] {
  const earlier = migrations.filter(({ version }) => version < 15);
  return [
    'CREATE TABLE schema_versions (version INTEGER NOT NULL PRIMARY KEY, what TEXT NOT NULL, applied_at BIGINT NOT NULL)',
    ...earlier.flatMap(({ statements }) => statements(dialect)),
    `INSERT INTO schema_versions VALUES ${earlier.map(({ version }) => `(${version}, 'step', 0)`).join(', ')}`,
  ];
}

interface OldStore {
  readonly store: Store;
  readonly place: string;
  close(): Promise<void>;
}

/** A store that an earlier version has filled, opened by this version. */
async function openOldStore(engine: EngineName, statements: readonly string[]): Promise<OldStore> {
  if (engine === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-old-'));
    await inDatabase('sqlite', folder, [...earlierSchema('sqlite'), ...statements]);
    const store = await openSqliteStore({ folder, worker: testWorker });
    const close = async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    };
    return { store, place: folder, close };
  }
  const database = await freshDatabase('empty');
  await inDatabase('postgres', database.url, [...earlierSchema('postgres'), ...statements]);
  const store = await openPostgresStore({ url: database.url, log: { warn: () => undefined } });
  const close = async () => {
    await store.close();
    await database.drop();
  };
  return { store, place: database.url, close };
}

const plain = JSON.stringify({ host: 'smsc.example', systemId: 'us', password });
const plainRow = (id: number, name: string, removed: number) =>
  `INSERT INTO carriers (id, name, type, settings, removed) VALUES (${id}, '${name}', 'smpp', '${plain}', ${removed})`;

/** Searches all files of the folder: the database and those that SQLite keeps beside it. */
function isInFiles(folder: string, text: string): boolean {
  return readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text));
}

eachStore('a store and the secret of the server', (engine) => {
  test('[AUTH-5] [RUN-2] A store belongs to the first secret that joins it, and refuses any other', async () => {
    const fresh = await engine.openFreshStore();
    const other = await fresh.openAnother();
    const joining = await Promise.allSettled([
      joinStore(fresh.store, first, unwarned),
      joinStore(other, second, unwarned),
    ]);
    expect(joining.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [held, refused] = joining[0]?.status === 'fulfilled' ? [first, second] : [second, first];
    for (const store of [fresh.store, other]) {
      await joinStore(store, held, unwarned);
      await requireSecret(store, held);
      await expect(joinStore(store, refused, unwarned)).rejects.toThrow(
        /another secret.*CARILLON_SECRET.*secret accept/,
      );
      await expect(requireSecret(store, refused)).rejects.toThrow(/another secret/);
    }
  });

  test('[AUTH-5] A weak secret is refused for a new store, and accepted with a warning for an old store that has it', async () => {
    const fresh = await engine.openFreshStore();
    await expect(joinStore(fresh.store, weak, unwarned)).rejects.toThrow(/32 characters.*new store/);
    await joinStore(fresh.store, first, unwarned);
    await fresh.store.write(keepSecretCheck, { check: secretCheck(weak), replace: true });
    const warnings: string[] = [];
    await joinStore(fresh.store, weak, (sentence) => warnings.push(sentence));
    expect(warnings.join()).toMatch(/32 characters/);
  });

  test('[AUTH-5] A store without a secret of its own takes the first one, even a weak one, and then no other', async () => {
    const fresh = await engine.openFreshStore();
    await inDatabase(engine.name, fresh.place, [plainRow(1, 'north', 0)]);
    const warnings: string[] = [];
    await joinStore(fresh.store, weak, (sentence) => warnings.push(sentence));
    expect(warnings).toHaveLength(1);
    await expect(joinStore(fresh.store, first, unwarned)).rejects.toThrow(/another secret/);
  });

  test('[AUTH-5] [RUN-5] Plain-text carrier passwords of an earlier version are encrypted and disappear from the files', async () => {
    const old = await openOldStore(engine.name, [
      plainRow(1, 'north', 0),
      plainRow(2, 'gone', 1),
      plainRow(3, 'forgotten', 0),
      'DELETE FROM carriers WHERE id = 3',
    ]);
    const { store } = old;
    const sealing = await joinStore(store, first, unwarned);
    await joinStore(store, first, unwarned);
    expect(await readCarriers({ store, sealing })).toMatchObject([{ name: 'north', settings: { password } }]);
    expect(await unreadableCarriers(store, first)).toEqual([]);
    if (engine.name === 'sqlite') await until(() => !isInFiles(old.place, password));
    await old.close();
  });

  test('[RUN-3] [AUTH-5] A provisioning file is applied with its passwords encrypted, and applying it again changes nothing', async () => {
    const fresh = await engine.openFreshStore();
    const { store } = fresh;
    const sealing = await joinStore(store, first, unwarned);
    const apply = async (content: string) => {
      const file = { path: '/p.yaml', content, contentHash: String(content.length) };
      const result = await applyFile({ store, clock: systemClock, sealing }, file);
      return result.kind === 'applied' ? result.lines.join('\n') : result.kind;
    };
    expect(await apply(provisioning)).toMatch(
      /^\+ carrier north: type smpp, host smsc.example, port 2775, systemId us, systemType/,
    );
    expect(await apply(provisioning)).toBe('');
    expect(await apply(provisioning.replace(password, 'another'))).toBe('~ carrier north: password changed');
    expect(await apply(provisioning)).toBe('~ carrier north: password changed');
    if (engine.name === 'sqlite') expect(isInFiles(fresh.place, password)).toBe(false);
    expect(await readCarriers({ store, sealing })).toMatchObject([
      { settings: { password } },
      { name: 'sim' },
    ]);
  });

  test('[AUTH-5] Under another server secret, a carrier is unusable until its password is applied again', async () => {
    const { store } = await engine.openFreshStore();
    const file = { path: '/p.yaml', content: provisioning, contentHash: '' };
    const apply = async (secret: string) => {
      const sealing = await joinStore(store, secret, unwarned);
      await applyFile({ store, clock: systemClock, sealing }, file);
      return sealing;
    };
    await apply(first);
    await store.write(keepSecretCheck, { check: secretCheck(second), replace: true });
    const sealing = await joinStore(store, second, unwarned);
    expect(await unreadableCarriers(store, second)).toEqual(['north']);
    const [north, sim] = await readCarriers({ store, sealing });
    expect(north?.unusable).toMatch(/another server secret/);
    expect(sim?.unusable).toBe(undefined);
    await apply(second);
    expect(await readCarriers({ store, sealing })).toMatchObject([
      { settings: { password } },
      { name: 'sim' },
    ]);
  });
});
