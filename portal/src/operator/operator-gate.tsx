/** Shows the pages of operators to an operator who has signed in, and the sign-in to everybody else. */
import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { whenSignedOut } from '../api/client.ts';
import { Fault } from '../api/fault.ts';
import { SignInForm } from '../session/sign-in.tsx';
import { SignInFrame, UnreachablePage } from '../session/sign-in-frame.tsx';
import { PasswordAgain } from '../session/waiting.tsx';
import {
  confirmOperator,
  giveOperatorsFactor,
  readOperator,
  signInOperator,
  useOperator,
} from './session.ts';
import { useOperatorWords } from './texts.ts';

const EnrolPage = lazy(async () => ({ default: (await import('../session/factors.tsx')).EnrolPage }));

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
      <PasswordAgain username={session.username} confirm={confirmOperator} />
    </>
  );
}

function SignIn({ entered }: { readonly entered: () => void }) {
  const words = useOperatorWords();
  return (
    <SignInFrame title={words.signIn} lead={words.signInLead}>
      <SignInForm
        begin={signInOperator}
        give={giveOperatorsFactor}
        entered={entered}
        words={{ username: words.name, wrong: words.wrong }}
      />
    </SignInFrame>
  );
}
