/** The filters of the audit log, as they appear in the URL, and as the API takes them. */
import { isDay, timesOfDays } from '../design/date-range.tsx';

export interface Filters {
  readonly username?: string;
  /** An act, or a kind of acts. */
  readonly act?: string;
  readonly object?: string;
  /** The first and the last day. */
  readonly from?: string;
  readonly to?: string;
}

export function readFilters(search: Readonly<Partial<Record<keyof Filters, unknown>>>): Filters {
  const text = (name: keyof Filters) => String(search[name] ?? '').slice(0, 200);
  const day = (name: keyof Filters) => (isDay(search[name]) ? search[name] : '');
  return withoutEmpty({
    username: text('username'),
    act: text('act'),
    object: text('object'),
    from: day('from'),
    to: day('to'),
  });
}

export function withoutEmpty(filters: Filters): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
}

export function parametersOf({ username, act, object, ...days }: Filters) {
  const parameters = { username, act, object, ...timesOfDays(days) };
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
}
