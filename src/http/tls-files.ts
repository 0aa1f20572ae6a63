/** Keeps the server's certificate as new as its files, without a restart (API: authentication, transport). */
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type Server } from 'node:tls';
import type { Logger } from 'pino';
import { StartError } from '../foundation/errors.ts';

export interface TlsFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

export interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

const lookIntervalMs = 1_000;

/** At the start a bad file is a fault of the settings. */
export function readTlsFiles(files: TlsFiles): Pair {
  try {
    return readPair(files);
  } catch (error) {
    throw new StartError(
      `HTTPS cannot start with CARILLON_TLS_CERT ${files.certificateFile} and CARILLON_TLS_KEY ${files.keyFile}: ${(error as Error).message}.`,
    );
  }
}

/**
 * Looks at the files every second. A pair that does not fit together (one file may be written before the other) leaves
 * the old certificate in use until the next change. Call the answer to stop looking.
 */
export function followTlsFiles(
  server: Pick<Server, 'setSecureContext'>,
  files: TlsFiles,
  log: Logger,
): () => void {
  let seen = versionOf(files);
  const timer = setInterval(() => {
    const version = versionOf(files);
    if (version === seen) return;
    seen = version;
    try {
      server.setSecureContext(readPair(files));
      log.info({ file: files.certificateFile }, 'the new TLS certificate is in use');
    } catch (error) {
      log.error(
        { err: error, file: files.certificateFile },
        'the new TLS certificate cannot be used; the old one stays in use until the files change again',
      );
    }
  }, lookIntervalMs).unref();
  return () => clearInterval(timer);
}

function readPair(files: TlsFiles): Pair {
  const pair = { cert: readFileSync(files.certificateFile), key: readFileSync(files.keyFile) };
  // Throws when a file is no PEM or the key belongs to another certificate.
  createSecureContext(pair);
  return pair;
}

function versionOf(files: TlsFiles): string {
  return [files.certificateFile, files.keyFile]
    .map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
      return stat === undefined ? 'missing' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
    })
    .join(', ');
}
