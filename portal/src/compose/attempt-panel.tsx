/** The state of an attempt to send, and what can be done about it: undo, send now, or send again. */
import { type ReactNode, useEffect, useState } from 'react';
import { useList } from '../api/queries.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { CursorList } from '../design/cursor-list.tsx';
import { FaultText } from '../design/fault-text.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Card } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { type Attempt, attemptNow, letGo, secondsLeft, sendNow, whenAttemptChanges } from './attempt.ts';
import styles from './compose.module.css';
import type { SendParameters } from './draft.ts';
import { composeWordsNow, useComposeWords } from './texts.ts';

export function AttemptPanel({ attempt }: { readonly attempt: Attempt }) {
  const words = useComposeWords();
  switch (attempt.state) {
    case 'held':
      return <Held />;
    case 'sending':
      return <Notice>{words.sending}</Notice>;
    case 'interrupted':
      return (
        <Notice tone="warning" action={<Choices />}>
          {words.interrupted}
        </Notice>
      );
    case 'doubtful':
      return (
        <Notice tone="error" action={<Choices again />}>
          {attempt.said === undefined ? (
            words.doubtful
          ) : (
            <>
              <FaultText fault={attempt.said} /> {words.doubtfulSaid}
            </>
          )}
        </Notice>
      );
    case 'outdated':
      return (
        <Notice
          tone="error"
          action={
            <div className={layout.row}>
              <LogLink parameters={attempt.parameters} />
              <Button small onClick={letGo}>
                {words.giveUp}
              </Button>
            </div>
          }
        >
          {words.outdated}
        </Notice>
      );
    case 'elsewhere':
      return <Notice tone="warning">{words.elsewhere}</Notice>;
    case 'refused':
      return <FaultNotice fault={attempt.fault} />;
    default:
      return <SentPanel attempt={attempt} />;
  }
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

function Choices({ again = false }: { readonly again?: boolean }) {
  const words = useComposeWords();
  return (
    <div className={layout.row}>
      <Button small look="main" onClick={() => void sendNow()}>
        {again ? words.sendAgain : words.sendNow}
      </Button>
      <Button small onClick={letGo}>
        {again ? words.giveUp : words.edit}
      </Button>
    </div>
  );
}

function Held() {
  const words = useComposeWords();
  const left = useSecondsLeft();
  return (
    <div
      className={`${styles.held} ${layout.wash} ${layout.row} ${layout.above}`}
      data-tone="plain"
      role="status"
    >
      <p>{words.held}</p>
      <span className={styles.seconds} aria-hidden="true">
        {left}
      </span>
      <div className={layout.row}>
        <Button autoFocus onClick={letGo}>
          {words.undo}
        </Button>
        <Button look="quiet" onClick={() => void sendNow()}>
          {words.sendNow}
        </Button>
      </div>
    </div>
  );
}

function useSecondsLeft(): number {
  const [left, setLeft] = useState(secondsLeft);
  useEffect(() => {
    const timer = window.setInterval(() => setLeft(secondsLeft()), 200);
    return () => window.clearInterval(timer);
  }, []);
  return left;
}

/** Shows what becomes of the messages, live. */
function SentPanel({ attempt }: { readonly attempt: Extract<Attempt, { state: 'sent' }> }) {
  const words = useComposeWords();
  const { accepted, rejected } = attempt.sent;
  const conversation = attempt.parameters.conversation as string;
  // A sending has the id of its first message.
  const [sending] = accepted;
  const list = useList('/api/v1/messages', 'messages', { conversation, limit: 20 }, { live: ['messages'] });
  return (
    <Card className={`${layout.stack} ${layout.above}`}>
      <Notice tone="good" action={<Button onClick={letGo}>{words.another}</Button>}>
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

/**
 * While other pages are shown, toasts report what becomes of the attempt. The toast of a failure stays for a minute, because
 * the user is reading something else.
 */
const failureLastsMs = 60_000;

let isPageShown = false;
let takeUndoAway: (() => void) | undefined;

/** Call this when the compose page is shown. It returns the function to call when the page is no longer shown. */
export function beginPage(): () => void {
  isPageShown = true;
  withdrawUndo();
  return () => {
    isPageShown = false;
    offerUndo();
  };
}

function offerUndo(): void {
  if (attemptNow()?.state !== 'held') return;
  const seconds = secondsLeft();
  const text = composeWordsNow().heldElsewhere(seconds);
  takeUndoAway = showToast({ text, undo: letGo, lastsMs: seconds * 1_000 });
}

/** Removes the toast even while the user holds it open, because it is no longer true. */
function withdrawUndo(): void {
  takeUndoAway?.();
  takeUndoAway = undefined;
}

whenAttemptChanges(() => {
  withdrawUndo();
  if (!isPageShown) tell();
});

function tell(): void {
  const attempt = attemptNow();
  const words = composeWordsNow();
  const failed = (text: ReactNode) => showToast({ text, tone: 'error', lastsMs: failureLastsMs });
  if (attempt?.state === 'refused')
    failed(
      <>
        {words.refusedElsewhere} <FaultText fault={attempt.fault} />
      </>,
    );
  if (attempt?.state === 'doubtful') failed(words.doubtfulElsewhere);
  if (attempt?.state !== 'sent') return;
  const { accepted, rejected } = attempt.sent;
  const some = rejected.length > 0 ? ` ${words.rejectedSent(rejected.length)}` : '';
  showToast({ text: words.sent(accepted.length) + some });
}
