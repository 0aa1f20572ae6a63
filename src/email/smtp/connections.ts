/** Limits the connections of the mail server and their duration, however slow or hostile the clients are. */
import type { Socket } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { type ConnectionPlace, ConnectionPlaces, type PlaceLimits } from '../../http/connections/places.ts';
import { plainAddress } from '../../http/origin.ts';

export interface MailConnectionLimits extends PlaceLimits {
  /** However lively: a mail of a megabyte over a slow line takes a minute, and servers come again. */
  readonly maxLifeMs: number;
}

export const standardMailConnectionLimits: MailConnectionLimits = {
  maxConnections: 200,
  maxStrangers: 150,
  maxPerNetwork: 20,
  maxPerWideNetwork: 60,
  // It may be half way through a mail, and the next one comes again.
  isOldestReplaced: false,
  maxLifeMs: 600_000,
};

/** What is being worked on is answered first. */
const answerMs = 15_000;

interface ConnectionEnds {
  /** Its time is over. */
  over(): void;
  /** Its place is given to another network. */
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

  /** To be asked as soon as it is there, before anything is said. False: there is no room for it. */
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

  /** Its user has logged in, and counts among strangers no more. */
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
  /** That of its session. */
  readonly id: string;
  readonly address: string;
  /** At once, without a word. */
  destroy(): void;
}

/**
 * Asks whether there is room for a connection as soon as it is there. The library asks 100 ms later, and keeps the socket of
 * one that is refused then for 5 s: nobody is to have a place for so long without having been counted.
 */
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
