/** An edit: an object before and after, for code that compares and code that writes. */

/** An object before and after: it is created if there is nothing before, and removed if there is nothing after. */
export interface Edit<Kept> {
  readonly before: Kept | undefined;
  readonly after: Kept | undefined;
}

/** The edit of an object that exists both before and after. */
export interface Change<Kept> {
  readonly before: Kept;
  readonly after: Kept;
}

export function created<Kept>(edits: readonly Edit<Kept>[]): readonly Kept[] {
  return edits.flatMap(({ before, after }) => (before === undefined && after !== undefined ? [after] : []));
}

export function changed<Kept>(edits: readonly Edit<Kept>[]): readonly Change<Kept>[] {
  return edits.flatMap(({ before, after }) =>
    before !== undefined && after !== undefined ? [{ before, after }] : [],
  );
}

export function removed<Kept>(edits: readonly Edit<Kept>[]): readonly Kept[] {
  return edits.flatMap(({ before, after }) => (before !== undefined && after === undefined ? [before] : []));
}
