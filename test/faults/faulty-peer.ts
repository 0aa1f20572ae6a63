/** What is behind a line of the trial: an SMSC or a service by HTTP that misbehaves as it is told, and keeps its own books. */

/** A part that the peer accepted, or may have accepted. */
export interface Taken {
  readonly times: number;
  /** When it was first taken, by `performance.now()`. */
  readonly at: number;
}

export interface FaultyPeer {
  /** Settings of the carrier that reaches it. */
  readonly carrier: Readonly<Record<string, unknown>>;
  /** How often it has misbehaved. */
  readonly strikes: number;
  /** When the last misbehaviour ended, by `performance.now()`; undefined while it goes on. */
  readonly wellSince: number | undefined;
  /** Ends any misbehaviour. */
  getWell(): void;
  /** How often it accepted, or may have accepted, this part; refused submissions do not count. */
  taken(recipient: string, part: number): Taken | undefined;
  close(): Promise<void>;
}

/** What a peer does this many times (Infinity for a fault that never ends), or what happens to it until it has recovered. */
export type Happening<Peer, Does> =
  | { readonly times: number; readonly does: Does }
  | { readonly course: (peer: Peer) => Promise<void> };
