/** One batch: its progress, its actions, and its failed messages. */
import { Link, useParams } from '@tanstack/react-router';
import { fileAddress } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useList, useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { BackLink, ButtonLink } from '../design/button.tsx';
import { CursorList } from '../design/cursor-list.tsx';
import { DownloadLink } from '../design/download-link.tsx';
import { Facts } from '../design/facts.tsx';
import { ReasonText } from '../design/fault-text.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Card, Page, Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { TextWithTimes, Time } from '../design/time.tsx';
import { language } from '../words/language.ts';
import { useNumbers } from '../words/words.ts';
import { Acts } from './batch-acts.tsx';
import { ProgressBar, StateBadge, TotalsList } from './progress.tsx';
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
  const { state, totals, reason } = batch;
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
      {totals.failed > 0 && <FailedMessages batch={batch} />}
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
  const { resentFrom, resentAs } = batch;
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
        [words.resentFrom, resentFrom !== undefined && <BatchLinks ids={[resentFrom]} />],
        [words.resentAs, resentAs.length > 0 && <BatchLinks ids={resentAs} />],
      ]}
    />
  );
}

function BatchLinks({ ids }: { readonly ids: readonly string[] }) {
  const words = useBatchWords();
  return (
    <span className={layout.row}>
      {ids.map((id) => (
        <Link key={id} to="/batches/$id" params={{ id }}>
          {words.nameless(id)}
        </Link>
      ))}
    </span>
  );
}

/** The messages that failed, with the reasons, on the page and as a file. */
function FailedMessages({ batch: { id, failures } }: { readonly batch: Batch }) {
  const words = useBatchWords();
  const number = useNumbers();
  const list = useList(
    '/api/v1/batches/{id}/failed',
    'failed',
    { id, language },
    { live: ['batches', 'messages'] },
  );
  const download = (
    <DownloadLink href={fileAddress('/api/v1/batches/{id}/failed/csv', { id, language })}>
      {words.download}
    </DownloadLink>
  );
  return (
    <Section title={words.failed} actions={download}>
      <ul className={`${layout.row} ${layout.above}`} aria-label={words.byReason}>
        {failures.map(({ status, messages }) => (
          <li key={status} className={layout.beside}>
            <StatusBadge status={status} /> <strong>{number(messages)}</strong>
          </li>
        ))}
      </ul>
      <CursorList
        label={words.failed}
        list={list}
        keyOf={(message) => message.id}
        // The list is shown only if something has failed; its first row may come a moment later.
        empty={<SkeletonRows count={1} />}
        columns={[
          { title: words.to, width: '12rem', place: 'main', cell: ({ to }) => <PhoneNumber number={to} /> },
          {
            title: words.status,
            width: '12rem',
            place: 'aside',
            cell: ({ status, simulated }) => <StatusBadge status={status} simulated={simulated} />,
          },
          {
            title: words.why,
            place: 'below',
            cell: ({ why, todo }) => (
              <span className={layout.wraps}>
                <TextWithTimes text={`${why} ${todo ?? ''}`} />
              </span>
            ),
          },
        ]}
      />
    </Section>
  );
}
