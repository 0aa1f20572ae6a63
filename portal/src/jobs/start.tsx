/** Starts a job, never twice: ten seconds to reconsider, and one key from the press of the button to the answer. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { post } from '../api/client.ts';
import type { AnswerOf, ParametersOf } from '../api/endpoints.ts';
import { ButtonLink } from '../design/button.tsx';
import { type Attempt, Attempts } from '../sending/attempt.ts';
import { AttemptNotice, reportElsewhere } from '../sending/attempt-notice.tsx';
import { useSession } from '../session/session.ts';
import { jobWordsNow, useJobWords } from './texts.ts';

type StartCall = ParametersOf<'POST', '/api/v1/jobs/{id}/start'>;

/** What is changed in the saved job for one run. */
export type StartParameters = Omit<StartCall, 'id'>;

export interface Start {
  /** Id of the saved job. */
  readonly job: string;
  readonly name: string;
  readonly parameters: StartParameters;
}

type Started = AnswerOf<'POST', '/api/v1/jobs/{id}/start'>;

export const startAttempts = new Attempts<Start, Started>({
  kind: 'start-attempt',
  call: ({ job, parameters }, options) =>
    post('/api/v1/jobs/{id}/start', { id: Number(job), ...parameters }, options),
});

const beginPage = reportElsewhere(startAttempts, {
  held: (seconds) => jobWordsNow().heldElsewhere(seconds),
  refused: () => jobWordsNow().refusedElsewhere,
  doubtful: () => jobWordsNow().doubtfulElsewhere,
  sent: ({ sent: { id, name } }) => (
    <>
      {jobWordsNow().startedElsewhere(name)}{' '}
      <Link to="/runs/$id" params={{ id }}>
        {jobWordsNow().openBoard}
      </Link>
    </>
  ),
});

/** The current attempt; once it has started a run, the run's board is shown. */
export function useStartAttempt(): Attempt<Start, Started> | undefined {
  const { username } = useSession();
  // What was left unfinished is known before the page is rendered for the first time. What has started while another page was
  // shown was reported there, and leads nobody away from a job that is opened later.
  useState(() => {
    startAttempts.recall(username);
    if (startAttempts.now()?.state === 'sent') startAttempts.letGo();
  });
  useEffect(beginPage, []);
  // The reason why a start was refused is shown once; the next visit starts without it.
  useEffect(() => () => void (startAttempts.now()?.state === 'refused' && startAttempts.letGo()), []);
  const attempt = startAttempts.use();
  const navigate = useNavigate();
  const started = attempt?.state === 'sent' ? attempt.sent.id : undefined;
  useEffect(() => {
    if (started === undefined) return;
    startAttempts.letGo();
    void navigate({ to: '/runs/$id', params: { id: started }, replace: true });
  }, [started, navigate]);
  return attempt;
}

interface StartNoticeProps {
  readonly attempt: Exclude<Attempt<Start, Started>, { state: 'sent' }>;
  readonly job: string;
}

export function StartNotice({ attempt, job }: StartNoticeProps) {
  const words = useJobWords();
  const texts = {
    held: words.held,
    now: words.startNow,
    sending: words.starting,
    interrupted: words.interrupted,
    edit: words.leaveStart,
    doubtful: words.doubtful,
    doubtfulSaid: words.doubtfulSaid,
    again: words.startAgain,
    outdated: words.outdated,
    elsewhere: words.elsewhere,
  };
  const other = attempt.parameters.job === job ? undefined : attempt.parameters;
  return (
    <>
      {other !== undefined && (
        <p>
          {words.otherJob}{' '}
          <Link to="/jobs/$id" params={{ id: other.job }}>
            <bdi>{other.name}</bdi>
          </Link>
        </p>
      )}
      <AttemptNotice
        attempts={startAttempts}
        attempt={attempt}
        texts={texts}
        whereToLook={() => (
          <ButtonLink small to="/jobs">
            {words.toJobs}
          </ButtonLink>
        )}
      />
    </>
  );
}
