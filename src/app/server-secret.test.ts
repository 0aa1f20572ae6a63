import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { serverSecret } from './server-secret.ts';

const folders: string[] = [];

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-secret-'));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function secretIn(dataFolder: string): string {
  return serverSecret({ secret: undefined, databaseUrl: undefined, dataFolder });
}

describe("the server's secret", () => {
  test('[AUTH-5] is made once, readable by its owner only, and kept', () => {
    const folder = join(freshFolder(), 'data');
    const secret = secretIn(folder);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(secretIn(folder)).toBe(secret);
    expect(readdirSync(folder)).toEqual(['secret']);
    expect(readFileSync(join(folder, 'secret'), 'utf8').trim()).toBe(secret);
    expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600);
    expect(secretIn(freshFolder())).not.toBe(secret);
  });

  test('[AUTH-5] is the operator’s own when there is one', () => {
    const folder = freshFolder();
    const config = { secret: 'sixteen letters!', databaseUrl: undefined, dataFolder: folder };
    expect(serverSecret(config)).toBe('sixteen letters!');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('[AUTH-5] must be set with PostgreSQL, where no folder is shared', () => {
    const config = { secret: undefined, databaseUrl: 'postgres://db/x', dataFolder: freshFolder() };
    expect(() => serverSecret(config)).toThrow(/^CARILLON_SECRET must be set with PostgreSQL/);
  });

  test('[AUTH-5] that was cut short is not replaced behind the operator’s back', () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'secret'), 'cut');
    expect(() => secretIn(folder)).toThrow(/does not hold the server's secret any more/);
    expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('cut');
  });

  test('[AUTH-5] that cannot be kept stops the start', () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'data'), 'a file in the place of the folder');
    chmodSync(join(folder, 'data'), 0o600);
    expect(() => secretIn(join(folder, 'data'))).toThrow(/Check CARILLON_DATA and its permissions/);
  });
});
