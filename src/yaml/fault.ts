/** Describes what is wrong with a YAML file, and where: one line per fault for the author of the file. */

export interface Place {
  /** Such as `companies[0].users[1].roles`. Empty for the file as a whole. */
  readonly path: string;
  /** Counted from 1. 0 if the value was not written in a file. */
  readonly line: number;
  readonly column: number;
}

export interface Fault {
  readonly place: Place;
  /** Continues the line after the place, without a full stop. */
  readonly sentence: string;
}

export const noPlace: Place = { path: '', line: 0, column: 0 };

export function faultLine({ place, sentence }: Fault): string {
  const position = place.line === 0 ? '' : `line ${place.line}, column ${place.column}`;
  if (place.path === '') return position === '' ? sentence : `${position}: ${sentence}`;
  return position === '' ? `${place.path}: ${sentence}` : `${place.path} (${position}): ${sentence}`;
}

/** Sorts faults in file order. */
export function sortedFaults(faults: readonly Fault[]): readonly Fault[] {
  return [...faults].sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
}
