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
import { type SendAttempt, sendAttempts } from './attempt.ts';
import type { SendParameters } from './draft.ts';
import { composeWordsNow, useComposeWords } from './texts.ts';

export function AttemptPanel({ attempt }: { readonly attempt: SendAttempt }) {
  const words = useComposeWords();
  if (attempt.state === 'sent') return <SentPanel attempt={attempt} />;
  const texts = {
    held: words.held,
    now: words.sendNow,
    sending: words.sending,
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

/** Shows what becomes of the messages, live. */
function SentPanel({ attempt }: { readonly attempt: Extract<SendAttempt, { state: 'sent' }> }) {
  const words = useComposeWords();
  const { accepted, rejected } = attempt.sent;
  const conversation = attempt.parameters.conversation as string;
  const list = useList('/api/v1/messages', 'messages', { conversation, limit: 20 }, { live: ['messages'] });
  return (
    <Card className={`${layout.stack} ${layout.above}`}>
      <Notice tone="good" action={<Button onClick={() => sendAttempts.letGo()}>{words.another}</Button>}>
        {words.sent(accepted.length)}
        {rejected.length > 0 && ` ${words.rejectedSent(rejected.length)}`}
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
            title: words.changed,
            cell: ({ changed }) => <Time at={changed} />,
            place: 'below',
            width: '8rem',
          },
        ]}
      />
      <LogLink parameters={attempt.parameters} />
    </Card>
  );
}

/** Call this when the compose page is shown. It returns the function to call when the page is no longer shown. */
export const beginPage = reportElsewhere(sendAttempts, {
  held: (seconds) => composeWordsNow().heldElsewhere(seconds),
  refused: () => composeWordsNow().refusedElsewhere,
  doubtful: () => composeWordsNow().doubtfulElsewhere,
  sent({ sent: { accepted, rejected } }) {
    const words = composeWordsNow();
    const some = rejected.length > 0 ? ` ${words.rejectedSent(rejected.length)}` : '';
    return words.sent(accepted.length) + some;
  },
});
