/** Keeps the server's certificate as current as its files, without a restart (API: authentication, transport). */
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls';
import type { Logger } from 'pino';
import { StartError } from '../../foundation/errors.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';

export interface TlsFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/**
 * Forward secrecy: recorded connections stay unreadable even if the key is stolen later, since each has a secret of its own.
 * TLS 1.3 always has it; for TLS 1.2 only these suites remain, which also authenticate each record (RFC 9325, section
 * 4.2).
 */
const forwardSecret = {
  minVersion: 'TLSv1.2',
  ciphers: ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305']
    .flatMap((cipher) => [`ECDHE-ECDSA-${cipher}`, `ECDHE-RSA-${cipher}`])
    .join(':'),
  honorCipherOrder: true,
} as const satisfies SecureContextOptions;

const lookIntervalMs = 1_000;

/** At the start a bad file is a configuration error. */
export function readTlsFiles(files: TlsFiles): SecureContextOptions {
  try {
    return readContext(files);
  } catch (error) {
    throw new StartError(
      `HTTPS cannot start with CARILLON_TLS_CERT ${files.certificateFile} and CARILLON_TLS_KEY ${files.keyFile}: ${(error as Error).message}.`,
    );
  }
}

/**
 * Checks the files every second. Mismatched files (one may be written before the other) leave the old certificate in use
 * until the next change. Call the returned function to stop.
 */
export function followTlsFiles(
  server: Pick<Server, 'setSecureContext'>,
  files: TlsFiles,
  log: Logger,
): () => void {
  let seen = versionOf(files);
  const failed = (error: unknown) =>
    log.error(
      { err: error, file: files.certificateFile },
      'the new TLS certificate cannot be used; the old one stays in use until the files change again',
    );
  const checks = new WokenLoop({ pauseMs: lookIntervalMs, failed }, () => {
    const version = versionOf(files);
    if (version === seen) return;
    seen = version;
    server.setSecureContext(readContext(files));
    log.info({ file: files.certificateFile }, 'the new TLS certificate is in use');
  }).start();
  return () => void checks.stop();
}

/**
 * When the server's own certificate, the first in its file, expires; milliseconds since 1970. Throws if it cannot be read.
 */
export function certificateEnd({ certificateFile }: TlsFiles): number {
  return Date.parse(new X509Certificate(readFileSync(certificateFile)).validTo);
}

/** Always complete, because a server resets whatever a new context does not specify. */
function readContext(files: TlsFiles): SecureContextOptions {
  const { certificateFile, keyFile } = files;
  const context = { ...forwardSecret, cert: readFileSync(certificateFile), key: readFileSync(keyFile) };
  // Throws if a file is not PEM or the key belongs to another certificate.
  createSecureContext(context);
  return context;
}

function versionOf(files: TlsFiles): string {
  return [files.certificateFile, files.keyFile]
    .map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
      return stat === undefined ? 'missing' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
    })
    .join(', ');
}
