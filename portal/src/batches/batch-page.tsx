/** One batch: how far it is, what may be done with it, and what failed of it. */
import { useParams } from '@tanstack/react-router';
import type { AnswerOf } from '../api/endpoints.ts';
import { useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { BackLink, ButtonLink } from '../design/button.tsx';
import { Facts } from '../design/facts.tsx';
import { ReasonText } from '../design/fault-text.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Card, Page } from '../design/page.tsx';
import { Time } from '../design/time.tsx';
import { useNumbers } from '../words/words.ts';
import { Acts } from './batch-acts.tsx';
import { FailedMessages } from './failed-messages.tsx';
import { ProgressBar, TotalsList } from './progress-bar.tsx';
import { StateBadge } from './state-badge.tsx';
import { useBatchWords } from './texts.ts';

type Batch = AnswerOf<'GET', '/api/v1/batches/{id}'>;

export function BatchPage() {
  const words = useBatchWords();
  const { id } = useParams({ from: '/batches/$id' });
  const read = useRead('/api/v1/batches/{id}', { id }, { live: ['batches', 'messages'] });
  const batch = read.data;
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
      <Answered read={read} rows={4}>
        {(answer) => <Shown batch={answer} />}
      </Answered>
    </Page>
  );
}

function Shown({ batch }: { readonly batch: Batch }) {
  const words = useBatchWords();
  const { id, state, totals, reason } = batch;
  return (
    <div className={`${layout.stack} ${layout.loose}`}>
      <Card className={layout.stack}>
        <div className={`${layout.row} ${layout.apart}`}>
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
      <About batch={batch} />
      {totals.failed > 0 && <FailedMessages id={id} />}
    </div>
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

function About({ batch }: { readonly batch: Batch }) {
  const words = useBatchWords();
  const { from, username, accepted, scheduledFor, heldTill, costCenter, duplicates, messages, parts } = batch;
  return (
    <Facts
      facts={[
        [words.size, `${words.messages(messages)}, ${words.parts(parts)}`],
        [words.sender, from],
        [words.by, username],
        [words.accepted, <Time key="accepted" at={accepted} full />],
        [words.scheduledFor, scheduledFor && <Time key="scheduled" at={scheduledFor} full />],
        [words.heldTill, heldTill && <Time key="held" at={heldTill} full />],
        [words.costCentre, costCenter],
        [words.duplicates, duplicates > 0 && String(duplicates)],
      ]}
    />
  );
}
