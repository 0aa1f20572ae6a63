/**
 * Asks whether there is room for a connection as soon as it is there. The library asks 100 ms later, and keeps the socket of
 * who is refused then for 5 s: nobody is to have a place for so long without having been counted.
 */
import type { Socket } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { plainAddress } from '../../http/origin.ts';

export interface NewConnection {
  /** That of its session. */
  readonly id: string;
  readonly address: string;
  /** At once, without a word. */
  destroy(): void;
}

export function admitConnections(server: SMTPServer, admits: (connection: NewConnection) => boolean): void {
  const connect = server.connect.bind(server);
  server.connect = (socket, options) => {
    const { id } = options ?? {};
    const { remoteAddress } = socket;
    // It may have gone already; then its end would never be told.
    if (id === undefined || remoteAddress === undefined || socket.destroyed) socket.destroy();
    else if (admits({ id, address: plainAddress(remoteAddress), destroy: () => socket.destroy() }))
      connect(socket, options);
    else turnAway(socket);
  };
}

/** Who is refused hears it at once, if at all. */
function turnAway(socket: Socket): void {
  socket.on('error', () => undefined);
  socket.end('421 Too many connections; try again later.\r\n', () => socket.destroy());
}
