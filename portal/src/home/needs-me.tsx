/** What waits for whoever looks, before all else; that there is nothing is said too. */

import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { Section } from '../design/page.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { useBatchLines } from './batch-lines.tsx';
import styles from './home.module.css';
import { useIncomingLines } from './incoming-lines.tsx';
import { Lines } from './lines.tsx';
import { useRunLines } from './run-lines.tsx';
import { useServiceLines } from './service-lines.tsx';
import { useHomeWords } from './texts.ts';
import { useWebhookLines } from './webhook-lines.tsx';

export function NeedsMe() {
  const words = useHomeWords();
  const batches = useBatchLines();
  const runs = useRunLines();
  const sources = [runs, useServiceLines(), useWebhookLines(), useIncomingLines(), batches];
  const needs = sources.flatMap((source) => source.needs);
  const underWay = [...runs.underWay, ...batches.underWay];
  const queries = sources.flatMap((source) => source.queries);
  const failed = queries.filter(({ error }) => error !== null);
  const isLoading = queries.some((query) => query.isLoading);
  const tryAgain = () => failed.forEach(({ refetch }) => void refetch());
  return (
    <>
      <Section title={words.needsMe}>
        <FaultNotice fault={failed[0]?.error} tryAgain={tryAgain} />
        {needs.length > 0 && <Lines label={words.needsMe} lines={needs} />}
        {needs.length === 0 && isLoading && <SkeletonRows count={1} height="3.75rem" />}
        {needs.length === 0 && !isLoading && failed.length === 0 && (
          <p className={`${styles.calm} ${layout.row}`} data-tone="good">
            <Icon name="check" />
            {words.nothing}
          </p>
        )}
      </Section>
      {underWay.length > 0 && (
        <Section title={words.underWay}>
          <Lines label={words.underWay} lines={underWay} />
        </Section>
      )}
    </>
  );
}
