/** What is left of quotas and limits, for the user and for the company. */
import type { AnswerOf } from '../api/endpoints.ts';
import { useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { Bar } from '../design/bar.tsx';
import layout from '../design/layout.module.css';
import { Section } from '../design/page.tsx';
import { useNumbers } from '../words/words.ts';
import { useUsageWords } from './texts.ts';

type Quotas = Pick<AnswerOf<'GET', '/api/v1/quota'>, 'quota' | 'minute' | 'day'>;

const kinds = ['quota', 'day', 'minute'] as const;

export function Left() {
  const words = useUsageWords();
  const read = useRead('/api/v1/quota', {}, { live: ['messages', 'batches'] });
  return (
    <Section title={words.left}>
      <Answered read={read} rows={2}>
        {(quotas) => (
          <div className={`${layout.grid} ${layout.wide}`}>
            <Meters title={words.ofUser} quotas={quotas} />
            {quotas.company !== undefined && <Meters title={words.ofCompany} quotas={quotas.company} />}
          </div>
        )}
      </Answered>
    </Section>
  );
}

function Meters({ title, quotas }: { readonly title: string; readonly quotas: Quotas }) {
  const words = useUsageWords();
  const written = useNumbers();
  const limited = kinds.filter((kind) => quotas[kind] !== undefined);
  return (
    <div className={layout.stack}>
      <h3>{title}</h3>
      {limited.length === 0 && <p className={layout.soft}>{words.unlimited}</p>}
      {limited.map((kind) => {
        const { limit, left } = quotas[kind] as { readonly limit: number; readonly left: number };
        const text = words.leftOf(written(left), written(limit));
        return (
          <div key={kind} className={`${layout.stack} ${layout.tight}`}>
            <p className={`${layout.row} ${layout.apart}`}>
              {words.limits[kind]}
              <span className={layout.soft}>{text}</span>
            </p>
            <Bar
              role="meter"
              aria-label={`${title}: ${words.limits[kind]}`}
              aria-valuemin={0}
              aria-valuemax={Math.max(1, limit)}
              aria-valuenow={left}
              aria-valuetext={text}
              parts={[
                [toneOf(left / Math.max(1, limit)), left],
                [undefined, limit - left],
              ]}
            />
          </div>
        );
      })}
    </div>
  );
}

function toneOf(share: number): 'failed' | 'waiting' | 'plain' {
  if (share < 0.1) return 'failed';
  return share < 0.25 ? 'waiting' : 'plain';
}
