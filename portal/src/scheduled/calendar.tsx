/**
 * The calendar of a month, with what is scheduled on each of its days. A phone shows the days with scheduled messages, one
 * below the other.
 */
import { Link } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { dayName, isSameDay, locale, now, shortTime } from '../words/times.ts';
import { useNumbers } from '../words/words.ts';
import { type Scheduled, useTitle } from './acts.tsx';
import styles from './scheduled.module.css';
import { useScheduledWords } from './texts.ts';

/** Maximum number of messages shown for a day; the rest are folded behind their number. */
const shownOfDay = 3;

export function Calendar({
  month: name,
  show,
}: {
  readonly month: string;
  readonly show: (month: string) => void;
}) {
  const words = useScheduledWords();
  const month = monthNamed(name);
  const read = useRead(
    '/api/v1/scheduled',
    { since: month.toISOString(), until: monthsFrom(month, 1).toISOString(), limit: 200 },
    { live: ['messages', 'batches', 'runs'], keepsPrevious: true },
  );
  const title = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' }).format(month);
  const go = (count: number) => show(monthName(monthsFrom(month, count)));
  return (
    <section aria-label={title}>
      <div className={`${styles.month} ${layout.beside}`}>
        <Button small aria-label={words.before} icon={<Icon name="left" />} onClick={() => go(-1)} />
        <h2 className={styles.monthName} aria-live="polite">
          {title}
        </h2>
        <Button small aria-label={words.after} icon={<Icon name="right" />} onClick={() => go(1)} />
      </div>
      <Answered read={read}>
        {({ scheduled, next }) => (
          <>
            {scheduled.length === 0 && <Notice>{words.noneInMonth}</Notice>}
            {next !== undefined && <Notice tone="warning">{words.cutOff}</Notice>}
            <Month month={month} items={scheduled} />
          </>
        )}
      </Answered>
    </section>
  );
}

function Month({ month, items }: { readonly month: Date; readonly items: readonly Scheduled[] }) {
  const weeks = weeksOf(month);
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' });
  return (
    <table className={styles.calendar}>
      <thead>
        <tr>
          {(weeks[0] ?? []).map((day) => (
            <th key={day.getDay()} scope="col">
              {weekday.format(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]?.getTime()}>
            {week.map((day) => (
              <Day
                key={day.getTime()}
                day={day}
                isOther={day.getMonth() !== month.getMonth()}
                items={items.filter(({ scheduleTime }) => isSameDay(new Date(scheduleTime), day))}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Day({
  day,
  isOther,
  items,
}: {
  readonly day: Date;
  readonly isOther: boolean;
  readonly items: readonly Scheduled[];
}) {
  const words = useScheduledWords();
  const isToday = isSameDay(day, now());
  return (
    <td
      data-other={isOther || undefined}
      data-today={isToday || undefined}
      data-empty={items.length === 0 || undefined}
    >
      <span className={styles.day} title={dayName(day)}>
        {day.getDate()}
      </span>
      <Items items={items.slice(0, shownOfDay)} />
      {items.length > shownOfDay && (
        <details className={styles.more}>
          <summary>{words.more(items.length - shownOfDay)}</summary>
          <Items items={items.slice(shownOfDay)} />
        </details>
      )}
    </td>
  );
}

function Items({ items }: { readonly items: readonly Scheduled[] }) {
  return (
    <ul>
      {items.map((item) => (
        <li key={`${item.kind} ${item.id}`}>
          <Item item={item} />
        </li>
      ))}
    </ul>
  );
}

/** The page of each kind of item that has one. */
export const pageOf = {
  message: '/messages/$id',
  sending: '/sendings/$id',
  batch: '/batches/$id',
} as const;

function Item({ item }: { readonly item: Scheduled }) {
  const number = useNumbers();
  const title = useTitle()(item);
  const { kind, id, scheduleTime, messages } = item;
  const at = new Date(scheduleTime);
  const isMany = kind === 'sending' || (kind === 'batch' && item.name);
  const count = isMany && `(${number(messages ?? 0)})`;
  const shown = (
    <>
      <span className={layout.clip}>
        {shortTime(at, at)} {title}
      </span>
      {count}
    </>
  );
  if (kind === 'run') return <span>{shown}</span>;
  return (
    <Link to={pageOf[kind]} params={{ id }} title={title}>
      {shown}
    </Link>
  );
}

export const monthOf = (day: Date): Date => new Date(day.getFullYear(), day.getMonth(), 1);

/** Writes the month as it appears in the URL. */
export function monthName(month: Date): string {
  return `${month.getFullYear()}-${String(month.getMonth() + 1).padStart(2, '0')}`;
}

function monthNamed(name: string): Date {
  const [year = 0, month = 1] = name.split('-').map(Number);
  return new Date(year, month - 1, 1);
}

const monthsFrom = (month: Date, count: number): Date =>
  new Date(month.getFullYear(), month.getMonth() + count, 1);

/** Weeks begin on Monday; days of other months fill the first and the last week. */
function weeksOf(month: Date): readonly (readonly Date[])[] {
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
