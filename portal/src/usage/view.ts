/** What the URL of the page of what was sent says. */

export const groups = ['month', 'username', 'costCenter'] as const;
/** The longest first. */
export const periods = [12, 6, 3, 1] as const;

export interface UsageView {
  /** Months, this one the last. */
  readonly months?: (typeof periods)[number];
  readonly by?: (typeof groups)[number];
}
