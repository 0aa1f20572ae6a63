/** The text of a search field. It is written to the address when the user pauses, so that the search can be shared. */
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';

const pauseMs = 250;

/** `shown` is the search in the address; `change` writes it there, trimmed. */
export function useTypedSearch(shown: string, change: (search: string) => void) {
  const [typed, setTyped] = useState(shown);
  const reported = useRef(shown);
  // True while a link pressed during the pause is loading. If the search were written before the link has loaded, it
  // would replace that navigation.
  const isGoing = useRouterState({ select: ({ isLoading }) => isLoading });
  const tell = useEffectEvent((search: string) => {
    reported.current = search;
    change(search);
  });
  useEffect(() => {
    // A search that this field has written may come back from the address after more has been typed.
    if (shown === reported.current) return;
    reported.current = shown;
    setTyped(shown);
  }, [shown]);
  useEffect(() => {
    const search = typed.trim();
    if (isGoing || search === reported.current) return;
    const timer = window.setTimeout(() => tell(search), pauseMs);
    return () => window.clearTimeout(timer);
  }, [typed, isGoing]);
  return [typed, setTyped] as const;
}
