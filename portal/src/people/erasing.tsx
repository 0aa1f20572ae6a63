/** Has everything about a phone number erased, once whoever asks for it has typed it. */
import { type FormEvent, useState } from 'react';
import { useAct } from '../api/queries.ts';
import { AsCurl } from '../design/as-curl.tsx';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { useNumberWords } from './texts.ts';

const path = '/api/v1/people/{number}/erase';

export function Erasing({ number }: { readonly number: string }) {
  const words = useNumberWords();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        {words.erase}
      </Button>
      {isAsking && <Question number={number} close={() => setAsking(false)} />}
    </>
  );
}

function Question({ number, close }: { readonly number: string; readonly close: () => void }) {
  const words = useNumberWords();
  const { username } = useSession();
  const [typed, setTyped] = useState('');
  const erase = useAct(path);
  const parameters = { number };
  const isConfirmed = typed.replace(/\D/g, '') === number;
  const begin = (event: FormEvent) => {
    event.preventDefault();
    const onSuccess = () => {
      close();
      showToast({ text: words.begun });
    };
    if (isConfirmed) erase.mutate({ parameters }, { onSuccess });
  };
  return (
    <Dialog title={words.eraseTitle} close={close}>
      <form onSubmit={begin} className={layout.stack}>
        <p>{words.eraseText}</p>
        <TextField
          label={words.confirm}
          hint={<PhoneNumber number={number} />}
          inputMode="tel"
          autoComplete="off"
          autoFocus
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <FaultNotice fault={erase.error} />
        <AsCurl call={{ method: 'POST', path, parameters }} username={username} />
        <div className={layout.buttons}>
          <Button onClick={close}>{words.cancel}</Button>
          <Button look="danger" type="submit" busy={erase.isPending} disabled={!isConfirmed}>
            {words.erase}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
