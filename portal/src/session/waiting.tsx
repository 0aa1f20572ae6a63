/** Lets calls wait for what somebody does in a dialog, such as giving the password again. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { whenPasswordNeeded } from '../api/client.ts';
import type { Confirmation, Session } from './session.ts';

// Seldom needed, so a daily user loads none of it.
const PasswordDialog = lazy(async () => ({
  default: (await import('./password-dialog.tsx')).PasswordDialog,
}));

/** Calls that wait until the user has answered a dialog, which stays open for as long as a call waits. */
export function useWaiting<Answer>(ask: (doThis: (() => Promise<Answer>) | undefined) => void) {
  const [isOpen, setOpen] = useState(false);
  const waiting = useRef<((answer: Answer) => void)[]>([]);
  useEffect(() => {
    ask(() => {
      setOpen(true);
      return new Promise((resolve) => waiting.current.push(resolve));
    });
    return () => ask(undefined);
  }, [ask]);
  const settle = (answer: Answer) => {
    setOpen(false);
    for (const resolve of waiting.current.splice(0)) resolve(answer);
  };
  return { isOpen, settle };
}

interface PasswordAgainProps {
  readonly username: string;
  readonly provider?: Session['provider'];
  readonly confirm: (given: Confirmation) => Promise<void>;
}

/** All calls that need a recent password or second factor wait for the same dialog. If it is cancelled, they do nothing. */
export function PasswordAgain({ confirm, ...props }: PasswordAgainProps) {
  const { isOpen, settle } = useWaiting<boolean>(whenPasswordNeeded);
  if (!isOpen) return null;
  const confirmed = async (given: Confirmation) => {
    await confirm(given);
    settle(true);
  };
  return (
    <Suspense>
      <PasswordDialog {...props} confirm={confirmed} cancel={() => settle(false)} />
    </Suspense>
  );
}
