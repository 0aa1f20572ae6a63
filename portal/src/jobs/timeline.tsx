/** What has happened in a run, the latest first: who did it, whom it concerned, and why. */
import { useList } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { ReasonText } from '../design/fault-text.tsx';
import { useLaterWords } from '../design/later-texts.ts';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { Time } from '../design/time.tsx';
import styles from './jobs.module.css';
import { useJobWords } from './texts.ts';

/** Only so many people are named where they are many. */
const named = 5;

export function Timeline({ id }: { readonly id: string }) {
  const words = useJobWords();
  const later = useLaterWords();
  const list = useList(
    '/api/v1/runs/{id}/timeline',
    'entries',
    { id: Number(id), limit: 30 },
    { live: ['runs'] },
  );
  const { items, fault, isLoading, hasMore, isLoadingMore } = list;
  if (isLoading) return <SkeletonRows count={3} />;
  return (
    <>
      {list.isBehind && (
        <Button small onClick={list.reload}>
          {later.newer}
        </Button>
      )}
      <ol className={layout.lines}>
        {items.map(({ time, what, by, people, others, why, whyValues, text }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are counted from the first, at the end
          <li key={items.length - place}>
            <p className={`${layout.beside} ${layout.apart} ${layout.level}`}>
              <strong>{words.events[what as keyof typeof words.events] ?? what}</strong>
              <span className={layout.soft}>
                <Time at={time} />
              </span>
            </p>
            {people.length > 0 && (
              <p className={styles.names}>
                <bdi>{people.slice(0, named).join(', ')}</bdi>
                {people.length + others > named && ` ${words.others(people.length + others - named)}`}
              </p>
            )}
            {text !== undefined && <q dir="auto">{text}</q>}
            <p className={layout.soft}>
              {why !== undefined && <Why why={why} values={whyValues} />}{' '}
              {by !== undefined && words.byUser(by)}
            </p>
          </li>
        ))}
      </ol>
      <FaultNotice fault={fault} tryAgain={list.reload} />
      {hasMore && (
        <Button look="quiet" busy={isLoadingMore} onClick={list.loadMore}>
          {later.loadMore}
        </Button>
      )}
    </>
  );
}

/** An outcome has words of its own; other reasons are the server's. */
function Why({ why, values }: { readonly why: string; readonly values: object | undefined }) {
  const { outcomes } = useJobWords();
  const known: Readonly<Record<string, string>> = outcomes;
  return known[why] ?? <ReasonText reason={why} values={values} />;
}
