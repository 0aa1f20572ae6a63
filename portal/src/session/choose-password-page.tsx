/** Asks a user who came by a link to choose a password, so that they can come back without a link. */
import { type FormEvent, useState } from 'react';
import { Fault } from '../api/fault.ts';
import { Button } from '../design/button.tsx';
import { PasswordField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { choosePassword, type Session } from './session.ts';
import { SignInFrame } from './sign-in-frame.tsx';
import { useSessionWords } from './texts.ts';

export function ChoosePasswordPage({
  session,
  chosen,
}: {
  readonly session: Session;
  readonly chosen: (session: Session) => void;
}) {
  const words = useSessionWords();
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      chosen(await choosePassword(password));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <SignInFrame title={words.choose} lead={words.chooseLead(session.username)}>
      <form className={layout.stack} onSubmit={(event) => void submit(event)}>
        {fault?.of('password') === undefined && <FaultNotice fault={fault} />}
        {/* For the browser, which stores the password with the username. */}
        <input type="text" name="username" autoComplete="username" value={session.username} readOnly hidden />
        <PasswordField
          label={words.newPassword}
          name="password"
          autoComplete="new-password"
          required
          autoFocus
          value={password}
          hint={words.passwordHint}
          error={fault?.of('password')}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button look="main" type="submit" busy={isBusy}>
          {words.save}
        </Button>
      </form>
    </SignInFrame>
  );
}
