/** The filters of a message search, as they appear in the URL. */

export const kinds = ['number', 'id', 'from', 'name', 'words', 'costCenter', 'conversation'] as const;
export type Kind = (typeof kinds)[number];

export const states = ['waiting', 'moving', 'delivered', 'failed', 'cancelled'] as const;
export type State = (typeof states)[number];

export const periods = ['today', 'week', 'month', 'dates'] as const;
export type Period = (typeof periods)[number];

export interface Filters {
  /** The text that was typed. */
  readonly q?: string;
  /** The kind of the text, if it differs from what the server takes it for. */
  readonly kind?: Kind;
  readonly state?: State;
  readonly period?: Period;
  /** The days of the period `dates`: `2027-01-31`. */
  readonly from?: string;
  readonly to?: string;
  readonly batchId?: string;
  readonly username?: string;
}

export function readFilters(search: Readonly<Record<string, unknown>>): Filters {
  const text = (name: string) => {
    const value = search[name];
    return value === undefined || value === '' ? undefined : String(value).slice(0, 200);
  };
  const among = <Value extends string>(name: string, values: readonly Value[]) =>
    values.find((value) => value === search[name]);
  return withoutAbsent({
    q: text('q'),
    kind: among('kind', kinds),
    state: among('state', states),
    period: among('period', periods),
    from: text('from'),
    to: text('to'),
    batchId: text('batchId'),
    username: text('username'),
  });
}

/** Leaves absent filters out of the URL. */
export function withoutAbsent(
  filters: { readonly [Name in keyof Filters]: Filters[Name] | undefined },
): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
