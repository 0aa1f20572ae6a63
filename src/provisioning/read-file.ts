/** Brings the content of a provisioning file from the disk, with what tells it from another content. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartError } from '../foundation/errors.ts';

export interface ProvisioningFile {
  /** Absolute. */
  readonly path: string;
  readonly content: string;
  readonly contentHash: string;
}

const maxMebibytes = 64;

export function readProvisioningFile(path: string): ProvisioningFile {
  let bytes: Buffer;
  try {
    if (statSync(path).size > maxMebibytes * 2 ** 20) {
      throw new StartError(`The provisioning file ${path} is larger than ${maxMebibytes} MiB.`);
    }
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`The provisioning file ${path} cannot be read: ${(error as Error).message}.`);
  }
  try {
    const content = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { path: resolve(path), content, contentHash: createHash('sha256').update(bytes).digest('hex') };
  } catch {
    // The decoder says no more than that.
    throw new StartError(`The provisioning file ${path} is not UTF-8 text.`);
  }
}
