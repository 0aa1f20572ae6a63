/** Asks for the password over the page, before an action that is allowed only if the password was entered recently. */
import { useEffect, useRef, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { PasswordField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { useProviderWords } from './provider-texts.ts';
import { ProviderLinks } from './providers.tsx';
import type { Session } from './session.ts';
import { useSigningIn } from './sign-in.tsx';
import { useSessionWords } from './texts.ts';

export function PasswordDialog({
  username,
  provider,
  entered,
  cancel,
}: {
  readonly username: string;
  /** The identity provider that the user signed in with. */
  readonly provider: Session['provider'];
  readonly entered: (session: Session) => void;
  readonly cancel: () => void;
}) {
  const words = useSessionWords();
  const field = useRef<HTMLInputElement>(null);
  const [password, setPassword] = useState('');
  const { submit, isBusy, fault } = useSigningIn(entered);
  const isWrong = fault?.status === 401;
  useEffect(() => {
    if (fault !== undefined) field.current?.focus();
  }, [fault]);
  const providerWords = useProviderWords();
  if (provider !== undefined)
    return (
      <Dialog title={words.confirm} close={cancel}>
        <p>{providerWords.confirmHint}</p>
        <div className={layout.buttons}>
          <Button onClick={cancel}>{words.cancel}</Button>
          <ProviderLinks providers={[provider]} confirms />
        </div>
      </Dialog>
    );
  return (
    <Dialog title={words.confirm} close={cancel}>
      <form className={layout.stack} onSubmit={(event) => void submit(event, username, password)}>
        {!isWrong && <FaultNotice fault={fault} />}
        {/* For the browser, which finds the stored password by the username. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <PasswordField
          ref={field}
          label={words.password}
          hint={words.confirmHint}
          name="password"
          autoComplete="current-password"
          required
          autoFocus
          value={password}
          error={isWrong && words.wrongPassword}
          onChange={(event) => setPassword(event.target.value)}
        />
        <div className={layout.buttons}>
          <Button onClick={cancel}>{words.cancel}</Button>
          <Button look="main" type="submit" busy={isBusy}>
            {words.goOn}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
