/** Shows the pages of operators to an operator who has signed in, and the sign-in to everybody else. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useCallback, useEffect, useState } from 'react';
import { whenSignedOut } from '../api/client.ts';
import { Fault } from '../api/fault.ts';
import { Button } from '../design/button.tsx';
import { PasswordField, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { SignInFrame, UnreachablePage } from '../session/sign-in-frame.tsx';
import { readOperator, signInOperator, useOperator } from './session.ts';
import { useOperatorWords } from './texts.ts';

export function OperatorGate({ children }: { readonly children: ReactNode }) {
  const session = useOperator();
  const client = useQueryClient();
  const [isKnown, setKnown] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const read = useCallback(async () => {
    setFault(undefined);
    try {
      await readOperator();
      setKnown(true);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setFault(error);
    }
  }, []);
  useEffect(() => {
    void read();
    // Nothing is typed on these pages that would be lost: the page is loaded again, and asks who is there.
    whenSignedOut(() => {
      location.reload();
      return new Promise(() => undefined);
    });
    return () => whenSignedOut(undefined);
  }, [read]);
  if (fault !== undefined) return <UnreachablePage fault={fault} tryAgain={() => void read()} />;
  if (!isKnown) return null;
  if (session === undefined) return <SignIn entered={() => client.clear()} />;
  return children;
}

function SignIn({ entered }: { readonly entered: () => void }) {
  const words = useOperatorWords();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    try {
      await signInOperator(username.trim(), password);
      entered();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setFault(error);
      setBusy(false);
    }
  };
  return (
    <SignInFrame title={words.signIn} lead={words.signInLead}>
      <form className={layout.stack} onSubmit={(event) => void submit(event)}>
        {fault?.status === 401 ? <Notice tone="error">{words.wrong}</Notice> : <FaultNotice fault={fault} />}
        <TextField
          label={words.name}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          autoFocus
          value={username}
          onChange={(event) => setUsername(event.target.value)}
        />
        <PasswordField
          label={words.password}
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button look="main" type="submit" busy={isBusy}>
          {words.enter}
        </Button>
      </form>
    </SignInFrame>
  );
}
