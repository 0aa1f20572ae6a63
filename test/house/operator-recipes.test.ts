/** Recipes of docs/operations.md do what they say, as they are printed. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databasePath, openDatabase } from '../../src/storage/sqlite/database.ts';
import { root } from './sources.ts';

const operations = readFileSync(join(root, 'docs/operations.md'), 'utf8');

function recipes(heading: string, language: string): readonly string[] {
  const [, section = ''] = new RegExp(`^## ${heading}\n([\\s\\S]*?)^## `, 'm').exec(operations) ?? [];
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  );
}

const isInstalled = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

describe.skipIf(process.platform === 'win32')('recipes of docs/operations.md', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-recipes-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const backups = recipes('Backup and restore', 'sh');

  /** What `pg_dump` does needs a server. */
  const ofSqlite = backups.filter((recipe) => recipe.includes('carillon.db'));

  test('[RUN-4] backups are their owner’s alone', () => {
    for (const recipe of backups) expect(recipe).toMatch(/^umask 077\n/);
    expect([backups.length, ofSqlite.length]).toEqual([3, 2]);
    mkdirSync(join(folder, 'data'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const database = openDatabase(databasePath(join(folder, 'data')));
    database.exec("CREATE TABLE kept (text TEXT); INSERT INTO kept VALUES ('Hello');");
    writeFileSync(join(folder, 'data', 'secret'), 'a secret\n');
    for (const recipe of ofSqlite) {
      if (recipe.includes('sqlite3 data') && !isInstalled('sqlite3')) continue;
      // As on most machines.
      execFileSync('sh', ['-euc', `umask 022; ${recipe}`], { cwd: folder });
      const files = readdirSync(join(folder, 'backup')).map((name) => join(folder, 'backup', name));
      expect(files).toContain(join(folder, 'backup', 'carillon.db'));
      for (const path of files) expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600]);
      const copy = openDatabase(join(folder, 'backup', 'carillon.db'), { readOnly: true });
      expect(copy.prepare('SELECT text FROM kept').all()).toEqual([{ text: 'Hello' }]);
      copy.close();
      rmSync(join(folder, 'backup'), { recursive: true });
    }
    database.close();
  });

  test('[RUN-4] the unit of systemd always restarts the server, and lets it write to its own folder alone', () => {
    const [unit = ''] = recipes('Running', 'ini');
    const [, ofUnit = '', service = ''] =
      /^\[Unit\]\n([\s\S]*)^\[Service\]\n([\s\S]*)^\[Install\]/m.exec(unit) ?? [];
    expect(ofUnit.split('\n')).toContain('StartLimitIntervalSec=0');
    expect(service.split('\n')).toEqual(
      expect.arrayContaining([
        ...['Restart=always', 'RestartSec=5', 'UMask=0077', 'NoNewPrivileges=yes', 'CapabilityBoundingSet='],
        ...['ProtectSystem=strict', 'StateDirectory=carillon'],
      ]),
    );
    // Node.js writes the machine code that it runs.
    expect(unit).not.toContain('MemoryDenyWriteExecute');
    if (!isInstalled('systemd-analyze')) return;
    const path = join(folder, 'carillon.service');
    // What is to be run is not installed here.
    writeFileSync(path, unit.replace('/usr/bin/node', process.execPath).replace('/opt/carillon', root));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
    // It reports on other units of the machine too.
    expect(`${stdout}\n${stderr}`.split('\n').filter((line) => line.includes('carillon'))).toEqual([]);
  });
});
