/** What may be done with a batch: stopping it and going on, and sending again what failed of it. */
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import type { Fault } from '../api/fault.ts';
import { useAct } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { FaultNotice } from '../design/notice.tsx';
import { showToast } from '../design/toasts.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import styles from './batches.module.css';
import { useBatchWords } from './texts.ts';

type Batch = AnswerOf<'GET', '/api/v1/batches/{id}'>;

export function Acts({ batch }: { readonly batch: Batch }) {
  const words = useBatchWords();
  const [asks, setAsks] = useState<'abort' | 'resend' | undefined>();
  const session = useSession();
  if (!hasOneOf(session, ['send', 'companyAdmin'])) return null;
  const { state, totals } = batch;
  const stops = totals.waiting > 0 && state !== 'aborted' && state !== 'failed';
  const close = () => setAsks(undefined);
  return (
    <>
      {totals.failed > 0 && totals.waiting === 0 && hasOneOf(session, ['send']) && (
        <Button onClick={() => setAsks('resend')}>{words.resend}</Button>
      )}
      {stops && (
        <Button look="danger" onClick={() => setAsks('abort')}>
          {words.abort}
        </Button>
      )}
      {(stops || state === 'paused') && <PauseButton batch={batch} />}
      {asks === 'abort' && <AbortQuestion batch={batch} close={close} />}
      {asks === 'resend' && <ResendQuestion batch={batch} close={close} />}
    </>
  );
}

/** Pauses it, or lets a paused one go on. */
function PauseButton({ batch: { id, state } }: { readonly batch: Batch }) {
  const words = useBatchWords();
  const pause = useAct('/api/v1/batches/{id}/pause');
  const resume = useAct('/api/v1/batches/{id}/resume');
  const isPaused = state === 'paused';
  const act = isPaused ? resume : pause;
  return (
    <>
      <FaultNotice fault={pause.error ?? resume.error} />
      <Button look="main" busy={act.isPending} onClick={() => act.mutate({ parameters: { id } })}>
        {isPaused ? words.resume : words.pause}
      </Button>
    </>
  );
}

interface QuestionProps {
  readonly batch: Batch;
  readonly close: () => void;
}

function AbortQuestion({ batch: { id, totals }, close }: QuestionProps) {
  const words = useBatchWords();
  const abort = useAct('/api/v1/batches/{id}/abort');
  const yes = (
    <Button
      look="danger"
      busy={abort.isPending}
      onClick={() => abort.mutate({ parameters: { id } }, { onSuccess: close })}
    >
      {words.abortNow}
    </Button>
  );
  return (
    <Question title={words.abortTitle} close={close} fault={abort.error} yes={yes}>
      {words.abortText(words.messages(totals.waiting))}
    </Question>
  );
}

function ResendQuestion({ batch: { id, totals }, close }: QuestionProps) {
  const words = useBatchWords();
  const navigate = useNavigate();
  const resend = useAct('/api/v1/batches/{id}/resend-failed');
  // The same for all tries, from whatever tab, until more has failed: who has had no answer gets it then.
  const idempotencyKey = `resend-failed-${id}-${totals.failed}`;
  const sendAgain = () =>
    resend.mutate(
      { parameters: { id }, idempotencyKey },
      {
        onSuccess({ batchId }, isShown) {
          showToast({ text: words.resent });
          close();
          if (isShown) void navigate({ to: '/batches/$id', params: { id: batchId } });
        },
      },
    );
  const yes = (
    <Button look="main" busy={resend.isPending} onClick={sendAgain}>
      {words.resendNow}
    </Button>
  );
  return (
    <Question title={words.resendTitle} close={close} fault={resend.error} yes={yes}>
      {words.resendText}
    </Question>
  );
}

interface AskedProps {
  readonly title: string;
  readonly close: () => void;
  readonly fault: Fault | null;
  readonly yes: ReactNode;
  readonly children: ReactNode;
}

function Question({ title, close, fault, yes, children }: AskedProps) {
  const words = useBatchWords();
  return (
    <Dialog title={title} close={close}>
      <p>{children}</p>
      <FaultNotice fault={fault} />
      <div className={styles.answers}>
        <Button onClick={close}>{words.keep}</Button>
        {yes}
      </div>
    </Dialog>
  );
}
