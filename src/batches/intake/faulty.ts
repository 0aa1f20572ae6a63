/** The faulty recipients of a batch, which can be left out so that the others are sent. */
import type { FieldError } from '../../foundation/errors.ts';

/** At most this many places are reported. A list with more is corrected in several rounds. */
export const maxFaultyPlaces = 10_000;
/** The faults reported of the recipients that a batch was sent without. */
export const maxSkippedFaults = 20;

export class FaultyRecipients {
  count = 0;
  /** The first places; see `GivenRecipient`. */
  readonly places: number[] = [];

  readonly add = (place: number): void => {
    this.count += 1;
    if (this.places.length < maxFaultyPlaces) this.places.push(place);
  };
}

/** The recipients that a batch was sent without. */
export interface Skipped {
  readonly count: number;
  readonly faults: readonly FieldError[];
}

export const noneSkipped: Skipped = { count: 0, faults: [] };

export function skippedInAll(one: Skipped, other: Skipped): Skipped {
  return {
    count: one.count + other.count,
    faults: [...one.faults, ...other.faults].slice(0, maxSkippedFaults),
  };
}
