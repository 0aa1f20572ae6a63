/** Actions on a scheduled message: give it another time, or cancel it, which can be undone. */
import { useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useChange } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Button } from '../design/button.tsx';
import { DialogButton } from '../design/confirm-dialog.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { showFault, showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { groupedNumber } from '../words/numbers.ts';
import { useScheduledWords } from './texts.ts';

/** A scheduled message. */
export type Scheduled = AnswerOf<'GET', '/api/v1/scheduled'>['scheduled'][number];

const path = '/api/v1/scheduled/{id}';

export function ChangeTimeButton({ item }: { readonly item: Scheduled }) {
  const words = useScheduledWords();
  return (
    <DialogButton
      small
      look="quiet"
      aria-label={words.changeOf(groupedNumber(item.to ?? ''))}
      label={words.change}
    >
      {(close) => <ChangeTimeDialog item={item} close={close} />}
    </DialogButton>
  );
}

function ChangeTimeDialog({ item, close }: { readonly item: Scheduled; readonly close: () => void }) {
  const words = useScheduledWords();
  // The message as it was when the dialog opened, so that a change made meanwhile is not overwritten.
  const [{ id, version, scheduleTime }] = useState(item);
  const change = useChange(path);
  const form = formOf(change, useState({ scheduleTime: localTime(new Date(scheduleTime)) }));
  const time = new Date(form.values.scheduleTime);
  const isTime = !Number.isNaN(time.getTime());
  const parameters = { id, scheduleTime: isTime ? time.toISOString() : undefined };
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
  return (
    <Dialog title={words.changeTitle} close={close}>
      <ActForm
        form={form}
        submit={save}
        label={words.save}
        lacks={!isTime}
        close={close}
        cancel={words.leave}
        call={{ method: 'PATCH', path, parameters, version }}
      >
        <TextField
          type="datetime-local"
          label={words.sendAt}
          hint={words.sendAtHint}
          required
          {...form.field('scheduleTime')}
        />
      </ActForm>
    </Dialog>
  );
}

/** Value of the browser's own date-time field, to the minute. */
function localTime(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
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
