/** Sends the checked batch once. If the batch was already sent, or may have been, this is shown before the button. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isRepeatable } from '../api/client.ts';
import { Fault } from '../api/fault.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { type BatchAttempt, letGo, recallAttempts, useAttempts, useUnanswered } from './attempts.ts';
import { useBatchWords } from './texts.ts';
import { type Checked, useSend } from './use-check.ts';

/** An attempt that got no answer, which must be settled before anything else is sent. */
export function Unanswered({ username }: { readonly username: string }) {
  useState(() => recallAttempts(username));
  const attempt = useUnanswered();
  const words = useBatchWords();
  if (attempt === undefined) return null;
  const warning = isRepeatable(attempt.begunAt) ? words.unanswered : words.unansweredLong;
  const choices = (
    <div className={layout.buttons}>
      <ButtonLink small to="/batches">
        {words.toAll}
      </ButtonLink>
      <Button small onClick={() => letGo(attempt)}>
        {words.leaveIt}
      </Button>
    </div>
  );
  return (
    <Notice tone="warning" action={choices}>
      {warning(words.messages(attempt.messages))}
    </Notice>
  );
}

/** Maximum number of columns named. In a table of 300 columns, a few are enough to show which are meant. */
const maxNamed = 10;

interface SendProps {
  readonly checked: Checked;
  readonly isLater: boolean;
  readonly forget: () => void;
}

export function SendChecked(props: SendProps) {
  const words = useBatchWords();
  const send = useSend();
  const same = useAttempts().find(({ digest }) => digest === props.checked.digest);
  const unanswered = useUnanswered();
  if (send.isIdle || send.isError) {
    if (unanswered !== undefined && unanswered !== same) return <p>{words.settleFirst}</p>;
    if (same?.batchId !== undefined) return <SentBefore attempt={same} batchId={same.batchId} />;
  }
  return <SendButton {...props} send={send} isAgain={unanswered !== undefined} />;
}

function SentBefore({ attempt, batchId }: { readonly attempt: BatchAttempt; readonly batchId: string }) {
  const words = useBatchWords();
  return (
    <Notice
      action={
        <div className={layout.buttons}>
          <ButtonLink small to="/batches/$id" params={{ id: batchId }}>
            {words.showIt}
          </ButtonLink>
          <Button small onClick={() => letGo(attempt)}>
            {words.onceMore}
          </Button>
        </div>
      }
    >
      {words.sentBefore} <Time at={new Date(attempt.begunAt).toISOString()} />
    </Notice>
  );
}

function SendButton({
  checked,
  isLater,
  forget,
  send,
  isAgain,
}: SendProps & {
  readonly send: ReturnType<typeof useSend>;
  /** Whether an earlier try got no answer. */
  readonly isAgain: boolean;
}) {
  const words = useBatchWords();
  const navigate = useNavigate();
  useWarningWhile(send.isPending);
  const [isAsking, setAsking] = useState(false);
  const sendIt = () => {
    setAsking(false);
    send.mutate(checked, {
      onSuccess({ batchid }) {
        showToast({ text: words.onItsWay });
        forget();
        void navigate({ to: '/batches/$id', params: { id: batchid } });
      },
    });
  };
  const { messages } = checked.preview;
  return (
    <>
      <FaultNotice fault={send.error instanceof Fault ? send.error : undefined} />
      <Button
        look="main"
        busy={send.isPending}
        onClick={checked.blankRows > 0 ? () => setAsking(true) : sendIt}
      >
        {(isAgain ? words.sendAgain : isLater ? words.sendLater : words.send)(messages)}
      </Button>
      {isAsking && <BlankQuestion checked={checked} close={() => setAsking(false)} send={sendIt} />}
    </>
  );
}

/** Asks before sending with blank fields, because they can't be filled in afterwards. */
function BlankQuestion({
  checked: { blankRows, blankColumns, of },
  close,
  send,
}: Pick<SendProps, 'checked'> & { readonly close: () => void; readonly send: () => void }) {
  const words = useBatchWords();
  const [, { columns }] = of;
  const names = blankColumns.map((at) => columns[at] ?? '');
  return (
    <ConfirmDialog
      title={words.blankTitle}
      label={words.sendBlank}
      cancel={words.fillIn}
      look="plain"
      confirm={send}
      close={close}
    >
      <p>
        {words.blankRows(blankRows)} <bdi>{names.slice(0, maxNamed).join(', ')}</bdi>
        {names.length > maxNamed && ` ${words.andMore(names.length - maxNamed)}`}
      </p>
    </ConfirmDialog>
  );
}

/** Makes the browser ask before the user leaves the page. */
function useWarningWhile(isSending: boolean): void {
  useEffect(() => {
    if (!isSending) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isSending]);
}
