/** Tells what becomes of an attempt while other pages show than the one that sends, and lets it be undone there. */
import type { ReactNode } from 'react';
import { FaultText } from '../design/fault-text.tsx';
import { showToast } from '../design/toasts.tsx';
import { attemptNow, letGo, secondsLeft, whenAttemptChanges } from './attempt.ts';
import { composeWordsNow } from './texts.ts';

/** Long enough to be seen by somebody who reads something else. */
const failureLastsMs = 60_000;

let isPageShown = false;
let takeUndoAway: (() => void) | undefined;

/** The page that sends is shown, and returns what is to be done when it no longer is. */
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

/** It is no longer true, however long somebody looks at it. */
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
