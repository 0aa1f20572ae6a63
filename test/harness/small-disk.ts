/** A disk that can be filled: a separate file system, which only root can mount, and not in every container. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns false if the disk could not be mounted. */
export function mountSmallDisk(folder: string, mebibytes: number): boolean {
  return works('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'carillon-test', folder]);
}

export function canMountDisk(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-disk-'));
  const isMounted = mountSmallDisk(folder, 1);
  if (isMounted) unmount(folder);
  rmSync(folder, { recursive: true });
  return isMounted;
}

export function unmount(folder: string): void {
  works('umount', ['--lazy', folder]);
}

/** Returns whether the program succeeded. */
export function works(program: string, parameters: readonly string[]): boolean {
  try {
    execFileSync(program, parameters, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Writes until no space is left. */
export function fill(file: string): void {
  try {
    for (;;) appendFileSync(file, Buffer.alloc(100_000));
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error;
  }
}
