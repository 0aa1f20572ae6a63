/** Bars by month. The table beside them has the numbers, including for users who can't see the bars. */
import { locale } from '../words/times.ts';
import { useNumbers } from '../words/words.ts';
import styles from './usage.module.css';

interface Sum {
  readonly month?: string | undefined;
  readonly parts: number;
}

const height = 180;
const barWidth = 36;
const gap = 14;
const foot = 22;
const head = 24;

export function Bars({ sums, label }: { readonly sums: readonly Sum[]; readonly label: string }) {
  const written = useNumbers();
  const most = Math.max(1, ...sums.map(({ parts }) => parts));
  const width = sums.length * (barWidth + gap);
  return (
    <svg
      className={styles.bars}
      data-many={sums.length > 6}
      viewBox={`0 0 ${width} ${height + head + foot}`}
      style={{ maxWidth: `${width * 1.4}px` }}
      role="img"
      aria-label={label}
    >
      {sums.map(({ month = '', parts }, place) => {
        const x = place * (barWidth + gap) + gap / 2;
        const barHeight = parts === 0 ? 1 : Math.max(2, (height * parts) / most);
        const y = head + height - barHeight;
        return (
          <g key={month}>
            <title>{`${monthTitle(month, 'long')}: ${written(parts)}`}</title>
            <rect x={x} y={y} width={barWidth} height={barHeight} rx={3} />
            {parts === most && (
              <text x={x + barWidth / 2} y={y - 6}>
                {written(parts)}
              </text>
            )}
            <text x={x + barWidth / 2} y={head + height + foot - 6}>
              {monthTitle(month, 'short').replace('.', '')}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/** The name of a month that is given as the API writes it; the API's months are in UTC. */
export function monthTitle(month: string, length: 'short' | 'long'): string {
  const format = new Intl.DateTimeFormat(locale, {
    month: length,
    timeZone: 'UTC',
    ...(length === 'long' && { year: 'numeric' }),
  });
  return format.format(new Date(`${month}-01T00:00:00Z`));
}
