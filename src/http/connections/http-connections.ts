/** Gives connections of the HTTP server their places, before a byte of them is read. */
import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type AddressTest, plainAddress } from '../origin.ts';
import { type ConnectionPlace, ConnectionPlaces, type PlaceLimits } from './places.ts';

export const standardPlaceLimits: PlaceLimits = {
  maxConnections: 20_000,
  maxStrangers: 15_000,
  maxPerNetwork: 4_000,
  maxPerWideNetwork: 8_000,
  // Who has credentials shows them with the first request, and is a stranger for a moment only.
  isOldestReplaced: true,
};

export interface HttpConnectionOptions {
  readonly limits?: Partial<PlaceLimits> | undefined;
  /** This machine, and proxies behind which many clients are: their own limits bound what comes through them. */
  readonly isTrusted: AddressTest;
  readonly turnedAway: (reason: 'refused' | 'displaced') => void;
  readonly accepted?: () => void;
}

const placeOf = Symbol('place');
type Placed = Socket & { [placeOf]?: ConnectionPlace | undefined };

/** The client of this connection has shown who it is. */
export function markClientKnown(socket: Socket): void {
  (socket as Placed)[placeOf]?.know();
}

export class HttpConnections {
  /** On which HTTP is spoken. */
  readonly open = new Set<Socket>();
  /** Which have still to come to an end with TLS. */
  readonly shakingHands = new Set<Socket>();
  readonly #places: ConnectionPlaces;
  #come = 0;
  readonly #options: HttpConnectionOptions;

  constructor(options: HttpConnectionOptions) {
    this.#options = options;
    this.#places = new ConnectionPlaces({ ...standardPlaceLimits, ...options.limits });
  }

  get size(): number {
    return this.#places.size;
  }

  get strangers(): number {
    return this.#places.strangers;
  }

  /** How many have come since the start, let in or not. */
  get come(): number {
    return this.#come;
  }

  /** Ahead of all that the server does with a new connection: one that is refused costs neither a parser nor TLS. */
  guard<Guarded extends Server>(server: Guarded): Guarded {
    const takers = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      this.#come += 1;
      this.#options.accepted?.();
      if (this.#admits(socket)) for (const take of takers) take.call(server, socket);
      else socket.destroy();
    });
    if (server.listenerCount('secureConnection') === 0) return server;
    this.#followHandshakes(server);
    return server;
  }

  /** What TLS has come to its end on is another socket, of the same peer. */
  #followHandshakes(server: Server): void {
    const sockets = new Map<string, Placed>();
    server.on('connection', (socket: Placed) => {
      if (socket[placeOf] === undefined) return;
      const peer = peerOf(socket);
      sockets.set(peer, socket);
      move(socket, this.open, this.shakingHands);
      socket.once('close', () => {
        if (sockets.get(peer) === socket) sockets.delete(peer);
      });
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      const raw = sockets.get(peerOf(socket));
      (socket as Placed)[placeOf] = raw?.[placeOf];
      if (raw !== undefined) this.shakingHands.delete(raw);
      move(socket, this.shakingHands, this.open);
    });
  }

  #admits(socket: Placed): boolean {
    const { isTrusted, turnedAway } = this.#options;
    const { remoteAddress } = socket;
    // It may have gone already.
    if (remoteAddress === undefined || socket.destroyed) return false;
    const address = plainAddress(remoteAddress);
    const displace = () => {
      turnedAway('displaced');
      socket.destroy();
    };
    const place = this.#places.admit({ address, isTrusted: isTrusted(address), displace });
    if (place === undefined) {
      turnedAway('refused');
      return false;
    }
    socket[placeOf] = place;
    socket.once('close', () => place.end());
    move(socket, this.shakingHands, this.open);
    return true;
  }
}

/** Until it closes. */
function move(socket: Socket, from: Set<Socket>, to: Set<Socket>): void {
  from.delete(socket);
  to.add(socket);
  socket.once('close', () => to.delete(socket));
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
