/** Months of the calendar and their days, in the zone of whoever reads. */

export const monthOf = (day: Date): Date => new Date(day.getFullYear(), day.getMonth(), 1);

/** As it stands in the URL. */
export function monthName(month: Date): string {
  return `${month.getFullYear()}-${String(month.getMonth() + 1).padStart(2, '0')}`;
}

export function monthNamed(name: string): Date {
  const [year = 0, month = 1] = name.split('-').map(Number);
  return new Date(year, month - 1, 1);
}

export const monthsFrom = (month: Date, count: number): Date =>
  new Date(month.getFullYear(), month.getMonth() + count, 1);

/** Weeks begin on Monday: days of other months fill the first and the last. */
export function weeksOf(month: Date): readonly (readonly Date[])[] {
  const before = (month.getDay() + 6) % 7;
  const days = new Date(month.getFullYear(), month.getMonth() + 1, 0).getDate();
  const weeks = Math.ceil((before + days) / 7);
  return Array.from({ length: weeks }, (_, week) =>
    Array.from(
      { length: 7 },
      (_, day) => new Date(month.getFullYear(), month.getMonth(), 1 - before + 7 * week + day),
    ),
  );
}
