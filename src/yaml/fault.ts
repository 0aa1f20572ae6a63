/** What is wrong with a file in YAML, and where: one line each for whoever wrote it. */

export interface Place {
  /** `companies[0].users[1].roles`; empty: the file as a whole. */
  readonly path: string;
  /** From 1; 0 where nothing was written in a file. */
  readonly line: number;
  readonly column: number;
}

export interface Fault {
  readonly place: Place;
  /** Completes the line after the place; no full stop at its end. */
  readonly sentence: string;
}

export const noPlace: Place = { path: '', line: 0, column: 0 };

export function faultLine({ place, sentence }: Fault): string {
  const position = place.line === 0 ? '' : `line ${place.line}, column ${place.column}`;
  if (place.path === '') return position === '' ? sentence : `${position}: ${sentence}`;
  return position === '' ? `${place.path}: ${sentence}` : `${place.path} (${position}): ${sentence}`;
}

/** In the order of the file. */
export function sortedFaults(faults: readonly Fault[]): readonly Fault[] {
  return [...faults].sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
}
