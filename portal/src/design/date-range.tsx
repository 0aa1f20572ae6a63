/** A period: its first and its last day, or its first and its last minute. An empty end means that the period is open there. */
import { useEffect, useState } from 'react';
import { TextField } from './field.tsx';
import { useLaterWords } from './later-texts.ts';
import layout from './layout.module.css';

export interface Period {
  /** As the browser writes days and minutes, in the user's time zone: `2027-01-31`, or `2027-01-31T08:00`. */
  readonly from: string;
  readonly to: string;
}

interface DateRangeProps extends Period {
  /** `day` by default. */
  readonly unit?: 'day' | 'minute';
  readonly required?: boolean;
  readonly errors?: { readonly [End in keyof Period]?: Parameters<typeof TextField>[0]['error'] };
  readonly change: (period: Period) => void;
}

export function DateRange({ from, to, unit = 'day', required = false, errors, change }: DateRangeProps) {
  const words = useLaterWords();
  const type = unit === 'day' ? 'date' : 'datetime-local';
  return (
    <div className={layout.grid}>
      <TextField
        label={words.from}
        type={type}
        required={required}
        value={from}
        max={to || undefined}
        error={errors?.from}
        onChange={({ target }) => change({ from: target.value, to })}
      />
      <TextField
        label={words.to}
        type={type}
        required={required}
        value={to}
        min={from || undefined}
        error={errors?.to}
        onChange={({ target }) => change({ from, to: target.value })}
      />
    </div>
  );
}

type SomeDays = { readonly [End in keyof Period]?: Period[End] | undefined };

type DaysProps = SomeDays & {
  readonly change: (period: Period) => void;
};

/**
 * A period of days that narrows a list. What is typed stays, and narrows the list once it is a day: until its last digit, a
 * year is one long ago.
 */
export function Days({ from = '', to = '', change }: DaysProps) {
  const [typed, setTyped] = useState({ from, to });
  useEffect(() => setTyped({ from, to }), [from, to]);
  const isWhole = (day: string) => day === '' || isDay(day);
  return (
    <DateRange
      {...typed}
      change={(days) => {
        setTyped(days);
        if (isWhole(days.from) && isWhole(days.to)) change(days);
      }}
    />
  );
}

/** The times of a period of days: from the beginning of the first day until the end of the last. */
export function timesOfDays({ from, to }: SomeDays) {
  return {
    since: midnight(from, 0)?.toISOString(),
    until: midnight(to, 1)?.toISOString(),
  };
}

function midnight(day: string | undefined, later: number): Date | undefined {
  const [year, month, date] = isDay(day) ? day.split('-').map(Number) : [];
  return year === undefined || month === undefined || date === undefined
    ? undefined
    : new Date(year, month - 1, date + later);
}

export function isDay(text: unknown): text is string {
  return typeof text === 'string' && /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text);
}
