/** Actions on what is scheduled: give it another time, or cancel it; canceling one message can be undone. */
import { useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useChange } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { ChangeTimeDialog } from '../design/change-time.tsx';
import { ConfirmButton, DialogButton } from '../design/confirm-dialog.tsx';
import { showFault, showToast } from '../design/toasts.tsx';
import { useWhom } from '../design/whom.ts';
import { useSession } from '../session/session.ts';
import { groupedNumber } from '../words/numbers.ts';
import { useScheduledWords } from './texts.ts';

/** A scheduled item: a message, a sending, a batch or a run. */
export type Scheduled = AnswerOf<'GET', '/api/v1/scheduled'>['scheduled'][number];

/** The item in a few words. */
export function useTitle(): (item: Scheduled) => string {
  const words = useScheduledWords();
  const whom = useWhom();
  return ({ kind, to = '', recipientName, title, messages = 0, name, conversation, ...item }) => {
    if (kind === 'message') return recipientName ?? groupedNumber(to);
    if (kind === 'sending') return title || whom(item.whom);
    if (kind === 'run') return words.run(name ?? '');
    return name || conversation || words.batch(words.messages(messages));
  };
}

const messagePath = '/api/v1/scheduled/{id}';
const sendingPath = '/api/v1/sendings/{id}/reschedule';

export function ChangeTimeButton({ item }: { readonly item: Scheduled }) {
  const words = useScheduledWords();
  const title = useTitle()(item);
  return (
    <DialogButton small look="quiet" aria-label={words.changeOf(title)} label={words.change}>
      {(close) =>
        item.kind === 'sending' ? (
          <SendingTime item={item} close={close} />
        ) : (
          <MessageTime item={item} close={close} />
        )
      }
    </DialogButton>
  );
}

interface TimeProps {
  /** The item as it was when the dialog opened, so that a change made meanwhile is not overwritten. */
  readonly item: Scheduled;
  readonly close: () => void;
}

function MessageTime({ item, close }: TimeProps) {
  const words = useScheduledWords();
  const [{ id, version, scheduleTime }] = useState(item);
  const change = useChange(messagePath);
  const onSuccess = () => {
    close();
    showToast({ text: words.changed });
  };
  return (
    <ChangeTimeDialog
      scheduleTime={scheduleTime}
      act={change}
      save={(to) => change.mutate({ parameters: { id, scheduleTime: to }, version }, { onSuccess })}
      callOf={(to) => ({
        method: 'PATCH',
        path: messagePath,
        parameters: { id, scheduleTime: to },
        version,
      })}
      close={close}
    />
  );
}

function SendingTime({ item: { id, scheduleTime }, close }: TimeProps) {
  const words = useScheduledWords();
  const act = useAct(sendingPath);
  const onSuccess = () => {
    close();
    showToast({ text: words.changed });
  };
  return (
    <ChangeTimeDialog
      scheduleTime={scheduleTime}
      act={act}
      save={(to) => act.mutate({ parameters: { id, scheduleTime: to } }, { onSuccess })}
      callOf={(to) => ({ method: 'POST', path: sendingPath, parameters: { id, scheduleTime: to } })}
      close={close}
    />
  );
}

/**
 * Cancels the message at once. Undo sends it again for the same time and with the same validity; it is offered only for the
 * user's own messages.
 */
export function CancelButton({ item }: { readonly item: Scheduled }) {
  const words = useScheduledWords();
  const cancel = useAct('/api/v1/messages/{id}/cancel');
  const again = useAct('/api/v1/messages/{id}/resend');
  const { id, scheduleTime, validMinutes } = item;
  const isOwn = useSession().username === item.username;
  const to = useTitle()(item);
  const undo = () =>
    again.mutate(
      { parameters: { id, scheduleTime, validMinutes }, idempotencyKey: `undo-cancel-${id}` },
      {
        onSuccess: () => void showToast({ text: words.restored }),
        onError: showFault,
      },
    );
  const act = () =>
    cancel.mutate(
      { parameters: { id } },
      {
        onSuccess: () => void showToast({ text: words.cancelled(to), ...(isOwn && { undo }) }),
        onError: showFault,
      },
    );
  return (
    <Button small look="quiet" busy={cancel.isPending} aria-label={words.cancelOf(to)} onClick={act}>
      {words.cancel}
    </Button>
  );
}

/** Cancels all that waits of a sending, which cannot be undone as one. */
export function CancelAllButton({ item }: { readonly item: Scheduled }) {
  const words = useScheduledWords();
  const act = useAct('/api/v1/sendings/{id}/cancel');
  const { id, messages = 0 } = item;
  const title = useTitle()(item);
  return (
    <ConfirmButton
      small
      look="quiet"
      aria-label={words.cancelAllOf(title)}
      label={words.cancel}
      title={words.cancelAllTitle(words.messages(messages))}
      cancel={words.keep}
      question={words.cancelAllText}
      act={act}
      parameters={{ id }}
      done={({ totals }) => void showToast({ text: words.cancelledAll(totals.canceled) })}
    />
  );
}
