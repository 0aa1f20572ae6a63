/** Recipes of the documents for operators do what they say, as they are printed. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databasePath, openDatabase } from '../../src/storage/sqlite/database.ts';
import { root } from './sources.ts';

const page = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');

function recipes(document: string, heading: string, language: string): readonly string[] {
  const [, section = ''] = new RegExp(`^## ${heading}\n([\\s\\S]*?)^## `, 'm').exec(page(document)) ?? [];
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  );
}

const isInstalled = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

const pageSize = 4_096;

/** Corrupts the page like a disk that has lost the block. */
function overwrite(path: string, page: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(pageSize, 0xff), 0, pageSize, (page - 1) * pageSize);
  closeSync(file);
}

function rowsIn(path: string): readonly unknown[] {
  const database = openDatabase(path, { readOnly: true });
  try {
    return database.prepare('SELECT text FROM kept').all();
  } finally {
    database.close();
  }
}

function rootPage(database: ReturnType<typeof openDatabase>, table: string): number {
  const root = database.prepare('SELECT rootpage AS page FROM sqlite_schema WHERE name = ?').get(table);
  return (root as { page: number }).page;
}

describe.skipIf(process.platform === 'win32')('recipes for operators', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-recipes-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const backups = recipes('backup.md', 'Back up', 'sh');

  /** `pg_dump` needs a running server. */
  const ofSqlite = backups.filter((recipe) => recipe.includes('carillon.db'));

  test('[RUN-4] Backups made as documented are accessible to their owner only', () => {
    for (const recipe of backups) expect(recipe).toMatch(/^umask 077\n/);
    expect([backups.length, ofSqlite.length]).toEqual([3, 2]);
    mkdirSync(join(folder, 'data'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const database = openDatabase(databasePath(join(folder, 'data')));
    database.exec("CREATE TABLE kept (text TEXT); INSERT INTO kept VALUES ('Hello');");
    writeFileSync(join(folder, 'data', 'secret'), 'a secret\n');
    for (const recipe of ofSqlite) {
      if (recipe.includes('sqlite3 data') && !isInstalled('sqlite3')) continue;
      // The umask of most machines.
      const words = ['-euc', `umask 022; ${recipe}`];
      const said = execFileSync('sh', words, { cwd: folder, encoding: 'utf8' });
      expect(said).toBe(recipe.includes('quick_check') ? 'ok\n' : '');
      const files = readdirSync(join(folder, 'backup')).map((name) => join(folder, 'backup', name));
      expect(files).toContain(join(folder, 'backup', 'carillon.db'));
      for (const path of files) expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600]);
      expect(rowsIn(join(folder, 'backup', 'carillon.db'))).toEqual([{ text: 'Hello' }]);
      rmSync(join(folder, 'backup'), { recursive: true });
    }
    database.close();
  });

  test.skipIf(!isInstalled('sqlite3'))(
    '[RUN-4] [RUN-9] The documented nightly backup takes the place of the one before only when it is whole',
    () => {
      const [, line = ''] =
        /^(?:\S+ ){5}carillon (.+)$/m.exec(recipes('production.md', 'Backup', 'sh').join('')) ?? [];
      const env = { PATH: process.env.PATH, HOME: folder };
      const backUp = () => spawnSync('sh', ['-c', `umask 022; ${line}`], { env }).status;
      const backup = (name: string) => join(folder, 'backup', name);
      const database = openDatabase(databasePath(folder));
      database.exec("CREATE TABLE kept (text TEXT); INSERT INTO kept VALUES ('Hello');");
      writeFileSync(join(folder, 'secret'), 'a secret\n');
      expect(backUp()).toBe(0);
      expect(readdirSync(join(folder, 'backup')).sort()).toEqual(['carillon.db', 'secret']);
      for (const name of ['carillon.db', 'secret']) expect(statSync(backup(name)).mode & 0o777).toBe(0o600);
      database.exec("INSERT INTO kept VALUES ('Later')");
      expect(backUp()).toBe(0);
      const good = [{ text: 'Hello' }, { text: 'Later' }];
      expect(rowsIn(backup('carillon.db'))).toEqual(good);

      const page = rootPage(database, 'kept');
      database.close();
      overwrite(databasePath(folder), page);
      writeFileSync(join(folder, 'secret'), 'another secret\n');
      expect(backUp()).toBe(1);
      expect(() => rowsIn(backup('next.db'))).toThrow('malformed');
      expect(rowsIn(backup('carillon.db'))).toEqual(good);
      expect(readFileSync(backup('secret'), 'utf8')).toBe('a secret\n');
    },
  );

  test.skipIf(!isInstalled('sqlite3'))(
    '[RUN-4] What can be read of a damaged store is saved as documented, and is accessible to its owner only',
    () => {
      const [recipe = ''] = recipes('backup.md', 'A damaged store', 'sh');
      const data = join(folder, 'data');
      mkdirSync(data);
      const database = openDatabase(databasePath(data));
      database.exec("CREATE TABLE kept (text TEXT); INSERT INTO kept VALUES ('Hello');");
      database.exec("CREATE TABLE lost (text TEXT); INSERT INTO lost VALUES ('Gone');");
      const page = rootPage(database, 'lost');
      database.close();
      overwrite(databasePath(data), page);
      const words = ['-euc', `umask 022; ${recipe}`];
      const said = execFileSync('sh', words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
      expect(said).toBe('ok\n');
      for (const path of [join(folder, 'saved.sql'), databasePath(data)])
        expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600]);
      expect(rowsIn(databasePath(data))).toEqual([{ text: 'Hello' }]);
    },
  );

  test('[RUN-4] The documented systemd unit makes no demo company, always restarts the server, and lets it write to its own folder only', () => {
    const [unit = ''] = recipes('running.md', 'Stop', 'ini');
    const [, ofUnit = '', service = ''] =
      /^\[Unit\]\n([\s\S]*)^\[Service\]\n([\s\S]*)^\[Install\]/m.exec(unit) ?? [];
    expect(ofUnit.split('\n')).toContain('StartLimitIntervalSec=0');
    expect(service.split('\n')).toEqual(
      expect.arrayContaining([
        'ExecStart=/usr/bin/node bin/carillon.js serve --no-demo',
        ...['Restart=always', 'RestartSec=5', 'UMask=0077', 'NoNewPrivileges=yes', 'CapabilityBoundingSet='],
        ...['ProtectSystem=strict', 'StateDirectory=carillon'],
      ]),
    );
    // Node.js generates the machine code that it runs.
    expect(unit).not.toContain('MemoryDenyWriteExecute');
    if (!isInstalled('systemd-analyze')) return;
    const path = join(folder, 'carillon.service');
    // The programs in the unit are not installed here.
    writeFileSync(path, unit.replace('/usr/bin/node', process.execPath).replace('/opt/carillon', root));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
    // systemd-analyze also reports on other units of the machine.
    expect(`${stdout}\n${stderr}`.split('\n').filter((line) => line.includes('carillon'))).toEqual([]);
  });
});
