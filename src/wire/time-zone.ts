/** Names of time zones, some of which a node may not know: the store may have them from a node with a newer Node.js. */

/** Earlier answers of `knownZone`, because asking `Intl` takes 40 µs. */
const answers = new Map<string, string>();

/** The zone itself, or UTC if this node does not know it. */
export function knownZone(zone: string): string {
  const known = answers.get(zone) ?? (isKnownZone(zone) ? zone : 'UTC');
  answers.set(zone, known);
  return known;
}

/** As far as `Intl` knows it. */
export function isKnownZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
