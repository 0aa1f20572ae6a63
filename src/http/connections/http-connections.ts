/** Assigns places to HTTP connections before a byte of them is read. */
import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type TaskOwner, turnOf } from '../../foundation/turns.ts';
import { type AddressTest, plainAddress, wideNetworkOf } from '../origin.ts';
import { type ConnectionPlace, ConnectionPlaces, type PlaceLimits } from './places.ts';

export const standardPlaceLimits: PlaceLimits = {
  maxConnections: 20_000,
  maxUnauthenticated: 15_000,
  maxPerNetwork: 4_000,
  maxPerWideNetwork: 8_000,
  // Clients with credentials show them in the first request, so they are strangers only for a moment.
  isOldestReplaced: true,
};

export interface HttpConnectionOptions {
  readonly limits?: Partial<PlaceLimits> | undefined;
  /** This machine, and proxies that serve many clients: their own limits bound their traffic. */
  readonly isTrusted: AddressTest;
  readonly turnedAway: (reason: 'refused' | 'displaced') => void;
  readonly accepted?: () => void;
}

const placeOf = Symbol('place');
const callerOn = Symbol('caller');
type Placed = Socket & { [placeOf]?: ConnectionPlace | undefined; [callerOn]?: TaskOwner };

/** The client of this connection has authenticated. */
export function markClientKnown(socket: Socket, caller: TaskOwner): void {
  const placed = socket as Placed;
  placed[placeOf]?.know();
  placed[callerOn] = caller;
}

/** Clients that are not known yet count as one company, however many networks they come from. */
const strangers = 'strangers';

/** The turn of the user who last called on this connection, or else of the network that the connection comes from. */
export function turnOfCallOn(socket: Socket): ReturnType<typeof turnOf> {
  const { [callerOn]: caller, remoteAddress = '' } = socket as Placed;
  return caller === undefined ? { company: strangers, member: wideNetworkOf(remoteAddress) } : turnOf(caller);
}

export class HttpConnections {
  /** Connections that speak HTTP. */
  readonly open = new Set<Socket>();
  /** Connections whose TLS handshake is not finished. */
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

  /** How many connections have arrived since the start, admitted or not. */
  get come(): number {
    return this.#come;
  }

  /**
   * Runs before anything else the server does with a new connection, so that a refused one costs neither a parser nor TLS.
   */
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

  /** After the TLS handshake the connection is a different socket with the same peer. */
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
    // The socket may already be closed.
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

/** Keeps the connection in the second set until it closes. */
function move(socket: Socket, from: Set<Socket>, to: Set<Socket>): void {
  from.delete(socket);
  to.add(socket);
  socket.once('close', () => to.delete(socket));
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
