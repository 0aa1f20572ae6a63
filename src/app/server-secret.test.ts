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
  test('[AUTH-5] The server secret is generated once, readable by its owner only, and kept', () => {
    const folder = join(freshFolder(), 'data');
    const secret = secretIn(folder);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(secretIn(folder)).toBe(secret);
    expect(readdirSync(folder)).toEqual(['secret']);
    expect(readFileSync(join(folder, 'secret'), 'utf8').trim()).toBe(secret);
    expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600);
    expect(secretIn(freshFolder())).not.toBe(secret);
  });

  test('[AUTH-5] The server uses the operator’s secret when one is set', () => {
    const folder = freshFolder();
    const config = { secret: 'sixteen letters!', databaseUrl: undefined, dataFolder: folder };
    expect(serverSecret(config)).toBe('sixteen letters!');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('[AUTH-5] The server secret must be set with PostgreSQL, where nodes share no folder', () => {
    const config = { secret: undefined, databaseUrl: 'postgres://db/x', dataFolder: freshFolder() };
    expect(() => serverSecret(config)).toThrow(/^CARILLON_SECRET must be set with PostgreSQL/);
  });

  test('[AUTH-5] A truncated secret file stops the start and is not replaced', () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'secret'), 'cut');
    expect(() => secretIn(folder)).toThrow(/no longer holds the server's secret/);
    expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('cut');
  });

  test('[AUTH-5] A server secret that cannot be saved stops the start', () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'data'), 'a file in the place of the folder');
    chmodSync(join(folder, 'data'), 0o600);
    expect(() => secretIn(join(folder, 'data'))).toThrow(/Check CARILLON_DATA and its permissions/);
  });
});
