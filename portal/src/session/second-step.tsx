/** Asks for a second factor: after the password, or again before something that needs a recent one. */
import { type FormEvent, useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { Fault } from '../api/fault.ts';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { useFactorWords } from './factor-texts.ts';
import type { GivenFactor, Session } from './session.ts';

interface SecondStepProps {
  readonly asks: AnswerOf<'GET', '/portal/api/session/confirm'>;
  readonly give: (given: GivenFactor) => Promise<Session>;
  readonly entered: (session: Session) => void;
  readonly cancel: () => void;
}

export function SecondStep({ give, entered, cancel }: SecondStepProps) {
  const words = useFactorWords();
  const [code, setCode] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    try {
      entered(await give({ code }));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setFault(error);
      setBusy(false);
    }
  };
  const ofCode = fault?.of('code');
  return (
    <form className={layout.stack} onSubmit={(event) => void submit(event)}>
      {ofCode === undefined && <FaultNotice fault={fault} />}
      <TextField
        label={words.code}
        hint={words.codeHint}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={40}
        required
        autoFocus
        value={code}
        error={ofCode}
        onChange={(event) => setCode(event.target.value)}
      />
      <div className={layout.buttons}>
        <Button onClick={cancel}>{words.cancel}</Button>
        <Button look="main" type="submit" busy={isBusy}>
          {words.goOn}
        </Button>
      </div>
    </form>
  );
}
