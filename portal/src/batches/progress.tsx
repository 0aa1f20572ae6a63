/** The state of a batch in a word, and its progress, as one bar of all states and in figures. */
import type { BatchState, Totals } from '../../../src/batches/management/shown-batch.ts';
import { Bar } from '../design/bar.tsx';
import layout from '../design/layout.module.css';
import { Badge, type Tone } from '../design/status-badge.tsx';
import { useNumbers } from '../words/words.ts';
import styles from './batches.module.css';
import { useBatchWords } from './texts.ts';

/** Each state has the same colour as everywhere else; waiting messages are the part of the bar without a colour. */
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
  const shown = order.filter(([name]) => totals[name] > 0);
  const label = shown.map(([name]) => `${words.totals[name]}: ${number(totals[name])}`).join(', ');
  return (
    <Bar
      role="img"
      aria-label={`${words.progress}. ${label}`}
      title={label}
      parts={shown.map(([name, tone]) => [tone, totals[name]])}
    />
  );
}

/** The same totals in figures, each with its colour. */
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

const tones: Readonly<Record<BatchState, Tone>> = {
  preparing: 'waiting',
  scheduled: 'waiting',
  held: 'waiting',
  sending: 'moving',
  paused: 'cancelled',
  sent: 'moving',
  done: 'delivered',
  aborted: 'cancelled',
  failed: 'failed',
};

/** The state of a batch in a word. */
export function StateBadge({ state }: { readonly state: BatchState }) {
  return <Badge tone={tones[state]}>{useBatchWords().states[state]}</Badge>;
}
