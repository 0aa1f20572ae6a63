/** What the URL of the page of what waits for its time says. */

export interface ScheduledView {
  /** As `2027-01`: the calendar of that month; absent for the list. */
  readonly month?: string;
}
