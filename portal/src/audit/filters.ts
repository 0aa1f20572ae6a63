/** The filters of the audit log, as they appear in the URL, and as the API takes them. */
import { isDay, timesOfDays } from '../design/date-range.tsx';
import { actsOf, isKind, wordsOfAct } from './acts.ts';

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
  const act = text('act');
  const day = (name: keyof Filters) => (isDay(search[name]) ? search[name] : '');
  return withoutEmpty({
    username: text('username'),
    act: isKind(act) || wordsOfAct(act) !== undefined ? act : '',
    object: text('object'),
    from: day('from'),
    to: day('to'),
  });
}

export function withoutEmpty(filters: Filters): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
}

export function parametersOf({ username, act, object, ...days }: Filters) {
  const acts = act === undefined || !isKind(act) ? act : actsOf(act).join(',');
  const parameters = { username, act: acts, object, ...timesOfDays(days) };
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
}
