/** Defines which carriers take which messages: routes, and the order in which they are tried. */

export interface Route {
  /** Unique; the prefix by default. */
  readonly name: string;
  /** The leading digits of the numbers that take this route; empty for all numbers. */
  readonly prefix: string;
  /** The names of carriers, which share the load in turn. */
  readonly carriers: readonly string[];
  /** The only senders whose messages take this route; absent for any sender. */
  readonly senders?: readonly string[] | undefined;
  /** The only users, by name, whose messages take this route; absent for any user. */
  readonly users?: readonly string[] | undefined;
  /**
   * If two routes serve a message equally, the one with the higher priority comes first and the other is its failover; 0 when
   * absent.
   */
  readonly priority?: number | undefined;
  /**
   * Whether the operator knows that a simulator takes its messages although there are real carriers; by default, false.
   */
  readonly simulated?: boolean | undefined;
}

/**
 * Routes on which a simulator reports messages as delivered that no phone gets, while other routes lead to real carriers. If
 * none does, somebody is trying the service out.
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

/** The sender and user of a message. */
export interface Origin {
  readonly sender: string;
  /** Empty when the user no longer exists. */
  readonly username: string;
}

/** Whether the route is only for some senders or users. */
export function isLimited({ senders, users }: Route): boolean {
  return senders !== undefined || users !== undefined;
}

/** A limited route takes only messages that meet all its requirements. */
export function admits({ senders, users }: Route, { sender, username }: Origin): boolean {
  return (senders?.includes(sender) ?? true) && (users?.includes(username) ?? true);
}

/**
 * Ranks routes of one prefix: limited routes before routes for all, then by priority. Zero means that they share the
 * load.
 */
export function compareRank(a: Route, b: Route): number {
  return Number(isLimited(b)) - Number(isLimited(a)) || (b.priority ?? 0) - (a.priority ?? 0);
}

/** Orders all routes as they are tried, longest prefix first. Names only make the order deterministic. */
export function compareRoutes(a: Route, b: Route): number {
  return b.prefix.length - a.prefix.length || compareRank(a, b) || (a.name < b.name ? -1 : 1);
}
