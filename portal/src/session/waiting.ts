/** Lets calls wait for what somebody does in a dialog, such as giving the password again. */
import { useEffect, useRef, useState } from 'react';

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
