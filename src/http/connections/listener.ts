/** The HTTP or HTTPS server under the routes, with limits against slow and oversized requests. */
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Server as NetServer } from 'node:net';
import type { Logger } from 'pino';
import { StartError } from '../../foundation/errors.ts';
import { refuseTunnel } from './malformed-http.ts';
import { followTlsFiles, readTlsFiles, type TlsFiles } from './tls-files.ts';

const options: ServerOptions = {
  /** A GET carries its recipients in its URL, so that the usual 16 KiB would be few. */
  maxHeaderSize: 65_536,
  headersTimeout: 15_000,
  /** Enough for the largest batch over a slow line. */
  requestTimeout: 300_000,
  /** Longer than proxies keep idle connections, so that the proxy is the one who closes. */
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2_000,
  /** Its absence is answered with a body like every other fault. */
  requireHostHeader: false,
  noDelay: true,
};

/** Also for who connects and never begins. */
const standardHandshakeMs = 10_000;

export interface ListenerParts {
  readonly tls: TlsFiles | undefined;
  readonly log: Logger;
  /** How long a TLS handshake may take. */
  readonly handshakeMs?: number | undefined;
}

/** HTTPS or not, the routes see the same requests and answers. */
export function createListener(
  handler: RequestListener,
  { tls, log, handshakeMs: handshakeTimeout = standardHandshakeMs }: ListenerParts,
): Server {
  const server: Server =
    tls === undefined
      ? createServer(options, handler)
      : createTlsServer({ ...options, handshakeTimeout, ...readTlsFiles(tls) }, handler);
  // Who says that nothing more comes (a half-close, which TLS does not have) still waits for the answer to what came.
  if (tls === undefined) (server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  // An expectation that Node does not know is ignored (RFC 9110 section 10.1.1), rather than refused without a body.
  server.on('checkExpectation', handler);
  // Who waits for the go-ahead gets it when the body is wanted, and else the answer.
  server.on('checkContinue', handler);
  server.on('connect', refuseTunnel);
  // A connection that could not be accepted, for want of file handles say, is no reason to end the process.
  server.once('listening', () => {
    server.on('error', (error) => log.error({ err: error }, 'the HTTP server could not accept a connection'));
  });
  if (tls !== undefined) server.once('close', followTlsFiles(server as unknown as TlsServer, tls, log));
  return server;
}

/** Which of our servers it is, and the setting that its address comes from. */
export interface ListenerName {
  readonly noun: string;
  readonly setting: string;
}

/**
 * Connections that may wait to be accepted. Beyond it the system forgets them, and clients try again after 1, 3 and 7 s;
 * the system's own bound may be lower (Linux: net.core.somaxconn).
 */
export const backlog = 4_096;

/** Returns the port, which the system may have chosen. */
export function listenOn(
  server: NetServer,
  { host, port }: { readonly host: string; readonly port: number },
  { noun, setting }: ListenerName = { noun: 'HTTP server', setting: 'CARILLON_HTTP' },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      const reason = reasonOf(error);
      reject(new StartError(`The ${noun} cannot listen on ${host}:${port} (${setting}): ${reason}`));
    };
    server.once('error', failed);
    server.listen({ host, port, backlog }, () => {
      server.off('error', failed);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function reasonOf(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'another program listens there already.';
    case 'EACCES':
      return 'this user may not use that port.';
    case 'EADDRNOTAVAIL':
      return 'this machine has no such address.';
    default:
      return `${error.message}.`;
  }
}
