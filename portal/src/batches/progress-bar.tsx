/** How far a batch is, as one bar in the colours that the states have everywhere, and in words for whoever does not see it. */
import type { Totals } from '../../../src/batches/management/shown-batch.ts';
import { Bar } from '../design/bar.tsx';
import layout from '../design/layout.module.css';
import { useNumbers } from '../words/words.ts';
import styles from './batches.module.css';
import { useBatchWords } from './texts.ts';

/** Each state has the colour that it has everywhere; what waits is the rest of the bar. */
const order = [
  ['delivered', 'delivered'],
  ['sent', 'moving'],
  ['failed', 'failed'],
  ['withdrawn', 'cancelled'],
  ['waiting', undefined],
] as const;

export function ProgressBar({ totals }: { readonly totals: Totals }) {
  const words = useBatchWords();
  const number = useNumbers();
  const told = order.filter(([name]) => totals[name] > 0);
  const label = told.map(([name]) => `${words.totals[name]}: ${number(totals[name])}`).join(', ');
  return (
    <Bar
      role="img"
      aria-label={`${words.progress}. ${label}`}
      title={label}
      parts={told.map(([name, tone]) => [tone, totals[name]])}
    />
  );
}

/** The same in figures, each with its colour. */
export function TotalsList({ totals }: { readonly totals: Totals }) {
  const words = useBatchWords();
  const number = useNumbers();
  return (
    <dl className={`${styles.totals} ${layout.grid}`}>
      {order.map(([name, tone]) => (
        <div key={name} data-tone={tone}>
          <dt>{words.totals[name]}</dt>
          <dd className={layout.figure}>{number(totals[name])}</dd>
        </div>
      ))}
    </dl>
  );
}
