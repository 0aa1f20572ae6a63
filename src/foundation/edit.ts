/** What leads from things as they are to things as they are wanted, for whoever compares and whoever writes. */

/** A thing before and after: made when there is nothing before, removed when there is nothing after. */
export interface Edit<Kept> {
  readonly before: Kept | undefined;
  readonly after: Kept | undefined;
}

/** The edit of a thing that is there and stays. */
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
