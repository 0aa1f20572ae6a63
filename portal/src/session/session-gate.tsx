/** Shows the portal to whoever has signed in, and the sign-in to all others: as a page at first, later over the page. */
import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { portalPath, whenSignedOut } from '../api/client.ts';
import { Fault } from '../api/fault.ts';
import { speakAsCompany } from '../words/language.ts';
import { currentSession, readSession, type Session } from './session.ts';
import { SignInDialog } from './sign-in-dialog.tsx';
import { UnreachablePage } from './sign-in-frame.tsx';
import { SignInPage } from './sign-in-page.tsx';

// Once in a lifetime: whoever comes each day loads neither.
const ChoosePasswordPage = lazy(async () => ({
  default: (await import('./choose-password-page.tsx')).ChoosePasswordPage,
}));
const LinkPage = lazy(async () => ({ default: (await import('./link-page.tsx')).LinkPage }));

const isLink = () => location.pathname === `${portalPath}link`;

export function SessionGate({ children }: { readonly children: ReactNode }) {
  const session = currentSession.use();
  const [isKnown, setKnown] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const read = useCallback(async () => {
    setFault(undefined);
    try {
      enter(await readSession());
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.status !== 401) return setFault(error);
    }
    setKnown(true);
  }, []);
  useEffect(() => {
    if (isLink()) setKnown(true);
    else void read();
  }, [read]);
  if (fault !== undefined) return <UnreachablePage fault={fault} tryAgain={() => void read()} />;
  if (!isKnown) return null;
  if (session === undefined && isLink())
    return (
      <Suspense>
        <LinkPage entered={enter} />
      </Suspense>
    );
  if (session === undefined) return <SignInPage entered={enter} />;
  if (session.passwordNeeded)
    return (
      <Suspense>
        <ChoosePasswordPage session={session} chosen={enter} />
      </Suspense>
    );
  return (
    <>
      {children}
      <SignInAgain session={session} />
    </>
  );
}

function enter(session: Session): void {
  if (isLink()) history.replaceState(null, '', portalPath);
  speakAsCompany(session.company.language);
  currentSession.set(session);
}

/** All calls that find the session ended wait for one sign-in. */
function SignInAgain({ session }: { readonly session: Session }) {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const waiting = useRef<(() => void)[]>([]);
  useEffect(() => {
    whenSignedOut(() => {
      setOpen(true);
      return new Promise((resolve) => waiting.current.push(resolve));
    });
    return () => whenSignedOut(undefined);
  }, []);
  if (!isOpen) return null;
  const entered = (next: Session) => {
    // What another left half done is not for the next.
    if (next.username !== session.username) return location.reload();
    setOpen(false);
    currentSession.set(next);
    for (const resolve of waiting.current.splice(0)) resolve();
    void client.invalidateQueries();
  };
  return <SignInDialog username={session.username} entered={entered} />;
}
