/** Actions on a batch: pausing and resuming it, and resending its failed messages. */
import { useNavigate } from '@tanstack/react-router';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { ConfirmDialog, DialogButton } from '../design/confirm-dialog.tsx';
import { FaultNotice } from '../design/notice.tsx';
import { showToast } from '../design/toasts.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { useBatchWords } from './texts.ts';

type Batch = AnswerOf<'GET', '/api/v1/batches/{id}'>;

export function Acts({ batch }: { readonly batch: Batch }) {
  const session = useSession();
  if (!hasOneOf(session, ['send', 'companyAdmin'])) return null;
  const { state, totals } = batch;
  const stops = totals.waiting > 0 && state !== 'aborted' && state !== 'failed';
  return (
    <>
      {totals.failed > 0 && totals.waiting === 0 && hasOneOf(session, ['send']) && <Resend batch={batch} />}
      {stops && <Abort batch={batch} />}
      {(stops || state === 'paused') && <PauseButton batch={batch} />}
    </>
  );
}

/** Pauses a batch, or resumes a paused one. */
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

function Abort({ batch: { id, totals } }: { readonly batch: Batch }) {
  const words = useBatchWords();
  const abort = useAct('/api/v1/batches/{id}/abort');
  return (
    <DialogButton look="danger" label={words.abort}>
      {(close) => (
        <ConfirmDialog
          title={words.abortTitle}
          label={words.abortNow}
          cancel={words.keep}
          act={abort}
          confirm={() => abort.mutate({ parameters: { id } }, { onSuccess: close })}
          close={close}
        >
          {words.abortText(words.messages(totals.waiting))}
        </ConfirmDialog>
      )}
    </DialogButton>
  );
}

function Resend({ batch: { id, totals } }: { readonly batch: Batch }) {
  const words = useBatchWords();
  const navigate = useNavigate();
  const resend = useAct('/api/v1/batches/{id}/resend-failed');
  // The key is the same for every try from any tab until more messages fail, so a user whose answer was lost gets it on the next
  // try.
  const idempotencyKey = `resend-failed-${id}-${totals.failed}`;
  const sendAgain = (close: () => void) =>
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
  return (
    <DialogButton label={words.resend}>
      {(close) => (
        <ConfirmDialog
          title={words.resendTitle}
          label={words.resendNow}
          cancel={words.keep}
          look="main"
          act={resend}
          confirm={() => sendAgain(close)}
          close={close}
        >
          {words.resendText}
        </ConfirmDialog>
      )}
    </DialogButton>
  );
}
