/** How far a batch is, as one bar in the colours that the states have everywhere, and in words for whoever does not see it. */
import type { Totals } from '../../../src/batches/management/shown-batch.ts';
import { useNumbers } from '../words/words.ts';
import styles from './batches.module.css';
import { useBatchWords } from './texts.ts';

const order = ['delivered', 'sent', 'failed', 'withdrawn', 'waiting'] as const;

export function ProgressBar({ totals }: { readonly totals: Totals }) {
  const words = useBatchWords();
  const number = useNumbers();
  const told = order.filter((name) => totals[name] > 0);
  const label = told.map((name) => `${words.totals[name]}: ${number(totals[name])}`).join(', ');
  return (
    <div className={styles.bar} role="img" aria-label={`${words.progress}. ${label}`} title={label}>
      {told.map((name) => (
        <span key={name} data-part={name} style={{ flexGrow: totals[name] }} />
      ))}
    </div>
  );
}

/** The same in figures, each with its colour. */
export function TotalsList({ totals }: { readonly totals: Totals }) {
  const words = useBatchWords();
  const number = useNumbers();
  return (
    <dl className={styles.totals}>
      {order.map((name) => (
        <div key={name} data-part={name}>
          <dt>{words.totals[name]}</dt>
          <dd>{number(totals[name])}</dd>
        </div>
      ))}
    </dl>
  );
}
