/** The HTTP or HTTPS server beneath the routes, with limits against slow and oversized requests. */
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Server as NetServer } from 'node:net';
import type { Logger } from 'pino';
import { StartError } from '../../foundation/errors.ts';
import { refuseTunnel } from './malformed-http.ts';
import { followTlsFiles, readTlsFiles, type TlsFiles } from './tls-files.ts';

const options: ServerOptions = {
  /** A GET carries its recipients in its URL, so the default of 16 KiB would allow only a few. */
  maxHeaderSize: 65_536,
  headersTimeout: 15_000,
  /** Enough for the largest batch over a slow line. */
  requestTimeout: 300_000,
  /** Longer than proxies keep idle connections, so that the proxy is the one to close them. */
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2_000,
  /** A missing Host header gets an error body like every other fault. */
  requireHostHeader: false,
  noDelay: true,
};

/** Also applies to clients that connect but never begin. */
const standardHandshakeMs = 10_000;

export interface ListenerParts {
  readonly tls: TlsFiles | undefined;
  readonly log: Logger;
  readonly handshakeMs?: number | undefined;
}

/** With or without HTTPS, the routes see the same requests and responses. */
export function createListener(
  handler: RequestListener,
  { tls, log, handshakeMs: handshakeTimeout = standardHandshakeMs }: ListenerParts,
): Server {
  const server: Server =
    tls === undefined
      ? createServer(options, handler)
      : createTlsServer({ ...options, handshakeTimeout, ...readTlsFiles(tls) }, handler);
  // A client that closes its sending side (a half-close, which TLS does not have) still gets responses to what it sent.
  if (tls === undefined) (server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  // An unknown expectation is ignored (RFC 9110 section 10.1.1); Node would refuse it without a body.
  server.on('checkExpectation', handler);
  // A client that waits for `100 Continue` gets it if the body is wanted, and otherwise the response.
  server.on('checkContinue', handler);
  server.on('connect', refuseTunnel);
  // A connection that could not be accepted, for example for lack of file handles, must not end the process.
  server.once('listening', () => {
    server.on('error', (error) => log.error({ err: error }, 'the HTTP server could not accept a connection'));
  });
  if (tls !== undefined) server.once('close', followTlsFiles(server as unknown as TlsServer, tls, log));
  return server;
}

/** Which of our servers this is, and the setting that determines its address. */
export interface ListenerName {
  readonly noun: string;
  readonly setting: string;
}

/**
 * Connections that may wait to be accepted. The system drops any others, and clients retry after 1, 3 and 7 s; the
 * system's own limit may be lower (Linux: net.core.somaxconn).
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
      return 'another program is already listening there.';
    case 'EACCES':
      return 'this user may not use that port.';
    case 'EADDRNOTAVAIL':
      return 'this machine has no such address.';
    default:
      return `${error.message}.`;
  }
}
