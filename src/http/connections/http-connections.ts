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
  readonly #places: ConnectionPlaces;
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

  /** Ahead of all that the server does with a new connection: one that is refused costs neither a parser nor TLS. */
  guard<Guarded extends Server>(server: Guarded): Guarded {
    const takers = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      this.#options.accepted?.();
      if (this.#admits(socket)) for (const take of takers) take.call(server, socket);
      else socket.destroy();
    });
    // What TLS has come to its end on is another socket, of the same peer.
    const places = new Map<string, ConnectionPlace>();
    if (server.listenerCount('secureConnection') === 0) return server;
    server.on('connection', (socket: Placed) => {
      const place = socket[placeOf];
      if (place === undefined) return;
      const peer = peerOf(socket);
      places.set(peer, place);
      socket.once('close', () => {
        if (places.get(peer) === place) places.delete(peer);
      });
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      (socket as Placed)[placeOf] = places.get(peerOf(socket));
    });
    return server;
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
    return true;
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
