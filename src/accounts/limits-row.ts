/** The columns of what a company or a user may send at most: those two tables have them alike. */
import type { StoredField } from '../storage/stored-record.ts';
import type { SendingLimits } from './sending-limits.ts';

export const storedLimits: StoredField<SendingLimits | undefined> = {
  columns: () => ({ parts_per_minute: 'bigint', parts_per_day: 'bigint', allowed_countries: 'text' }),
  read(values) {
    if (values.every((value) => value === null)) return undefined;
    const [partsPerMinute, partsPerDay, countries] = values as
      | readonly [number, number, string]
      | readonly null[];
    return {
      partsPerMinute: partsPerMinute ?? undefined,
      partsPerDay: partsPerDay ?? undefined,
      countries: countries ? (JSON.parse(countries) as string[]) : undefined,
    };
  },
  write(limits) {
    const { partsPerMinute = null, partsPerDay = null, countries } = limits ?? {};
    return [partsPerMinute, partsPerDay, countries === undefined ? null : JSON.stringify(countries)];
  },
};
