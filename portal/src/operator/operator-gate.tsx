/** Shows the pages of operators to an operator who has signed in, and the sign-in to everybody else. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { whenPasswordNeeded, whenSignedOut } from '../api/client.ts';
import { Fault } from '../api/fault.ts';
import { Button } from '../design/button.tsx';
import { PasswordField, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import type { Confirmation, Lacking } from '../session/session.ts';
import { SignInFrame, UnreachablePage } from '../session/sign-in-frame.tsx';
import { useWaiting } from '../session/waiting.ts';
import {
  confirmOperator,
  giveOperatorsFactor,
  type OperatorSession,
  readOperator,
  signInOperator,
  useOperator,
} from './session.ts';
import { useOperatorWords } from './texts.ts';

const EnrolPage = lazy(async () => ({ default: (await import('../session/factors.tsx')).EnrolPage }));
const PasswordDialog = lazy(async () => ({
  default: (await import('../session/password-dialog.tsx')).PasswordDialog,
}));
const SecondStep = lazy(async () => ({
  default: (await import('../session/second-step.tsx')).SecondStep,
}));

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
  return (
    <>
      {session.factorMissing ? (
        <Suspense>
          <EnrolPage done={() => void read()} />
        </Suspense>
      ) : (
        children
      )}
      <PasswordAgain session={session} />
    </>
  );
}

/** All calls that need a recent password or second factor wait for the same dialog. If it is cancelled, they do nothing. */
function PasswordAgain({ session: { username } }: { readonly session: OperatorSession }) {
  const { isOpen, settle } = useWaiting<boolean>(whenPasswordNeeded);
  if (!isOpen) return null;
  const confirm = async (given: Confirmation) => {
    await confirmOperator(given);
    settle(true);
  };
  return (
    <Suspense>
      <PasswordDialog username={username} confirm={confirm} cancel={() => settle(false)} />
    </Suspense>
  );
}

function SignIn({ entered }: { readonly entered: () => void }) {
  const words = useOperatorWords();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const [lacking, setLacking] = useState<Lacking>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    try {
      const next = await signInOperator(username.trim(), password);
      setLacking(next);
      if (next === undefined) entered();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  if (lacking !== undefined)
    return (
      <SignInFrame title={words.signIn} lead={words.signInLead}>
        <Suspense>
          <SecondStep
            asks={lacking.asks}
            give={async (given) => {
              await giveOperatorsFactor(lacking, given);
              entered();
            }}
            cancel={() => setLacking(undefined)}
          />
        </Suspense>
      </SignInFrame>
    );
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
