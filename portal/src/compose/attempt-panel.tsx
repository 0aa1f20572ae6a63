/** The state of an attempt to send, and what became of the messages once it was accepted. */
import { useList } from '../api/queries.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { CursorList } from '../design/cursor-list.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Card } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { AttemptNotice, reportElsewhere } from '../sending/attempt-notice.tsx';
import { comingTime } from '../words/times.ts';
import { type SendAttempt, sendAttempts } from './attempt.ts';
import type { SendParameters } from './draft.ts';
import { composeWordsNow, useComposeWords } from './texts.ts';

type SentAttempt = Extract<SendAttempt, { state: 'sent' }>;
type Words = ReturnType<typeof useComposeWords>;

export function AttemptPanel({ attempt }: { readonly attempt: SendAttempt }) {
  const words = useComposeWords();
  if (attempt.state === 'sent') return <SentPanel attempt={attempt} />;
  const texts = {
    held: isScheduled(attempt) ? words.heldSchedule : words.held,
    now: isScheduled(attempt) ? words.scheduleNow : words.sendNow,
    sending: isScheduled(attempt) ? words.scheduling : words.sending,
    interrupted: words.interrupted,
    edit: words.edit,
    doubtful: words.doubtful,
    doubtfulSaid: words.doubtfulSaid,
    again: words.sendAgain,
    outdated: words.outdated,
    elsewhere: words.elsewhere,
  };
  return (
    <AttemptNotice
      attempts={sendAttempts}
      attempt={attempt}
      texts={texts}
      whereToLook={(parameters) => <LogLink parameters={parameters} />}
    />
  );
}

/** Links to the attempt in the log, where its conversation identifies it. */
function LogLink({ parameters }: { readonly parameters: SendParameters }) {
  const words = useComposeWords();
  const q = parameters.conversation as string;
  return (
    <ButtonLink small className={layout.start} to="/messages" search={{ q, kind: 'conversation' }}>
      {words.inLog}
    </ButtonLink>
  );
}

function isScheduled({ parameters }: { readonly parameters: SendParameters }): boolean {
  return parameters.scheduletime !== undefined;
}

/** What became of the attempt: what was scheduled has not been sent. */
function outcomeOf({ sent, parameters }: SentAttempt, words: Words): string {
  const { accepted, rejected } = sent;
  const some = rejected.length > 0 ? ` ${words.rejectedSent(rejected.length)}` : '';
  if (accepted.length === 0 || parameters.scheduletime === undefined)
    return words.sent(accepted.length) + some;
  return words.scheduled(comingTime(new Date(String(parameters.scheduletime))), accepted.length) + some;
}

/** Shows what becomes of the messages, live. */
function SentPanel({ attempt }: { readonly attempt: SentAttempt }) {
  const words = useComposeWords();
  const conversation = attempt.parameters.conversation as string;
  // A sending has the id of its first message.
  const { accepted } = attempt.sent;
  const [sending] = accepted;
  const list = useList('/api/v1/messages', 'messages', { conversation, limit: 20 }, { live: ['messages'] });
  return (
    <Card className={`${layout.stack} ${layout.above}`}>
      <Notice tone="good" action={<Button onClick={() => sendAttempts.letGo()}>{words.another}</Button>}>
        {outcomeOf(attempt, words)}
      </Notice>
      <CursorList
        label={words.whatBecame}
        list={list}
        keyOf={({ id }) => id}
        empty={null}
        columns={[
          { title: words.to, cell: ({ to }) => <PhoneNumber number={to} />, place: 'main' },
          {
            title: words.status,
            cell: ({ status, simulated }) => <StatusBadge status={status} simulated={simulated} />,
            place: 'aside',
          },
          {
            title: isScheduled(attempt) ? words.scheduledFor : words.changed,
            cell: ({ changed, scheduleTime = changed }) => <Time at={scheduleTime} />,
            place: 'below',
            width: '8rem',
          },
        ]}
      />
      {sending !== undefined && accepted.length > 1 ? (
        <ButtonLink small className={layout.start} to="/sendings/$id" params={{ id: sending.id }}>
          {words.whoAnswered}
        </ButtonLink>
      ) : (
        <LogLink parameters={attempt.parameters} />
      )}
    </Card>
  );
}

/** Call this when the compose page is shown. It returns the function to call when the page is no longer shown. */
export const beginPage = reportElsewhere(sendAttempts, {
  held: (seconds, attempt) =>
    (isScheduled(attempt) ? composeWordsNow().heldScheduleElsewhere : composeWordsNow().heldElsewhere)(
      seconds,
    ),
  refused: () => composeWordsNow().refusedElsewhere,
  doubtful: () => composeWordsNow().doubtfulElsewhere,
  sent: (attempt) => outcomeOf(attempt, composeWordsNow()),
});
