import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makePrivateFile, makePrivateFolder, restrictToOwner, withPrivateUmask } from './private-files.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe.skipIf(process.platform === 'win32')('private files', () => {
  let folder = '';
  let umask = 0;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-private-'));
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
    rmSync(folder, { recursive: true, force: true });
  });

  test('[RUN-4] A new private file or folder is open to its owner only, whatever the umask', () => {
    const inner = join(folder, 'a', 'b');
    makePrivateFolder(inner);
    expect(modeOf(inner)).toBe('700');
    const path = join(inner, 'file');
    makePrivateFile(path);
    expect(modeOf(path)).toBe('600');
    withPrivateUmask(() => writeFileSync(join(inner, 'other'), ''));
    expect([modeOf(join(inner, 'other')), process.umask(0)]).toEqual(['600', 0]);
  });

  test('[RUN-4] An existing private file is closed to others and keeps its content', () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'text');
    chmodSync(path, 0o666);
    makePrivateFile(path);
    expect([modeOf(path), statSync(path).size]).toEqual(['600', 4]);
    chmodSync(path, 0o400);
    expect(restrictToOwner(path)).toBe(true);
    expect(modeOf(path)).toBe('400');
    expect(restrictToOwner(join(folder, 'absent'))).toBe(true);
    expect(existsSync(join(folder, 'absent'))).toBe(false);
  });

  // The system does not let anyone change the mode of these files, not even root.
  test.skipIf(!existsSync('/proc/self/status'))(
    '[RUN-4] A file whose permissions cannot be changed is reported',
    () => expect(restrictToOwner('/proc/self/status')).toBe(false),
  );
});
