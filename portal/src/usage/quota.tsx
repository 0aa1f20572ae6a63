/** What is left of quotas and limits, to whoever reads and to the company. */
import type { AnswerOf } from '../api/endpoints.ts';
import { useRead } from '../api/queries.ts';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { Section } from '../design/page.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { useNumbers } from '../words/words.ts';
import { useUsageWords } from './texts.ts';
import styles from './usage.module.css';

type Quotas = Pick<AnswerOf<'GET', '/api/v1/quota'>, 'quota' | 'minute' | 'day'>;

const kinds = ['quota', 'day', 'minute'] as const;

export function Left() {
  const words = useUsageWords();
  const { data, error, refetch } = useRead('/api/v1/quota', {}, { live: ['messages', 'batches'] });
  return (
    <Section title={words.left}>
      <FaultNotice fault={error} tryAgain={() => void refetch()} />
      {data === undefined && error === null && <SkeletonRows count={2} />}
      {data !== undefined && (
        <div className={styles.quotas}>
          <Meters title={words.ofUser} quotas={data} />
          {data.company !== undefined && <Meters title={words.ofCompany} quotas={data.company} />}
        </div>
      )}
    </Section>
  );
}

function Meters({ title, quotas }: { readonly title: string; readonly quotas: Quotas }) {
  const words = useUsageWords();
  const written = useNumbers();
  const limited = kinds.filter((kind) => quotas[kind] !== undefined);
  return (
    <div>
      <h3>{title}</h3>
      {limited.length === 0 && <p className={layout.soft}>{words.unlimited}</p>}
      {limited.map((kind) => {
        const { limit, left } = quotas[kind] as { readonly limit: number; readonly left: number };
        const text = words.leftOf(written(left), written(limit));
        return (
          <p key={kind} className={styles.quota}>
            <span>{words.limits[kind]}</span>
            <meter
              aria-label={`${title}: ${words.limits[kind]}`}
              min={0}
              max={Math.max(1, limit)}
              low={limit * 0.1}
              high={limit * 0.25}
              optimum={limit}
              value={left}
            >
              {text}
            </meter>
            <span className={layout.soft}>{text}</span>
          </p>
        );
      })}
    </div>
  );
}
