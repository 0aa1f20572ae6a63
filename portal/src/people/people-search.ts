/** What stands in the URL of the list. */
export interface PeopleSearch {
  readonly book?: string;
  readonly q?: string;
  readonly filter?: string;
}
