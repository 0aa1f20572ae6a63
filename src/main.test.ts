import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../test/harness/program.ts';
import { schemaVersion } from './storage/schema.ts';
import { databasePath, openDatabase } from './storage/sqlite/database.ts';

const provisioning = `
companies: [{ name: A, users: [{ username: alice, password: a long password }] }]
carriers: [{ name: sim, type: simulator }]
`;

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the command line', { timeout: 240_000 }, () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-command-'));
    writeFileSync(join(folder, 'good.yaml'), provisioning);
    writeFileSync(join(folder, 'bad.yaml'), 'companies: [{ nam: A }]\ncarriers: 3\n');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function carillon(
    parameters: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const data = join(folder, 'data');
    const options = { cwd: folder, env: { PATH: process.env.PATH, CARILLON_DATA: data, ...env } };
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [program(), ...parameters], options, (_, stdout, stderr) =>
        resolve({ exitCode: child.exitCode, stdout, stderr }),
      );
    });
  }

  test('[RUN-3] The help command lists every command', async () => {
    const { exitCode, stdout } = await carillon(['help']);
    expect(exitCode).toBe(0);
    for (const command of ['serve', 'apply', 'migrate', 'keys', 'smsc'])
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    expect((await carillon(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('[RUN-3] Asking help for its own help is not an error', async () => {
    const { stdout } = await carillon(['--help']);
    for (const flag of ['--help', '-h'])
      expect(await carillon(['help', flag])).toEqual({ exitCode: 0, stdout, stderr: '' });
  });

  test('[RUN-3] A command that does not exist is refused in one sentence', async () => {
    const { exitCode, stdout, stderr } = await carillon(['aply', 'good.yaml']);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toBe("error: unknown command 'aply'\n(Did you mean apply?)\n");
  });

  test('[RUN-3] The apply command prints what changed, and a dry run changes nothing', async () => {
    const changes = [
      '+ company A',
      '+ user alice in A: roles none',
      '+ carrier sim: type simulator, submitDelayMs 0, receiptDelayMs 500, window 1000, throughput 0',
      '',
    ].join('\n');
    const dry = await carillon(['apply', 'good.yaml', '--dry-run']);
    expect(dry).toEqual({ exitCode: 0, stdout: changes, stderr: 'Dry run: nothing was applied.\n' });
    expect(await carillon(['apply', 'good.yaml'])).toEqual({ exitCode: 0, stdout: changes, stderr: '' });
    expect(await carillon(['apply', 'good.yaml'])).toEqual({
      exitCode: 0,
      stdout: 'no changes\n',
      stderr: '',
    });
  });

  test('[RUN-3] The apply command prints one line for each fault, and fails', async () => {
    const { exitCode, stdout, stderr } = await carillon(['apply', 'bad.yaml']);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'companies[0] (line 1, column 13): needs a key "name"',
      'companies[0].nam (line 1, column 15): unknown key; did you mean "name"?',
      'carriers (line 2, column 11): must be a list, not 3',
    ]);
    const absent = await carillon(['apply', 'absent.yaml']);
    expect(absent.exitCode).toBe(1);
    expect(absent.stderr).toMatch(/^The provisioning file absent\.yaml cannot be read: .*\n$/);
  });

  test('[RUN-1] An invalid environment variable ends the start with one sentence, without a stack trace', async () => {
    const ended = await carillon(['serve'], { CARILLON_HTTP: 'everywhere' });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe(
      'CARILLON_HTTP must be host:port, such as 127.0.0.1:8080 or [::1]:8080, not "everywhere".\n',
    );
  });

  test('[RUN-1] A command names environment variables that are not settings, and goes on', async () => {
    const misspelt = { CARILLON_DATTA: 'elsewhere', CARILLON_X: '1' };
    const named = [
      'CARILLON_DATTA is not a setting of Carillon; did you mean CARILLON_DATA?',
      'CARILLON_X is not a setting of Carillon.',
      '',
    ].join('\n');
    for (const words of [
      ['apply', 'good.yaml'],
      ['keys', 'list', 'alice'],
    ])
      expect(await carillon(words, misspelt)).toMatchObject({ exitCode: 0, stderr: named });
  });

  test('[AUTH-5] The keys command says in one sentence what does not exist, and how a time is written', async () => {
    await carillon(['apply', 'good.yaml']);
    expect((await carillon(['keys', 'list', 'alice'])).stdout).toBe('The user alice has no API keys.\n');
    const unknown = await carillon(['keys', 'revoke', 'alice', 'work']);
    expect(unknown.exitCode).toBe(1);
    expect(unknown.stderr).toMatch(/^The user alice has no API key named "work".*\n$/);
    const time = await carillon(['keys', 'expire', 'alice', 'work', 'tomorrow']);
    expect(time.exitCode).toBe(1);
    expect(time.stderr).toMatch(/^“tomorrow” is not a time\..*\n$/);
  });

  test('[DLV-5] The receipts unmatched command shows receipts without a message, and how a carrier’s ids are to be read', async () => {
    await carillon(['apply', 'good.yaml']);
    const none = await carillon(['receipts', 'unmatched']);
    expect(none).toEqual({
      exitCode: 0,
      stdout: 'Every receipt has been matched to its message.\n',
      stderr: '',
    });
    const database = openDatabase(databasePath(join(folder, 'data')));
    const { id } = database.prepare('SELECT id FROM carriers').get() as { id: number };
    const put = database.prepare('INSERT INTO unmatched_receipts VALUES (?, ?, NULL, ?, ?, ?, ?, ?)');
    put.run(id, '1715004', '46701740600', 6, '27', null, Date.UTC(2026, 10, 21));
    put.run(id, null, null, null, null, 'It is "there".', Date.UTC(2026, 10, 22));
    database.close();
    const { exitCode, stdout } = await carillon(['receipts', 'unmatched', '--carrier', 'sim']);
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      "RECEIVED CARRIER CARRIER'S ID TO STATUS ERROR TEXT",
      '2026-11-22T00:00:00Z sim unreadable "It is \\"there\\"."',
      '2026-11-21T00:00:00Z sim 1715004 46701740600 UNDELIVERABLE 27',
      '',
    ]);
    const latest = await carillon(['receipts', 'unmatched', '--limit', '1']);
    expect(latest.stdout.trim().split('\n')).toHaveLength(2);
    const unknown = await carillon(['receipts', 'unmatched', '--carrier', 'nobody']);
    expect(unknown).toMatchObject({ exitCode: 1, stderr: 'There is no carrier nobody.\n' });
    const limit = await carillon(['receipts', 'unmatched', '--limit', 'all']);
    expect(limit.stderr).toBe('The limit must be a number from 1 to 10000, not "all".\n');
  });

  test('[RUN-5] The migrate command makes the schema, and refuses one made by a newer version', async () => {
    const data = join(folder, 'migrated');
    const { exitCode, stdout } = await carillon(['migrate'], { CARILLON_DATA: data });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`schema version ${schemaVersion}`);
    const database = openDatabase(databasePath(data));
    database
      .prepare('INSERT INTO schema_versions VALUES (?, ?, ?)')
      .run(schemaVersion + 1, 'from the future', 0);
    database.close();
    for (const command of [['migrate'], ['apply', 'good.yaml'], ['serve']]) {
      const refused = await carillon(command, { CARILLON_DATA: data, CARILLON_HTTP: '127.0.0.1:0' });
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toMatch(/^The database has schema version .* knows only .*\n$/);
    }
  });
});
