/** The dialog in which something scheduled gets another time. */
import { useState } from 'react';
import type { CurlCall } from '../api/as-curl.ts';
import type { Act } from '../api/queries.ts';
import { ActForm, formOf } from './act-form.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { useLaterWords } from './later-texts.ts';

interface ChangeTimeProps {
  readonly scheduleTime: string;
  /** State of the call that `save` makes. */
  readonly act: Pick<Act<never, unknown>, 'error' | 'isPending'>;
  readonly save: (scheduleTime: string) => void;
  readonly callOf: (scheduleTime: string | undefined) => CurlCall;
  readonly close: () => void;
}

export function ChangeTimeDialog({ scheduleTime, act, save, callOf, close }: ChangeTimeProps) {
  const words = useLaterWords();
  const form = formOf(act, useState({ scheduleTime: localTime(new Date(scheduleTime)) }));
  const time = new Date(form.values.scheduleTime);
  const typed = Number.isNaN(time.getTime()) ? undefined : time.toISOString();
  return (
    <Dialog title={words.changeTime} close={close}>
      <ActForm
        form={form}
        submit={() => typed !== undefined && save(typed)}
        label={words.save}
        lacks={typed === undefined}
        close={close}
        cancel={words.leave}
        call={callOf(typed)}
      >
        <TextField
          type="datetime-local"
          label={words.sendAt}
          hint={words.sendAtHint}
          required
          autoFocus
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
