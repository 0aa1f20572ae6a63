/** Sends the text to whoever writes it, to be seen on a phone before others get it. */
import { useState } from 'react';
import { newIdempotencyKey } from '../api/idempotency-key.ts';
import { useAct } from '../api/queries.ts';
import { keep, kept } from '../browser/kept.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { showToast } from '../design/toasts.tsx';
import type { SendParameters } from './draft.ts';
import { useComposeWords } from './texts.ts';

export function SendToMyself({
  parameters,
  close,
}: {
  readonly parameters: SendParameters;
  readonly close: () => void;
}) {
  const words = useComposeWords();
  // The same for each try of this dialog, so that a lost answer sends it no second time.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const act = useAct('/api/v1/send');
  const form = formOf(act, useState({ number: kept('own-number') ?? '' }));
  const { number } = form.values;
  const { message, from, flash, defaultcountrycode } = parameters;
  const send = () => {
    keep('own-number', number);
    act.mutate(
      { parameters: { to: [number], message, from, flash, defaultcountrycode }, idempotencyKey },
      {
        onSuccess: () => {
          showToast({ text: words.sentToMyself });
          close();
        },
      },
    );
  };
  return (
    <Dialog title={words.toMyself} close={close}>
      <ActForm form={form} submit={send} label={words.send} close={close}>
        <TextField
          label={words.ownNumber}
          hint={words.ownNumberHint}
          type="tel"
          autoFocus
          required
          {...form.field('number')}
        />
      </ActForm>
    </Dialog>
  );
}
