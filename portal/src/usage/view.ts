/** The search parameters of the usage page. */

export const groups = ['month', 'username', 'costCenter'] as const;
/** In months, the longest first. */
export const periods = [12, 6, 3, 1] as const;

export interface UsageView {
  /** The number of months up to and including the current one. */
  readonly months?: (typeof periods)[number];
  readonly by?: (typeof groups)[number];
}
