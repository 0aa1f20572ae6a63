/** The attempts to post to a webhook; what was posted and answered in one of them; and posting again. */

import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useList, useRead } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Answered } from '../design/answered.tsx';
import { Button } from '../design/button.tsx';
import { CursorList, RowLink } from '../design/cursor-list.tsx';
import { DateRange } from '../design/date-range.tsx';
import { Dialog } from '../design/dialog.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Facts } from '../design/facts.tsx';
import { ReasonText } from '../design/fault-text.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Section } from '../design/page.tsx';
import { Badge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { now } from '../words/times.ts';
import { useNumbers } from '../words/words.ts';
import { useWebhookWords } from './texts.ts';
import styles from './webhooks.module.css';
import { useWebhookPath } from './webhooks-page.tsx';

export const attemptsPath = '/api/v1/webhooks/{id}/attempts';
type Attempt = AnswerOf<'GET', typeof attemptsPath>['attempts'][number];

interface Of {
  /** The id of the webhook. */
  readonly id: string;
}

export function Attempts({ id }: Of) {
  const words = useWebhookWords();
  const base = useWebhookPath();
  const navigate = useNavigate();
  const written = useNumbers();
  const { attempt: shown } = useSearch({ strict: false });
  return (
    <Section title={words.attempts}>
      <CursorList
        label={words.attempts}
        list={useList(attemptsPath, 'attempts', { id }, { live: ['webhooks'] })}
        keyOf={({ number }) => number}
        empty={
          <EmptyState icon="out" title={words.noAttempts}>
            {words.noAttemptsText}
          </EmptyState>
        }
        columns={[
          {
            title: words.when,
            place: 'main',
            cell: ({ number, time }) => (
              <RowLink to={`${base}/$id`} params={{ id }} search={{ attempt: Number(number) }}>
                <Time at={time} />
              </RowLink>
            ),
          },
          {
            title: words.outcome,
            place: 'aside',
            width: '10rem',
            cell: (attempt) => <Outcome attempt={attempt} />,
          },
          { title: words.duration, width: '6rem', cell: ({ milliseconds }) => `${written(milliseconds)} ms` },
          {
            title: words.event,
            place: 'below',
            width: 'minmax(0, 2fr)',
            cell: ({ event, events, tries }) => (
              <span className={layout.clip}>
                {event === undefined ? words.notKept : words.eventWords[event]}
                {events > 1 && ` ${words.more(events - 1)}`}
                {tries > 1 && <span className={layout.soft}> · {words.tryNumber(tries)}</span>}
              </span>
            ),
          },
        ]}
      />
      {shown !== undefined && (
        <OneAttempt
          key={shown}
          id={id}
          number={String(shown)}
          close={() => void navigate({ to: `${base}/$id`, params: { id }, resetScroll: false })}
        />
      )}
    </Section>
  );
}

function Outcome({ attempt: { statusCode } }: { readonly attempt: Pick<Attempt, 'statusCode'> }) {
  const words = useWebhookWords();
  const isTaken = statusCode !== undefined && statusCode >= 200 && statusCode < 300;
  return (
    <Badge tone={isTaken ? 'delivered' : 'failed'}>
      {statusCode === undefined ? words.noAnswer : `HTTP ${statusCode}`}
    </Badge>
  );
}

interface OneAttemptProps extends Of {
  readonly number: string;
  readonly close: () => void;
}

function OneAttempt({ id, number, close }: OneAttemptProps) {
  const words = useWebhookWords();
  const written = useNumbers();
  const read = useRead('/api/v1/webhooks/{id}/attempts/{number}', { id, number });
  return (
    <Dialog title={words.attempt(number)} close={close}>
      <Answered read={read}>
        {(attempt) => (
          <div className={layout.stack}>
            <Facts
              facts={[
                [words.when, <Time key="time" at={attempt.time} full />],
                [words.outcome, <Outcome key="outcome" attempt={attempt} />],
                [words.duration, `${written(attempt.milliseconds)} ms · ${words.tryNumber(attempt.tries)}`],
                [words.address, attempt.address],
              ]}
            />
            {attempt.error !== undefined && (
              <p>
                <ReasonText reason={attempt.error} values={attempt.errorValues} />
              </p>
            )}
            <h3>{words.request}</h3>
            {attempt.posted.length === 0 ? (
              <p className={layout.soft}>{words.requestGone}</p>
            ) : (
              <Code
                label={words.request}
                text={attempt.posted.map((one) => JSON.stringify(one, null, 2)).join('\n')}
              />
            )}
            {attempt.statusCode !== undefined && (
              <>
                <h3>{words.answer}</h3>
                <p className={layout.soft}>{attempt.answer === '' ? words.answerEmpty : words.answerNote}</p>
                {attempt.answer !== '' && <Code label={words.answer} text={attempt.answer} />}
              </>
            )}
            {attempt.posted.length > 0 && <SendAgain id={id} number={number} close={close} />}
          </div>
        )}
      </Answered>
    </Dialog>
  );
}

/** It scrolls, so it can be reached by keyboard. */
export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <section
      className={`${styles.code} ${layout.well} ${layout.scrolls}`}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus, it can't be scrolled by keyboard
      tabIndex={0}
    >
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  );
}

function SendAgain({ id, number, close }: OneAttemptProps) {
  const words = useWebhookWords();
  const { mutate, isPending, error } = useAct('/api/v1/webhooks/{id}/attempts/{number}/replay');
  const sent = ({ events }: { readonly events: number }, isShown: boolean) => {
    showToast({ text: words.sentAgain(events) });
    if (isShown) close();
  };
  return (
    <>
      <FaultNotice fault={error} />
      <div className={layout.buttons}>
        <Button
          look="main"
          busy={isPending}
          onClick={() => mutate({ parameters: { id, number } }, { onSuccess: sent })}
        >
          {words.sendAgain}
        </Button>
      </div>
    </>
  );
}

const hourMs = 3_600_000;

/** A minute as a browser's field has it. */
function minuteOf(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function Replay({ id }: Of) {
  const words = useWebhookWords();
  const path = '/api/v1/webhooks/{id}/replay';
  const act = useAct(path);
  const form = formOf(
    act,
    useState(() => ({ from: minuteOf(new Date(now().getTime() - hourMs)), to: minuteOf(now()) })),
  );
  const { from, to } = form.values;
  const iso = (minute: string) => (minute === '' ? '' : new Date(minute).toISOString());
  const parameters = { id, from: iso(from), to: iso(to) };
  const sent = ({ events }: { readonly events: number }) => {
    if (events > 0) showToast({ text: words.sentAgain(events) });
  };
  return (
    <Section title={words.replay}>
      <ActForm
        form={form}
        submit={() => act.mutate({ parameters }, { onSuccess: sent })}
        label={words.sendAgain}
        call={{ method: 'POST', path, parameters }}
      >
        <p className={layout.soft}>{words.replayText}</p>
        <DateRange
          unit="minute"
          required
          from={from}
          to={to}
          errors={{ from: form.field('from').error, to: form.field('to').error }}
          change={form.set}
        />
        {act.data?.events === 0 && <Notice>{words.nothingKept}</Notice>}
      </ActForm>
    </Section>
  );
}
