/** The state of an attempt to send or start something, and what can be done about it: undo, do it now, or try again. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../design/button.tsx';
import { FaultText } from '../design/fault-text.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { showToast } from '../design/toasts.tsx';
import type { Attempt, Attempts } from './attempt.ts';
import styles from './sending.module.css';
import { useSendingWords } from './texts.ts';

/** The texts that differ from kind to kind. */
export interface AttemptTexts {
  readonly held: string;
  readonly now: string;
  readonly sending: string;
  readonly interrupted: string;
  readonly edit: string;
  readonly doubtful: string;
  readonly doubtfulSaid: string;
  readonly again: string;
  readonly outdated: string;
  readonly elsewhere: string;
}

interface NoticeProps<Parameters, Answer> {
  readonly attempts: Attempts<Parameters, Answer>;
  readonly attempt: Exclude<Attempt<Parameters, Answer>, { state: 'sent' }>;
  readonly texts: AttemptTexts;
  /** Where to find out what became of an attempt that can't be repeated. */
  readonly whereToLook: (parameters: Parameters) => ReactNode;
}

export function AttemptNotice<Parameters, Answer>(props: NoticeProps<Parameters, Answer>) {
  const words = useSendingWords();
  const { attempts, attempt, texts, whereToLook } = props;
  const letGo = () => attempts.letGo();
  const choices = (now: string, leave: string) => (
    <div className={layout.row}>
      <Button small look="main" onClick={() => void attempts.sendNow()}>
        {now}
      </Button>
      <Button small onClick={letGo}>
        {leave}
      </Button>
    </div>
  );
  switch (attempt.state) {
    case 'held':
      return <Held attempts={attempts} texts={texts} />;
    case 'sending':
      return <Notice>{texts.sending}</Notice>;
    case 'interrupted':
      return (
        <Notice tone="warning" action={choices(texts.now, texts.edit)}>
          {texts.interrupted}
        </Notice>
      );
    case 'doubtful':
      return (
        <Notice tone="error" action={choices(texts.again, words.giveUp)}>
          {attempt.said === undefined ? (
            texts.doubtful
          ) : (
            <>
              <FaultText fault={attempt.said} /> {texts.doubtfulSaid}
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
              {whereToLook(attempt.parameters)}
              <Button small onClick={letGo}>
                {words.giveUp}
              </Button>
            </div>
          }
        >
          {texts.outdated}
        </Notice>
      );
    case 'elsewhere':
      return <Notice tone="warning">{texts.elsewhere}</Notice>;
    case 'refused':
      return <FaultNotice fault={attempt.fault} />;
  }
}

function Held<Parameters, Answer>({
  attempts,
  texts,
}: Pick<NoticeProps<Parameters, Answer>, 'attempts' | 'texts'>) {
  const words = useSendingWords();
  const left = useSecondsLeft(attempts);
  return (
    <div
      className={`${styles.held} ${layout.wash} ${layout.row} ${layout.above}`}
      data-tone="plain"
      role="status"
    >
      <p>{texts.held}</p>
      <span className={styles.seconds} aria-hidden="true">
        {left}
      </span>
      <div className={layout.row}>
        <Button autoFocus onClick={() => attempts.letGo()}>
          {words.undo}
        </Button>
        <Button look="quiet" onClick={() => void attempts.sendNow()}>
          {texts.now}
        </Button>
      </div>
    </div>
  );
}

function useSecondsLeft(attempts: { secondsLeft(): number }): number {
  const [left, setLeft] = useState(() => attempts.secondsLeft());
  useEffect(() => {
    const timer = window.setInterval(() => setLeft(attempts.secondsLeft()), 200);
    return () => window.clearInterval(timer);
  }, [attempts]);
  return left;
}

/**
 * While other pages are shown, toasts report what becomes of the attempt. The toast of a failure stays for a minute, because
 * the user is reading something else.
 */
const failureLastsMs = 60_000;

interface Reports<Parameters, Answer> {
  readonly held: (seconds: number, attempt: Attempt<Parameters, Answer>) => string;
  readonly refused: () => string;
  readonly doubtful: () => string;
  readonly sent: (attempt: Extract<Attempt<Parameters, Answer>, { state: 'sent' }>) => ReactNode;
}

/**
 * Returns a function to call when the attempt's own page is shown. That function returns the one to call when the page is no
 * longer shown.
 */
export function reportElsewhere<Parameters, Answer>(
  attempts: Attempts<Parameters, Answer>,
  reports: Reports<Parameters, Answer>,
): () => () => void {
  let isPageShown = false;
  let before = attempts.now();
  let takeUndoAway: (() => void) | undefined;
  /** Removes the toast even while the user holds it open, because it is no longer true. */
  const withdrawUndo = () => {
    takeUndoAway?.();
    takeUndoAway = undefined;
  };
  const offerUndo = () => {
    const attempt = attempts.now();
    if (attempt?.state !== 'held') return;
    const seconds = attempts.secondsLeft();
    const undo = () => attempts.letGo();
    takeUndoAway = showToast({ text: reports.held(seconds, attempt), undo, lastsMs: seconds * 1_000 });
  };
  const failed = (text: ReactNode) => showToast({ text, tone: 'error', lastsMs: failureLastsMs });
  attempts.subscribe(() => {
    withdrawUndo();
    const attempt = attempts.now();
    // What is recalled when its page opens is shown by that page.
    const isRecalled = before === undefined;
    before = attempt;
    if (isPageShown || isRecalled) return;
    if (attempt?.state === 'refused')
      failed(
        <>
          {reports.refused()} <FaultText fault={attempt.fault} />
        </>,
      );
    if (attempt?.state === 'doubtful') failed(reports.doubtful());
    if (attempt?.state === 'sent') showToast({ text: reports.sent(attempt) });
  });
  return () => {
    isPageShown = true;
    withdrawUndo();
    return () => {
      isPageShown = false;
      offerUndo();
    };
  };
}
