/**
 * Asks who is there, over the page, before an action that is allowed only if the password or a second factor was given
 * recently. Users with a second factor give that.
 */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ownPath } from '../api/client.ts';
import { Fault } from '../api/fault.ts';
import { useRead } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { PasswordField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { useProviderWords } from './provider-texts.ts';
import { ProviderLinks } from './providers.tsx';
import { SecondStep } from './second-step.tsx';
import type { Confirmation, Session } from './session.ts';
import { useSessionWords } from './texts.ts';

interface ConfirmProps {
  readonly username: string;
  /** The identity provider that the user signed in with. */
  readonly provider?: Session['provider'];
  /** Goes on with what waits, unless it throws. */
  readonly confirm: (given: Confirmation) => Promise<void>;
  readonly cancel: () => void;
}

export function PasswordDialog({ cancel, ...props }: ConfirmProps) {
  const words = useSessionWords();
  const { data: asks, error, refetch } = useRead(`${ownPath}/session/confirm` as const, {});
  const providerWords = useProviderWords();
  const { provider } = props;
  const hasFactor = asks?.codes === true || asks?.passkey !== undefined;
  return (
    <Dialog title={words.confirm} close={cancel}>
      <FaultNotice fault={error} tryAgain={() => void refetch()} />
      {asks && hasFactor && <SecondStep asks={asks} give={props.confirm} cancel={cancel} />}
      {asks && provider && (
        <>
          <p>{providerWords.confirmHint}</p>
          <div className={layout.buttons}>
            {!hasFactor && <Button onClick={cancel}>{words.cancel}</Button>}
            <ProviderLinks providers={[provider]} confirms />
          </div>
        </>
      )}
      {asks && !hasFactor && !provider && <PasswordForm cancel={cancel} {...props} />}
    </Dialog>
  );
}

function PasswordForm({ username, confirm, cancel }: ConfirmProps) {
  const words = useSessionWords();
  const field = useRef<HTMLInputElement>(null);
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const wrong = fault?.of('password');
  useEffect(() => {
    if (fault !== undefined) field.current?.focus();
  }, [fault]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    try {
      await confirm({ password });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setFault(error);
      setBusy(false);
    }
  };
  return (
    <form className={layout.stack} onSubmit={(event) => void submit(event)}>
      {wrong === undefined && <FaultNotice fault={fault} />}
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
        error={wrong && words.wrongPassword}
        onChange={(event) => setPassword(event.target.value)}
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
