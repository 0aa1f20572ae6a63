/** One batch: how far it is, what may be done with it, and what failed of it. */
import { useParams } from '@tanstack/react-router';
import type { AnswerOf } from '../api/endpoints.ts';
import { useRead } from '../api/queries.ts';
import { BackLink, ButtonLink } from '../design/button.tsx';
import { ReasonText } from '../design/fault-text.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Card, Page } from '../design/page.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { Time } from '../design/time.tsx';
import { useNumbers } from '../words/words.ts';
import { Acts } from './batch-acts.tsx';
import styles from './batches.module.css';
import { FailedMessages } from './failed-messages.tsx';
import { ProgressBar, TotalsList } from './progress-bar.tsx';
import { StateBadge } from './state-badge.tsx';
import { useBatchWords } from './texts.ts';

type Batch = AnswerOf<'GET', '/api/v1/batches/{id}'>;

export function BatchPage() {
  const words = useBatchWords();
  const { id } = useParams({ from: '/batches/$id' });
  const {
    data: batch,
    error,
    refetch,
  } = useRead('/api/v1/batches/{id}', { id }, { live: ['batches', 'messages'] });
  const name = batch?.name || batch?.batchConversation || words.nameless(id);
  return (
    <Page
      title={name}
      back={<BackLink to="/batches">{words.toAll}</BackLink>}
      actions={
        batch !== undefined && (
          <>
            <ButtonLink to="/messages" search={{ batchId: id }}>
              {words.itsMessages}
            </ButtonLink>
            <Acts batch={batch} />
          </>
        )
      }
    >
      {batch === undefined && error === null && <SkeletonRows count={4} />}
      <FaultNotice fault={error} tryAgain={() => void refetch()} />
      {batch !== undefined && <Shown batch={batch} />}
    </Page>
  );
}

function Shown({ batch }: { readonly batch: Batch }) {
  const words = useBatchWords();
  const { id, state, totals, reason } = batch;
  return (
    <>
      <Card className={layout.stack}>
        <div className={styles.now}>
          <StateBadge state={state} />
          <Pace batch={batch} />
        </div>
        <ProgressBar totals={totals} />
        <TotalsList totals={totals} />
        {state === 'paused' && <p className={layout.soft}>{words.pausedText}</p>}
        {reason !== undefined && (
          <Notice tone={state === 'failed' ? 'error' : 'plain'}>
            {words.reason} <ReasonText reason={reason} values={batch.reasonValues} />
          </Notice>
        )}
      </Card>
      <Facts batch={batch} />
      {totals.failed > 0 && <FailedMessages id={id} />}
    </>
  );
}

function Pace({ batch: { speed, secondsLeft } }: { readonly batch: Batch }) {
  const words = useBatchWords();
  const number = useNumbers();
  if (speed === undefined || secondsLeft === undefined) return null;
  const minutes = Math.round(secondsLeft / 60);
  const time = minutes === 0 ? words.lessThanAMinute : words.minutes(minutes);
  return (
    <span className={layout.soft}>
      {words.speed(number(speed))} · {words.left(time)}
    </span>
  );
}

function Facts({ batch }: { readonly batch: Batch }) {
  const words = useBatchWords();
  const { from, username, accepted, scheduledFor, heldTill, costCenter, duplicates, messages, parts } = batch;
  const facts: readonly (readonly [string, React.ReactNode])[] = [
    [words.size, `${words.messages(messages)}, ${words.parts(parts)}`],
    [words.sender, from],
    [words.by, username],
    [words.accepted, <Time key="accepted" at={accepted} full />],
    ...(scheduledFor === undefined
      ? []
      : [[words.scheduledFor, <Time key="scheduled" at={scheduledFor} full />] as const]),
    ...(heldTill === undefined ? [] : [[words.heldTill, <Time key="held" at={heldTill} full />] as const]),
    ...(costCenter === '' ? [] : [[words.costCentre, costCenter] as const]),
    ...(duplicates === 0 ? [] : [[words.duplicates, String(duplicates)] as const]),
  ];
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
