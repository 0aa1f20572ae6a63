/** Connects to an SMSC, with TLS if configured. */
import { readFileSync } from 'node:fs';
import { connect as connectTcp, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { SmppSettings } from '../settings.ts';
import { Connection, type ConnectionEvents, type PeerWords } from './connection.ts';

const words: PeerWords = {
  name: 'the SMSC',
  sentNonsense: ({ fault }) => `what the SMSC sent can't be read any further: ${fault}`,
};

export function connect(
  settings: SmppSettings,
  { connected, ...events }: ConnectionEvents & { connected(): void },
): Connection {
  const { connectTimeoutMs, host, port } = settings;
  const socket = open(settings);
  const connection = new Connection(socket, events, words);
  const timer = setTimeout(
    () => connection.close(`no connection to ${host}:${port} within ${connectTimeoutMs} ms`),
    connectTimeoutMs,
  );
  socket.once('close', () => clearTimeout(timer));
  socket.once(settings.tls ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    connection.guarded(connected);
  });
  return connection;
}

/** Never throws: a file that can't be read is reported like any other reason why there is no connection. */
function open({ host, port, tls, tlsCa, tlsVerify }: SmppSettings): Socket {
  if (!tls) return connectTcp({ host, port });
  try {
    // Read each time, so that a renewed file is used from the next connection on.
    const authority = tlsCa === '' ? {} : { ca: readFileSync(tlsCa) };
    // TLS sends no server name for an address (RFC 6066, 3).
    const servername = isIP(host) === 0 ? { servername: host } : {};
    return connectTls({ host, port, rejectUnauthorized: tlsVerify, ...servername, ...authority });
  } catch (error) {
    return new Socket().destroy(error as Error);
  }
}
