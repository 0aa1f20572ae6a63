/** Which carriers take which messages: routes, and the order in which they are asked. */

export interface Route {
  /** Unique; the prefix unless the operator named it. */
  readonly name: string;
  /** Leading digits of the numbers that take this route; empty: all. */
  readonly prefix: string;
  /** Names of carriers, which share the load by turns. */
  readonly carriers: readonly string[];
  /** The only senders whose messages take this route; absent: any. */
  readonly senders?: readonly string[] | undefined;
  /** The only users, by name, whose messages take this route; absent: any. */
  readonly users?: readonly string[] | undefined;
  /** Where two routes serve a message alike, the higher goes first and the lower is its failover; absent: 0. */
  readonly priority?: number | undefined;
  /** The operator knows that a simulator takes its messages though there are real carriers; absent: false. */
  readonly simulated?: boolean | undefined;
}

/**
 * The routes of which a simulator reports messages as delivered that no phone gets, while other routes lead to real
 * carriers: where none does, somebody tries the service out.
 */
export function simulatedRoutes(
  routes: Iterable<Route>,
  carriers: Iterable<{ readonly name: string; readonly type: string }>,
): readonly Route[] {
  const all = [...routes];
  const types = new Map([...carriers].map(({ name, type }) => [name, type]));
  const isSimulator = (name: string) => types.get(name) === 'simulator';
  const leadsToReal = all.some((route) =>
    route.carriers.some((name) => types.has(name) && !isSimulator(name)),
  );
  return leadsToReal ? all.filter((route) => route.carriers.some(isSimulator)) : [];
}

/** Whose message it is. */
export interface Origin {
  readonly sender: string;
  /** Empty: of a user who is no more. */
  readonly username: string;
}

/** Only for some senders or users. */
export function isLimited({ senders, users }: Route): boolean {
  return senders !== undefined || users !== undefined;
}

/** A limited route takes what names all that it asks for, and never anything else. */
export function admits({ senders, users }: Route, { sender, username }: Origin): boolean {
  return (senders?.includes(sender) ?? true) && (users?.includes(username) ?? true);
}

/** Routes of one prefix: limited ones before those for all, then by priority. Zero: they share the load together. */
export function compareRank(a: Route, b: Route): number {
  return Number(isLimited(b)) - Number(isLimited(a)) || (b.priority ?? 0) - (a.priority ?? 0);
}

/** All routes as they are asked: the longest prefix first. Names only make the order certain. */
export function compareRoutes(a: Route, b: Route): number {
  return b.prefix.length - a.prefix.length || compareRank(a, b) || (a.name < b.name ? -1 : 1);
}
