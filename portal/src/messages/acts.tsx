/** What can be done with a message: take it back, or send it again. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { newIdempotencyKey } from '../api/idempotency-key.ts';
import { useAct } from '../api/queries.ts';
import { AsCurl } from '../design/as-curl.tsx';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { showFault, showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { groupedNumber } from '../words/numbers.ts';
import styles from './messages.module.css';
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
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="main" onClick={() => setOpen(true)}>
        {words.sendAgain}
      </Button>
      {isOpen && <SendAgainDialog message={message} close={() => setOpen(false)} />}
    </>
  );
}

function SendAgainDialog({ message, close }: { readonly message: Message; readonly close: () => void }) {
  const words = useMessagesWords();
  const { username } = useSession();
  const navigate = useNavigate();
  // Of this opening of the dialog: however often it is pressed, and whatever becomes of the answer, it is sent once.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const resend = useAct('/api/v1/messages/{id}/resend');
  const { id, to } = message;
  const act = () =>
    resend.mutate(
      { parameters: { id }, idempotencyKey },
      {
        onSuccess: (sent, isShown) => {
          close();
          showToast({ text: words.sentAgain });
          if (isShown) void navigate({ to: '/messages/$id', params: { id: sent.id } });
        },
      },
    );
  return (
    <Dialog title={words.sendAgainTitle} close={close}>
      <div className={layout.stack}>
        <p>{words.sendAgainText(groupedNumber(to))}</p>
        <blockquote className={styles.text} dir="auto">
          {message.message}
        </blockquote>
        <FaultNotice fault={resend.error} />
        <div className={layout.buttons}>
          <Button onClick={close}>{words.keep}</Button>
          <Button look="main" busy={resend.isPending} onClick={act}>
            {words.sendAgain}
          </Button>
        </div>
        <AsCurl
          call={{ method: 'POST', path: '/api/v1/messages/{id}/resend', parameters: { id } }}
          username={username}
        />
      </div>
    </Dialog>
  );
}
