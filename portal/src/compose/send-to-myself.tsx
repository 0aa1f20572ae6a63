/** Sends the text to whoever writes it, to be seen on a phone before others get it. */
import { useState } from 'react';
import { newIdempotencyKey } from '../api/idempotency-key.ts';
import { useAct } from '../api/queries.ts';
import { keep, kept } from '../browser/kept.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { FaultNotice } from '../design/notice.tsx';
import { showToast } from '../design/toasts.tsx';
import styles from './compose.module.css';
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
  const [number, setNumber] = useState(kept('own-number') ?? '');
  // The same for each try of this dialog, so that a lost answer sends it no second time.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const act = useAct('/api/v1/send');
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
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!act.isPending) send();
        }}
      >
        <TextField
          label={words.ownNumber}
          hint={words.ownNumberHint}
          type="tel"
          autoFocus
          required
          value={number}
          onChange={(event) => setNumber(event.target.value)}
        />
        <FaultNotice fault={act.error} />
        <Button type="submit" look="main" busy={act.isPending}>
          {words.send}
        </Button>
      </form>
    </Dialog>
  );
}
