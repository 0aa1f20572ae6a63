/** Actions on a message: cancel it, or send it again. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { newIdempotencyKey } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct } from '../api/queries.ts';
import { AsCurl } from '../design/as-curl.tsx';
import { Button } from '../design/button.tsx';
import { ConfirmDialog, DialogButton } from '../design/confirm-dialog.tsx';
import layout from '../design/layout.module.css';
import { showFault, showToast } from '../design/toasts.tsx';
import { groupedNumber } from '../words/numbers.ts';
import { statusesOf } from './search-parameters.ts';
import { useMessagesWords } from './texts.ts';

export type Message = AnswerOf<'GET', '/api/v1/messages/{id}'>;

export function CancelButton({ id }: { readonly id: string }) {
  const words = useMessagesWords();
  const cancel = useAct('/api/v1/messages/{id}/cancel');
  const act = () =>
    cancel.mutate(
      { parameters: { id } },
      {
        onSuccess: () => void showToast({ text: words.cancelled }),
        onError: showFault,
      },
    );
  return (
    <Button busy={cancel.isPending} onClick={act}>
      {words.cancel}
    </Button>
  );
}

export function SendAgainButton({ message }: { readonly message: Message }) {
  const words = useMessagesWords();
  return (
    <DialogButton look="main" label={words.sendAgain}>
      {(close) => <SendAgainDialog message={message} close={close} />}
    </DialogButton>
  );
}

function SendAgainDialog({ message, close }: { readonly message: Message; readonly close: () => void }) {
  const words = useMessagesWords();
  const navigate = useNavigate();
  // There is one key for each opening of the dialog, so the message is sent once, however often the button is pressed and
  // whatever becomes of the response.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const resend = useAct('/api/v1/messages/{id}/resend');
  const { id, to, status } = message;
  // Two people who see the same failure send the message once.
  const parameters = statusesOf.failed.includes(status) ? { id, ifStatus: status } : { id };
  const act = () =>
    resend.mutate(
      { parameters, idempotencyKey },
      {
        onSuccess: (sent, isShown) => {
          close();
          showToast({ text: words.sentAgain });
          if (isShown) void navigate({ to: '/messages/$id', params: { id: sent.id } });
        },
      },
    );
  return (
    <ConfirmDialog
      title={words.sendAgainTitle}
      label={words.sendAgain}
      cancel={words.keep}
      look="main"
      act={resend}
      confirm={act}
      close={close}
    >
      <p>{words.sendAgainText(groupedNumber(to))}</p>
      <blockquote className={layout.sms} dir="auto">
        {message.message}
      </blockquote>
      <AsCurl call={{ method: 'POST', path: '/api/v1/messages/{id}/resend', parameters }} />
    </ConfirmDialog>
  );
}
