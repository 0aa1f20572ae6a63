/** Parses SMPP times, so that written times can be compared with their meaning. */

const smppTime = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d)(\d\d)([-+R])$/;

/**
 * Milliseconds since the epoch; undefined if the text is not a time. A relative time counts from `now`, in calendar months.
 */
export function parseSmppTime(text: string, now: number): number | undefined {
  const match = smppTime.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, tenth = 0, quarters = 0] = match
    .slice(1, 9)
    .map(Number);
  if (match[9] === 'R') {
    const from = new Date(now);
    const calendar = from.setUTCFullYear(from.getUTCFullYear() + year, from.getUTCMonth() + month);
    return calendar + (((day * 24 + hour) * 60 + minute) * 60 + second) * 1000;
  }
  if (
    month < 1 ||
    month > 12 ||
    day < 1 ||
    day > 31 ||
    hour > 23 ||
    minute > 59 ||
    second > 59 ||
    quarters > 48
  )
    return undefined;
  const local = Date.UTC(2000 + year, month - 1, day, hour, minute, second, tenth * 100);
  const ahead = quarters * 15 * 60_000;
  return match[9] === '+' ? local - ahead : local + ahead;
}
