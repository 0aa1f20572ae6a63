/** A saved job before it starts: what people get, who is asked, whether the goal can be met, and the button that starts it. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { post } from '../api/client.ts';
import type { Fault } from '../api/fault.ts';
import { useRead } from '../api/queries.ts';
import { useSettled } from '../browser/settled.ts';
import { Answered } from '../design/answered.tsx';
import { AsCurl } from '../design/as-curl.tsx';
import { BackLink, Button } from '../design/button.tsx';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import layout from '../design/layout.module.css';
import { PartsMeter } from '../design/message-field.tsx';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Card, Page, Section } from '../design/page.tsx';
import { shortTime, timeOf } from '../words/times.ts';
import styles from './jobs.module.css';
import { asSaved, type Changes, OnlyThisTime, parametersOf } from './only-this-time.tsx';
import { StateBadge } from './progress.tsx';
import { countAskedFirst, RehearsalView, shortfallOf } from './rehearsal.tsx';
import type { Rehearsal, SavedJob } from './run.ts';
import { StartNotice, type StartParameters, startAttempts, useStartAttempt } from './start.tsx';
import { useJobWords } from './texts.ts';

export function JobPage() {
  const words = useJobWords();
  const { id } = useParams({ from: '/jobs/$id' });
  const read = useRead('/api/v1/jobs/{id}', { id: Number(id) });
  const job = read.data;
  return (
    <Page
      title={job?.name ?? words.title}
      lead={job?.type}
      width="narrow"
      back={<BackLink to="/jobs">{words.toJobs}</BackLink>}
    >
      <Answered read={read}>{(answer) => <Prepared key={answer.id} job={answer} />}</Answered>
    </Page>
  );
}

/** Asks again after each change, once the user pauses. It sends and stores nothing. */
function useRehearsal(job: string, parameters: StartParameters) {
  const wanted = JSON.stringify(parameters);
  const settled = useSettled(wanted);
  const query = useQuery<Rehearsal, Fault>({
    queryKey: ['rehearsal', job, settled],
    queryFn: ({ signal }) =>
      post('/api/v1/jobs/{id}/rehearse', { id: Number(job), ...JSON.parse(settled) }, { signal }),
    placeholderData: (before) => before,
    meta: { live: ['contacts'] },
  });
  // What is shown belongs to earlier fields until the answer for these has come.
  return { ...query, isCurrent: settled === wanted && query.isSuccess && !query.isPlaceholderData };
}

function Prepared({ job }: { readonly job: SavedJob }) {
  const words = useJobWords();
  const [changes, setChanges] = useState<Changes>(() => asSaved(job));
  const parameters = parametersOf(changes, job);
  const rehearsal = useRehearsal(job.id, parameters);
  const attempt = useStartAttempt();
  const isFree = attempt === undefined || attempt.state === 'refused';
  const { data, error } = rehearsal;
  const change = (some: Partial<Changes>) => setChanges((before) => ({ ...before, ...some }));
  return (
    <div className={`${styles.prepared} ${layout.stack}`}>
      <AlreadyRunning job={job.id} />
      <Section title={words.whatTheyGet}>
        <div className={`${layout.stack} ${layout.tight}`}>
          <p className={`${layout.sms} ${layout.large}`} dir="auto">
            {changes.message}
          </p>
          <PartsMeter text={changes.message} />
        </div>
      </Section>
      <FaultNotice fault={fieldless(error)} tryAgain={() => void rehearsal.refetch()} />
      {data?.problem !== undefined && (
        <Notice tone="error">
          {words.cannotStart} {data.problem}
        </Notice>
      )}
      {data !== undefined && (
        <RehearsalView
          rehearsal={data}
          filter={job.settings?.globalTagFilter}
          isCurrent={rehearsal.isCurrent}
        />
      )}
      <fieldset disabled={!isFree} className={styles.change}>
        <OnlyThisTime job={job} changes={changes} change={change} fault={error} />
      </fieldset>
      <AsCurl
        call={{ method: 'POST', path: '/api/v1/jobs/{id}/start', parameters: { id: job.id, ...parameters } }}
      />
      <div className={styles.startBar}>
        {attempt !== undefined && attempt.state !== 'sent' && <StartNotice attempt={attempt} job={job.id} />}
        {isFree && (
          <StartButton
            rehearsal={data}
            isReady={rehearsal.isCurrent && data?.problem === undefined}
            isAsking={!rehearsal.isCurrent && error === null}
            at={timeOf(changes.at)}
            start={() => startAttempts.hold({ job: job.id, name: changes.name || job.name, parameters })}
          />
        )}
      </div>
    </div>
  );
}

/** A fault that the fields do not show. */
function fieldless(fault: Fault | null): Fault | null {
  return fault !== null && fault.fields.length > 0 ? null : fault;
}

/** The button says what it does, to how many people. If the goal can't be met, it asks first. */
function StartButton({
  rehearsal,
  isReady,
  isAsking,
  at,
  start,
}: {
  readonly rehearsal: Rehearsal | undefined;
  readonly isReady: boolean;
  /** Whether the answer of the rehearsal has still to come. */
  readonly isAsking: boolean;
  readonly at: string | undefined;
  readonly start: () => void;
}) {
  const words = useJobWords();
  const [isDoubted, setDoubted] = useState(false);
  const first = rehearsal === undefined ? undefined : countAskedFirst(rehearsal);
  const shortfall = rehearsal === undefined ? undefined : shortfallOf(rehearsal);
  const label =
    isAsking || first === undefined || !isReady
      ? isAsking
        ? words.rehearsing
        : words.start
      : at === undefined
        ? words.startNowFor(first.count, first.isMore)
        : words.startAtFor(first.count, first.isMore, shortTime(new Date(at)));
  const press = () => {
    if (!isReady) return;
    if (shortfall === undefined) start();
    else setDoubted(true);
  };
  return (
    <>
      <Button look="main" className={styles.startButton ?? ''} disabled={!isReady} onClick={press}>
        {label}
      </Button>
      {isDoubted && shortfall !== undefined && (
        <ConfirmDialog
          title={words.allTheSame}
          label={words.startAllTheSame}
          look="main"
          close={() => setDoubted(false)}
          confirm={() => {
            setDoubted(false);
            start();
          }}
        >
          {words.shortfall(shortfall.canBeReached, shortfall.goal)}
        </ConfirmDialog>
      )}
    </>
  );
}

/** Somebody else may have started the job a minute ago. */
function AlreadyRunning({ job }: { readonly job: string }) {
  const words = useJobWords();
  const asked = { phase: ['open' as const, 'scheduled' as const], savedJob: Number(job), limit: 5 };
  const runs = useRead('/api/v1/runs', asked, { live: ['runs'] }).data?.runs ?? [];
  if (runs.length === 0) return null;
  return (
    <Card>
      <p>{words.alreadyRunning}</p>
      <ul className={layout.stack}>
        {runs.map((run) => (
          <li key={run.id} className={layout.row}>
            <StateBadge run={run} />
            <Link to="/runs/$id" params={{ id: run.id }}>
              <bdi>{run.name}</bdi>
            </Link>
            <span className={layout.soft}>
              {words.startedBy(run.username, shortTime(new Date(run.start)))}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
