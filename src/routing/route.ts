/** Which carriers take the messages to a number: the route with the longest prefix of it. */

export interface Route {
  /** Unique; the prefix unless the operator named it. */
  readonly name: string;
  /** Leading digits of the numbers that take this route; empty: all. */
  readonly prefix: string;
  /** Names of carriers, which share the load. */
  readonly carriers: readonly string[];
}
