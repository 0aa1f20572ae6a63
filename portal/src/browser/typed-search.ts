/** What is typed into a search field, and stands in the address when the writer pauses: a search can be handed on. */
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';

const pauseMs = 250;

/** `shown` is what the address says, `change` writes it there, without the spaces around it. */
export function useTypedSearch(shown: string, change: (search: string) => void) {
  const [typed, setTyped] = useState(shown);
  const told = useRef(shown);
  // What was pressed while the writer paused: written before that is there, the search would take its place.
  const isGoing = useRouterState({ select: ({ isLoading }) => isLoading });
  const tell = useEffectEvent((search: string) => {
    told.current = search;
    change(search);
  });
  useEffect(() => {
    // One's own search comes back from the address when more may have been typed already.
    if (shown === told.current) return;
    told.current = shown;
    setTyped(shown);
  }, [shown]);
  useEffect(() => {
    const search = typed.trim();
    if (isGoing || search === told.current) return;
    const timer = window.setTimeout(() => tell(search), pauseMs);
    return () => window.clearTimeout(timer);
  }, [typed, isGoing]);
  return [typed, setTyped] as const;
}
