/** Asks for a second factor: after the password, or again before something that needs a recent one. */
import { type FormEvent, useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { Fault } from '../api/fault.ts';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { useFactorWords } from './factor-texts.ts';
import { askBrowser } from './passkey.ts';
import type { GivenFactor } from './session.ts';

interface SecondStepProps {
  readonly asks: AnswerOf<'GET', '/portal/api/session/confirm'>;
  /** Shows what comes next, unless it throws. */
  readonly give: (given: GivenFactor) => Promise<void>;
  readonly cancel: () => void;
}

export function SecondStep({ asks, give, cancel }: SecondStepProps) {
  const words = useFactorWords();
  const [code, setCode] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const [isRefused, setRefused] = useState(false);
  const { codes, passkey: options } = asks;
  const submit = async (given: () => Promise<GivenFactor | undefined>) => {
    setBusy(true);
    setFault(undefined);
    setRefused(false);
    try {
      const factor = await given();
      if (factor !== undefined) return await give(factor);
      setRefused(true);
      setBusy(false);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setFault(error);
      setBusy(false);
    }
  };
  const submitCode = (event: FormEvent) => {
    event.preventDefault();
    void submit(async () => ({ code }));
  };
  const giveByPasskey = (get: NonNullable<typeof options>) =>
    submit(async () => {
      const passkey = await askBrowser({ get });
      return passkey === undefined ? undefined : { passkey };
    });
  const ofCode = fault?.of('code');
  return (
    <form className={layout.stack} onSubmit={submitCode}>
      {ofCode === undefined && <FaultNotice fault={fault} />}
      {isRefused && <Notice tone="error">{words.noPasskey}</Notice>}
      {options && (
        <Button autoFocus busy={isBusy} onClick={() => void giveByPasskey(options)}>
          {words.usePasskey}
        </Button>
      )}
      <TextField
        label={words.code}
        hint={codes ? words.codeHint : words.recoveryHint}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={40}
        required
        autoFocus={!options}
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
