/** What every object of a provisioning file has: where it stands, and whether it is to go. */
import type { Place } from '../yaml/fault.ts';

/** With the places that faults found later are told by. */
export interface Planned {
  readonly place: Place;
  readonly fieldPlaces: Readonly<Record<string, Place>>;
  /** The object is to go; whatever else the file says of it does not count. */
  readonly remove: boolean;
}
