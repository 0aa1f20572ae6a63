/** Has everything about a phone number erased, once whoever asks for it has typed it. */
import { useState } from 'react';
import { useAct } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { DialogButton } from '../design/confirm-dialog.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { showToast } from '../design/toasts.tsx';
import { useNumberWords } from './texts.ts';

const path = '/api/v1/people/{number}/erase';

export function Erasing({ number }: { readonly number: string }) {
  return (
    <DialogButton look="danger" label={useNumberWords().erase}>
      {(close) => <Question number={number} close={close} />}
    </DialogButton>
  );
}

function Question({ number, close }: { readonly number: string; readonly close: () => void }) {
  const words = useNumberWords();
  const erase = useAct(path);
  const form = formOf(erase, useState({ typed: '' }));
  const parameters = { number };
  const begin = () => {
    const onSuccess = () => {
      close();
      showToast({ text: words.begun });
    };
    erase.mutate({ parameters }, { onSuccess });
  };
  return (
    <Dialog title={words.eraseTitle} close={close}>
      <ActForm
        form={form}
        submit={begin}
        label={words.erase}
        look="danger"
        lacks={form.values.typed.replace(/\D/g, '') !== number}
        close={close}
        call={{ method: 'POST', path, parameters }}
      >
        <p>{words.eraseText}</p>
        <TextField
          label={words.confirm}
          hint={<PhoneNumber number={number} />}
          inputMode="tel"
          autoComplete="off"
          autoFocus
          {...form.field('typed')}
        />
      </ActForm>
    </Dialog>
  );
}
