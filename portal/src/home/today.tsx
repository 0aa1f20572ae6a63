/** How the messages of today stand, in five figures that lead to their lists. */
import { Link } from '@tanstack/react-router';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { Section } from '../design/page.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { type Tone, toneOf } from '../design/status-badge.tsx';
import { TextWithTimes } from '../design/text-with-times.tsx';
import { useNumbers } from '../words/words.ts';
import styles from './home.module.css';
import { useLatestCounts } from './service-lines.tsx';
import { useHomeWords } from './texts.ts';

const figures = ['delivered', 'moving', 'waiting', 'failed'] as const satisfies readonly Tone[];

export function Today() {
  const words = useHomeWords();
  const number = useNumbers();
  const { data, error, isPending, refetch } = useLatestCounts();
  if (isPending) return <SkeletonRows count={1} height="5rem" />;
  if (data === undefined) return <FaultNotice fault={error} tryAgain={() => void refetch()} />;
  const { statuses, messages, more, since } = data;
  const sum = (tone: Tone) =>
    statuses.reduce((all, one) => all + (toneOf[one.status] === tone ? one.messages : 0), 0);
  return (
    <Section title={words.today}>
      <div className={styles.figures}>
        <Link to="/messages" search={{ period: 'today' }} className={styles.figure}>
          <strong>{number(messages)}</strong> {words.figures.accepted}
        </Link>
        {figures.map((tone) => (
          <Link
            key={tone}
            to="/messages"
            search={{ state: tone, period: 'today' }}
            className={styles.figure}
            data-tone={sum(tone) > 0 ? tone : undefined}
          >
            <strong>{number(sum(tone))}</strong> {words.figures[tone]}
          </Link>
        ))}
      </div>
      {more && (
        <p className={layout.soft}>
          <TextWithTimes text={words.counted(number(messages), since)} />
        </p>
      )}
    </Section>
  );
}
