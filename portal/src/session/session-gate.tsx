/** Shows the portal to signed-in users and the sign-in to everyone else, at first as a page and later over the page. */
import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { portalPath, whenSignedOut } from '../api/client.ts';
import { Fault } from '../api/fault.ts';
import { showToast } from '../design/toasts.tsx';
import { speakAsCompany } from '../words/language.ts';
import { failureOfProvider, rememberProvider } from './provider.ts';
import { confirmSelf, currentSession, readSession, type Session } from './session.ts';
import { SignInDialog, SignInPage } from './sign-in.tsx';
import { UnreachablePage } from './sign-in-frame.tsx';
import { PasswordAgain, useWaiting } from './waiting.tsx';

// A user seldom needs any of these, so a daily user loads none.
const ChoosePasswordPage = lazy(async () => ({
  default: (await import('./choose-password-page.tsx')).ChoosePasswordPage,
}));
const LinkPage = lazy(async () => ({ default: (await import('./link-page.tsx')).LinkPage }));
const EnrolPage = lazy(async () => ({ default: (await import('./factors.tsx')).EnrolPage }));

const isLink = () => location.pathname === `${portalPath}link`;

export function SessionGate({ children }: { readonly children: ReactNode }) {
  const session = currentSession.use();
  const [isKnown, setKnown] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const read = useCallback(async () => {
    setFault(undefined);
    try {
      if (!enter(await readSession())) return;
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
  const passwordAgain = (
    <PasswordAgain
      username={session.username}
      provider={session.provider}
      confirm={async (given) => currentSession.set(await confirmSelf(given))}
    />
  );
  if (session.factorMissing)
    return (
      <Suspense>
        <EnrolPage company={session.company.name} done={() => void read()} />
        {passwordAgain}
      </Suspense>
    );
  return (
    <>
      {children}
      <SignInAgain session={session} />
      {passwordAgain}
    </>
  );
}

/** Returns false if the pages are not shown yet, because they are being loaded again in another language. */
function enter(session: Session): boolean {
  if (isLink()) history.replaceState(null, '', portalPath);
  if (speakAsCompany(session.company.language)) return false;
  void tellFailure();
  rememberProvider(session.provider);
  currentSession.set(session);
  return true;
}

/** A user who is signed in and could not confirm that with the identity provider. */
async function tellFailure(): Promise<void> {
  const failure = failureOfProvider();
  if (failure === undefined) return;
  history.replaceState(null, '', location.pathname);
  const { failureWords } = await import('./providers.tsx');
  showToast({ text: failureWords(failure) });
}

/** All calls that are refused because the session has ended wait for the same sign-in. */
function SignInAgain({ session }: { readonly session: Session }) {
  const client = useQueryClient();
  const { isOpen, settle } = useWaiting<void>(whenSignedOut);
  if (!isOpen) return null;
  const entered = (next: Session) => {
    // What one user left unfinished must not be passed to the next.
    if (next.username !== session.username) return location.reload();
    currentSession.set(next);
    settle();
    void client.invalidateQueries();
  };
  return <SignInDialog username={session.username} entered={entered} />;
}
