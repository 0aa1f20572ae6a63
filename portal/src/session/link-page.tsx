/** The target of a printed link. It signs in with the token after the `#`, which no server log ever sees. */
import { useEffect, useRef, useState } from 'react';
import { portalPath } from '../api/client.ts';
import { Fault } from '../api/fault.ts';
import { buttonLook } from '../design/button.tsx';
import { FaultNotice } from '../design/notice.tsx';
import { giveFactor, isLacking, type Lacking, type Session, signInByLink } from './session.ts';
import { LackingStep } from './sign-in.tsx';
import { SignInFrame } from './sign-in-frame.tsx';
import { useSessionWords } from './texts.ts';

export function LinkPage({ entered }: { readonly entered: (session: Session) => void }) {
  const words = useSessionWords();
  const [fault, setFault] = useState<Fault>();
  const [lacking, setLacking] = useState<Lacking>();
  const isTried = useRef(false);
  useEffect(() => {
    // A link works once, and an effect may run twice.
    if (isTried.current) return;
    isTried.current = true;
    signInByLink(location.hash.slice(1)).then(
      (next) => (isLacking(next) ? setLacking(next) : entered(next)),
      (error: unknown) => {
        if (!(error instanceof Fault)) throw error;
        setFault(error);
      },
    );
  }, [entered]);
  if (lacking !== undefined)
    return (
      <SignInFrame title={words.linkTitle} lead={words.lead}>
        <LackingStep
          lacking={lacking}
          give={giveFactor}
          entered={entered}
          cancel={() => location.replace(portalPath)}
        />
      </SignInFrame>
    );
  if (fault === undefined)
    return (
      <SignInFrame title={words.linkTitle} lead="…">
        {null}
      </SignInFrame>
    );
  const isOver = fault.status >= 400 && fault.status < 500 && fault.status !== 429;
  return (
    <SignInFrame
      title={isOver ? words.linkOver : words.linkTitle}
      lead={isOver ? words.linkOverLead : words.lead}
    >
      {!isOver && <FaultNotice fault={fault} tryAgain={() => location.reload()} />}
      <a href={portalPath} className={buttonLook('main')}>
        {words.toSignIn}
      </a>
    </SignInFrame>
  );
}
