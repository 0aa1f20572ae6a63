/** Limits the number and duration of the mail server's connections, however slow or hostile the clients are. */
import type { Socket } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { type ConnectionPlace, ConnectionPlaces, type PlaceLimits } from '../../http/connections/places.ts';
import { plainAddress } from '../../http/origin.ts';

export interface MailConnectionLimits extends PlaceLimits {
  /**
   * Applies however active the connection is: an e-mail of a megabyte over a slow line takes a minute, and servers reconnect.
   */
  readonly maxLifeMs: number;
}

export const standardMailConnectionLimits: MailConnectionLimits = {
  maxConnections: 200,
  maxUnauthenticated: 150,
  maxPerNetwork: 20,
  maxPerWideNetwork: 60,
  // The oldest connection may be halfway through an e-mail, whereas a refused client tries again.
  isOldestReplaced: false,
  maxLifeMs: 600_000,
};

/** Time allowed for answering e-mails that are being processed. */
const answerMs = 15_000;

interface ConnectionEnds {
  /** Called when the connection's time is up. */
  over(): void;
  /** Called when the connection's place goes to another network. */
  displaced(): void;
}

interface MailConnection {
  readonly place: ConnectionPlace;
  timer: NodeJS.Timeout;
  isWorking: boolean;
}

export class MailConnections {
  readonly #places: ConnectionPlaces;
  readonly #maxLifeMs: number;
  readonly #connections = new Map<string, MailConnection>();

  constructor(limits: MailConnectionLimits) {
    this.#places = new ConnectionPlaces(limits);
    this.#maxLifeMs = limits.maxLifeMs;
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Call this as soon as a connection exists, before anything is sent. Returns false if there is no room. */
  admit(
    id: string,
    from: { readonly address: string; readonly isTrusted: boolean },
    ends: ConnectionEnds,
  ): boolean {
    const displace = () => {
      this.end(id);
      ends.displaced();
    };
    const place = this.#places.admit({ ...from, displace });
    if (place === undefined) return false;
    const over = () => {
      const connection = this.#connections.get(id);
      if (connection?.isWorking) connection.timer = setTimeout(over, answerMs).unref();
      else ends.over();
    };
    const timer = setTimeout(over, this.#maxLifeMs).unref();
    this.#connections.set(id, { place, timer, isWorking: false });
    return true;
  }

  /** Marks the connection as authenticated, so that it no longer counts among strangers. */
  know(id: string): void {
    this.#connections.get(id)?.place.know();
  }

  isWorking(id: string): boolean {
    return this.#connections.get(id)?.isWorking ?? false;
  }

  working(id: string, isWorking: boolean): void {
    const connection = this.#connections.get(id);
    if (connection !== undefined) connection.isWorking = isWorking;
  }

  end(id: string): void {
    const connection = this.#connections.get(id);
    clearTimeout(connection?.timer);
    connection?.place.end();
    this.#connections.delete(id);
  }
}

export interface NewConnection {
  /** The id of the connection's session. */
  readonly id: string;
  readonly address: string;
  /** Closes the connection immediately, without a response. */
  destroy(): void;
}

/**
 * Checks for room as soon as a connection exists. The library would check 100 ms later and keep the socket of a refused
 * connection for 5 s, holding a place all that time without being counted.
 */
export function admitConnections(server: SMTPServer, admits: (connection: NewConnection) => boolean): void {
  const connect = server.connect.bind(server);
  server.connect = (socket, options) => {
    const { id } = options ?? {};
    const { remoteAddress } = socket;
    // The socket may already be closed; its end would then never be reported.
    if (id === undefined || remoteAddress === undefined || socket.destroyed) socket.destroy();
    else if (admits({ id, address: plainAddress(remoteAddress), destroy: () => socket.destroy() }))
      connect(socket, options);
    else turnAway(socket);
  };
}

/** The client is notified of the refusal at once, if at all. */
function turnAway(socket: Socket): void {
  socket.on('error', () => undefined);
  socket.end('421 Too many connections; try again later.\r\n', () => socket.destroy());
}
