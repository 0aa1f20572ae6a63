/** What can be done with a message that waits: give it another time, or cancel it, which can be undone. */
import { useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useChange } from '../api/queries.ts';
import { AsCurl } from '../design/as-curl.tsx';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { showFault, showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { groupedNumber } from '../words/numbers.ts';
import { useScheduledWords } from './texts.ts';

/** One of what waits for its time. */
export type Scheduled = AnswerOf<'GET', '/api/v1/scheduled'>['scheduled'][number];

export function ChangeTimeButton({ item }: { readonly item: Scheduled }) {
  const words = useScheduledWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        small
        look="quiet"
        aria-label={words.changeOf(groupedNumber(item.to ?? ''))}
        onClick={() => setOpen(true)}
      >
        {words.change}
      </Button>
      {isOpen && <ChangeTimeDialog item={item} close={() => setOpen(false)} />}
    </>
  );
}

function ChangeTimeDialog({ item, close }: { readonly item: Scheduled; readonly close: () => void }) {
  const words = useScheduledWords();
  const { username } = useSession();
  // As it was when the dialog opened: who changes it meanwhile is not overridden.
  const [{ id, version, scheduleTime }] = useState(item);
  const [typed, setTyped] = useState(() => localTime(new Date(scheduleTime)));
  const change = useChange('/api/v1/scheduled/{id}');
  const time = new Date(typed);
  const isTime = !Number.isNaN(time.getTime());
  const parameters = {
    id,
    scheduleTime: isTime ? time.toISOString() : undefined,
  };
  const save = () =>
    change.mutate(
      { parameters, version },
      {
        onSuccess: () => {
          close();
          showToast({ text: words.changed });
        },
      },
    );
  const { error } = change;
  return (
    <Dialog title={words.changeTitle} close={close}>
      <form
        className={layout.stack}
        onSubmit={(event) => {
          event.preventDefault();
          if (isTime) save();
        }}
      >
        <TextField
          type="datetime-local"
          label={words.sendAt}
          hint={words.sendAtHint}
          error={error?.of('scheduleTime')}
          value={typed}
          required
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {error?.of('scheduleTime') === undefined && <FaultNotice fault={error} />}
        <div className={layout.buttons}>
          <Button onClick={close}>{words.leave}</Button>
          <Button type="submit" look="main" busy={change.isPending}>
            {words.save}
          </Button>
        </div>
        <AsCurl
          call={{ method: 'PATCH', path: '/api/v1/scheduled/{id}', parameters, version }}
          username={username}
        />
      </form>
    </Dialog>
  );
}

/** As the browser's own field for a moment has it, to the minute. */
function localTime(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** It is taken back at once; what undoes it sends it once more for the same time, and as long: one's own, not another's. */
export function CancelButton({ item }: { readonly item: Scheduled }) {
  const words = useScheduledWords();
  const cancel = useAct('/api/v1/messages/{id}/cancel');
  const again = useAct('/api/v1/messages/{id}/resend');
  const { id, scheduleTime, validMinutes } = item;
  const isOwn = useSession().username === item.username;
  const to = groupedNumber(item.to ?? '');
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
